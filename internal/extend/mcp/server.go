package mcp

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"agent/internal/sandbox"
)

// Server describes the way to reach a server. Prepare fills in its variables.
type Server struct {
	Name string
	// Type is stdio, http or sse; empty means stdio with a Command, else http.
	Type string

	// Command is the program of a stdio server.
	Command string
	Args    []string
	// Env is the whole environment of the program as NAME=VALUE. Its PATH is searched for Command.
	Env []string
	// Dir is the absolute path of the folder in which the program runs.
	Dir string
	// Confined is the sandbox of the program; the zero Confinement confines nothing.
	Confined sandbox.Confinement
	// Profile limits the actions of the program in the sandbox.
	Profile sandbox.Profile

	// URL is the address of a server over HTTP.
	URL string
	// Headers are sent with every request to the host of URL, and to no other.
	Headers map[string]string
	OAuth   OAuth

	// StartTimeout limits the time from the start to the list of tools; 0 means 30 s.
	StartTimeout time.Duration
	// CallTimeout limits a call, and the time without a sign of life. 0 means 30 min for the call,
	// and 120 s without a sign of life.
	CallTimeout time.Duration
	// Prepare completes the server before each start. It fills in variables and may refuse;
	// nil means that the server is complete.
	Prepare func(Server) (Server, error)
	// Protocol is the version that the server used last time, empty if it is not known. It saves an
	// attempt with another version.
	Protocol string
}

// OAuth is the configuration of the login to a server. Every field may be empty.
type OAuth struct {
	ClientID, ClientSecret string
	Scopes                 []string
	// CallbackPort is the port of 127.0.0.1 to which the browser returns; 0 means any.
	CallbackPort int
}

func (s Server) startTimeout() time.Duration { return cmp.Or(max(s.StartTimeout, 0), 30*time.Second) }

// bounds holds the longest silence and the longest time of a call.
type bounds struct{ silent, total time.Duration }

func (s Server) bounds() bounds {
	set := max(s.CallTimeout, 0)
	return bounds{cmp.Or(set, 2*time.Minute), cmp.Or(set, 30*time.Minute)}
}

// kind returns the transport of the server.
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

// Host describes this program to servers. Its functions are called on goroutines of their own; each
// may be nil.
type Host struct {
	// Version is the version of this program.
	Version string
	// Roots lists the absolute folders that servers get if they ask for roots.
	Roots []string
	// Ask asks the user a question of a server; nil declines every question.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Changed is called with the name of a server up to a second after the server has reported
	// that its tools, prompts or resources have changed.
	Changed func(server string)
	// Transport makes the requests to HTTP servers; nil means Go's own transport, with the proxies
	// of the environment.
	Transport http.RoundTripper
	// Started is told of each program of a server that was started, Reached each host that requests
	// for a server reach.
	Started func(server Server)
	Reached func(server, host string)
	// Logins stores logins; nil means that servers that want a login cannot be used.
	Logins *Logins
}
