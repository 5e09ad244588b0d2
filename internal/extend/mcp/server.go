package mcp

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"agent/internal/sandbox"
)

// Server describes how to reach a server. Prepare replaces its variables.
type Server struct {
	Name string
	// Type is stdio, http or sse. Empty means stdio if Command is set, otherwise http.
	Type string

	// Command is the program of a stdio server.
	Command string
	Args    []string
	// Env is the complete environment of the program as NAME=VALUE. Command is looked up in its
	// PATH.
	Env []string
	// Dir is the absolute path of the folder in which the program runs.
	Dir string
	// Confined is the sandbox of the program. The zero Confinement means no sandbox.
	Confined sandbox.Confinement
	// Profile limits the actions of the program in the sandbox.
	Profile sandbox.Profile

	// URL is the address of a server over HTTP.
	URL string
	// Headers are sent with every request to the host of URL, but to no other host.
	Headers map[string]string
	OAuth   OAuth

	// StartTimeout limits the time from the start to the list of tools. 0 means 30 s.
	StartTimeout time.Duration
	// CallTimeout limits the time of a call, and the time without a message from the server. 0
	// means 30 min for the call, and 120 s without a message.
	CallTimeout time.Duration
	// Prepare completes the server before each start. It replaces variables, and may return an
	// error. nil means that the server is complete.
	Prepare func(Server) (Server, error)
	// Protocol is the version that the server used last time, empty if unknown. It avoids an
	// attempt with another version.
	Protocol string
}

// OAuth is the configuration of the login to a server. Every field may be empty.
type OAuth struct {
	ClientID, ClientSecret string
	Scopes                 []string
	// CallbackPort is the port of 127.0.0.1 for the redirect of the browser. 0 means any port.
	CallbackPort int
}

func (s Server) startTimeout() time.Duration { return cmp.Or(max(s.StartTimeout, 0), 30*time.Second) }

// bounds holds the greatest silence and the greatest duration of a call.
type bounds struct{ silent, total time.Duration }

func (s Server) bounds() bounds {
	set := max(s.CallTimeout, 0)
	return bounds{cmp.Or(set, 2*time.Minute), cmp.Or(set, 30*time.Minute)}
}

func (s Server) kind() string {
	switch {
	case s.Type == "" && s.Command != "", s.Type == "stdio":
		return kindStdio
	case s.Type == "sse":
		return kindSSE
	}
	return kindHTTP
}

const (
	kindStdio = "stdio"
	kindHTTP  = "http"
	kindSSE   = "sse"
)

// Host describes this program to servers. Its functions are called on separate goroutines. Each may
// be nil.
type Host struct {
	// Version is the version of this program.
	Version string
	// Roots lists the absolute folders that are sent to servers that request roots.
	Roots []string
	// Ask passes a question of a server to the user. If Ask is nil, every question is declined.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Changed is called with the name of a server after the server has reported changes of its
	// tools, prompts or resources. The delay is at most one second.
	Changed func(server string)
	// Transport makes the requests to HTTP servers. nil means Go's default transport, with the
	// proxies of the environment.
	Transport http.RoundTripper
	// Started is called for each server program that was started. Reached is called for each host
	// that requests for a server reach.
	Started func(server Server)
	Reached func(server, host string)
	// Logins stores logins. If it is nil, servers that require a login cannot be used.
	Logins *Logins
}
