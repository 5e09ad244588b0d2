// Package servers reads the configuration of MCP servers as other agents write it:
// which there are, how each is started or reached, and what of it cannot be used. It
// reads files, and neither starts nor connects anything.
package servers

import (
	"slices"
	"strings"
	"time"

	"agent/internal/pattern"
)

// Origin is where a server is configured.
type Origin string

// The origins; of servers with one name the earlier origin counts.
const (
	// Flag is --mcp-config.
	Flag Origin = "flag"
	// Editor is an editor that drives the session. Its texts hold no variables.
	Editor Origin = "editor"
	// User is the person's own mcp.json.
	User Origin = "user"
	// Project is .mcp.json of the repository or the workspace.
	Project Origin = "project"
)

// Transport is how a server is talked to.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Sandboxed is the value of Server.Sandbox for a program that is confined like a command.
const Sandboxed = "work"

// Server is one configured server. Texts hold variables as they are written, "${VAR}";
// [Server.Expand] fills them in.
type Server struct {
	Name   string
	Origin Origin
	// File is where it is configured, empty for JSON of the command line; Folder is the
	// repository or workspace that the file belongs to, empty for none.
	File, Folder string

	Transport Transport
	// Command, Args, Env, EnvVars and Cwd start a program. EnvVars are variables of the
	// environment that it gets besides the usual ones.
	Command string
	Args    []string
	Env     map[string]string
	EnvVars []string
	Cwd     string
	// URL and Headers reach a server of the network.
	URL     string
	Headers map[string]string

	// StartTimeout and Timeout bound the start and a call; 0 is the usual.
	StartTimeout, Timeout time.Duration
	// Only are the tools that are used, all if it is empty; Except are tools that are not.
	Only, Except []string
	// Allow are tools whose calls the person allows, in their own file only.
	Allow []string
	// AlwaysLoad offers its tools directly before those of other servers.
	AlwaysLoad bool
	Disabled   bool
	// TrustHints lets what the server says of its tools count, in the user's own file only.
	TrustHints bool
	// Sandbox is Sandboxed, or "off".
	Sandbox string
	OAuth   OAuth

	// Fields is the entry as canonical JSON, before expansion.
	Fields []byte
}

// OAuth is how a person logs in to a server.
type OAuth struct {
	ClientID string
	// ClientSecretEnv is the variable that holds the secret of the client.
	ClientSecretEnv string
	Scopes          []string
	CallbackPort    int
}

// Found are the servers of a workspace and its user.
type Found struct {
	// Servers are in the order in which they are configured, those of flags first.
	Servers []*Server
	// Problems are entries and files that are not used, and why; Notes is what a person
	// should know of the others.
	Problems, Notes []string
	// Invalid are the problems of entries that have a name, by it.
	Invalid map[string]string
}

// Named returns the server of a name, nil for none.
func (f Found) Named(name string) *Server {
	if i := slices.IndexFunc(f.Servers, func(s *Server) bool { return s.Name == name }); i >= 0 {
		return f.Servers[i]
	}
	return nil
}

// names are the names that a server may have.
var names = pattern.New(`^[A-Za-z0-9_-]{1,32}$`)

// CheckName says why a server cannot have a name, empty if it can.
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

// Uses reports whether a tool is among those that are used.
func (s *Server) Uses(tool string) bool {
	return (len(s.Only) == 0 || slices.Contains(s.Only, tool)) && !slices.Contains(s.Except, tool)
}
