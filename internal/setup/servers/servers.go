// Package servers reads the configuration of MCP servers in the form of other agents: how each
// server is started or reached, and what is wrong with it. It reads files, and neither starts
// nor connects anything.
package servers

import (
	"slices"
	"strings"
	"time"

	"agent/internal/pattern"
)

// Origin is where a server is configured.
type Origin string

// The origins. Of servers with the same name, the one of the earlier origin counts.
const (
	// Flag is --mcp-config.
	Flag Origin = "flag"
	// Editor is the editor that drives the session. Its texts have no variables.
	Editor Origin = "editor"
	// User is the person's own mcp.json.
	User Origin = "user"
	// Project is .mcp.json of the repository or the workspace.
	Project Origin = "project"
)

// Transport is the transport of a server.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Sandboxed is the value of Server.Sandbox for a program that is confined like a command.
const Sandboxed = "work"

// Server is one configured server. Its texts have variables as they are written, "${VAR}", which
// [Server.Expand] replaces.
type Server struct {
	Name   string
	Origin Origin
	// File is the file of the configuration, empty for JSON of the command line.
	File string
	// Folder is the repository or workspace that the file belongs to, empty for none.
	Folder string

	Transport Transport
	// Command, Args, Env, EnvVars and Cwd start a program.
	Command string
	Args    []string
	Env     map[string]string
	// EnvVars are variables of the environment that it gets besides the usual ones.
	EnvVars []string
	Cwd     string
	// URL and Headers reach a server over HTTP.
	URL     string
	Headers map[string]string

	// StartTimeout bounds the start, 0 for the default.
	StartTimeout time.Duration
	// Timeout bounds a call, 0 for the default.
	Timeout time.Duration
	// Only are the tools that are used, all if it is empty.
	Only []string
	// Except are the tools that are not used.
	Except []string
	// Allow are the tools whose calls the person allows. It counts in their own file only.
	Allow []string
	// AlwaysLoad offers its tools directly before those of other servers.
	AlwaysLoad bool
	Disabled   bool
	// TrustHints makes the server's hints about its tools count, in the user's own file only.
	TrustHints bool
	// Sandbox is Sandboxed, or "off".
	Sandbox string
	OAuth   OAuth

	// Fields is the entry as canonical JSON, before expansion.
	Fields []byte
}

// OAuth is the configuration of the login to a server.
type OAuth struct {
	ClientID string
	// ClientSecretEnv is the variable that holds the secret of the client.
	ClientSecretEnv string
	Scopes          []string
	CallbackPort    int
}

// Found has the servers of a workspace and its user.
type Found struct {
	// Servers are in the order of the configuration, those of flags first.
	Servers []*Server
	// Problems says which entries and files are not used, and why.
	Problems []string
	// Notes is what a person should know about the others.
	Notes []string
	// Invalid has the problems of entries by name.
	Invalid map[string]string
}

// Named returns the server with a name, nil for none.
func (f Found) Named(name string) *Server {
	if i := slices.IndexFunc(f.Servers, func(s *Server) bool { return s.Name == name }); i >= 0 {
		return f.Servers[i]
	}
	return nil
}

// names matches the names that a server may have.
var names = pattern.New(`^[A-Za-z0-9_-]{1,32}$`)

// CheckName returns why a server cannot have a name, empty if it can.
func CheckName(name string) string {
	switch {
	case !names.MatchString(name):
		return "a server's name has 1 to 32 letters, digits, - and _"
	case strings.Contains(name, "__"):
		return "a server's name has no two _ in a row"
	case name == "agent" || name == "mcp":
		return "the name " + name + " is taken"
	}
	return ""
}

// Uses reports whether a tool is used.
func (s *Server) Uses(tool string) bool {
	return (len(s.Only) == 0 || slices.Contains(s.Only, tool)) && !slices.Contains(s.Except, tool)
}
