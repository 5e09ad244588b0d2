package mcp

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"agent/internal/sandbox"
)

// Server is how a server is reached. All variables in it are already filled in.
type Server struct {
	Name string
	// Type is stdio, http or sse; empty: stdio with a Command, else http.
	Type string

	// Command is the program of a stdio server. Env is its whole environment as NAME=VALUE,
	// in whose PATH the program is found.
	Command string
	Args    []string
	Env     []string
	// Dir is the absolute folder it runs in.
	Dir string
	// Confined is the sandbox of the program and Profile what it may do there; the zero
	// Confinement confines nothing.
	Confined sandbox.Confinement
	Profile  sandbox.Profile

	// URL is the address of a server that is not started here. Headers go with every
	// request to that host, and to no other.
	URL     string
	Headers map[string]string
	OAuth   OAuth

	// StartTimeout bounds the time from the start to the list of tools; 0: 30 s.
	StartTimeout time.Duration
	// CallTimeout bounds a call, silent or not; 0: 30 min in all, of which 120 s
	// without a sign of life.
	CallTimeout time.Duration
	// Prepare completes the server before each start: it fills in variables, and may
	// refuse. Nil: the server is complete.
	Prepare func(Server) (Server, error)
	// Protocol is the version that the server spoke last time, empty when unknown. It
	// spares a try.
	Protocol string
}

// OAuth is what a file says of the login of a server. Everything may be empty.
type OAuth struct {
	ClientID, ClientSecret string
	Scopes                 []string
	// CallbackPort is the port of 127.0.0.1 to which the browser returns; 0: any.
	CallbackPort int
}

func (s Server) startTimeout() time.Duration { return cmp.Or(max(s.StartTimeout, 0), 30*time.Second) }

// bounds are how long a call may be silent, and how long it may take in all.
type bounds struct{ silent, total time.Duration }

func (s Server) bounds() bounds {
	set := max(s.CallTimeout, 0)
	return bounds{cmp.Or(set, 2*time.Minute), cmp.Or(set, 30*time.Minute)}
}

// kind is the transport of the server.
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

// Host is what servers may ask back. All its functions are called from goroutines of
// their own; each may be nil.
type Host struct {
	// Version is that of the program.
	Version string
	// Roots are the absolute folders that a server is told when it asks.
	Roots []string
	// Ask puts a question of a server to the person. Without it every question is declined.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Changed is called with the name of a server up to a second after it said that its
	// tools, prompts or resources are others now.
	Changed func(server string)
	// Transport makes the requests to HTTP servers; nil: Go's own, through the proxies of
	// the environment.
	Transport http.RoundTripper
	// Logins keeps what logins gave; nil: servers that want a login are not reached.
	Logins *Logins
}
