// Package servers reads the configuration of MCP servers in the formats of other coding agents. It
// does not start servers or connect to them.
//
// Find reads all files of a workspace and its user, and returns a Listing with one Server for each
// name. Server.Expand replaces the variables of a server before the server is started:
//
//	found, err := servers.Find(servers.Locations{Where: where})
//	for _, s := range found.Servers {
//		expanded, err := s.Expand(environment)
//		…
//	}
//
// Add, Remove and SetDisabled change a file for a user.
package servers

import (
	"slices"
	"strings"
	"time"

	"agent/internal/base/lazyregexp"
)

// Origin is the kind of source in which a server is configured.
type Origin string

// The origins, in order of precedence. If servers have the same name, the one with the earlier
// origin is used.
const (
	// OriginFlag is --mcp-config.
	OriginFlag Origin = "flag"
	// OriginEditor is the editor that runs the session. It writes "${VAR}" as plain text.
	OriginEditor Origin = "editor"
	// OriginUser is the user's own mcp.json.
	OriginUser Origin = "user"
	// OriginProject is .mcp.json in the workspace or in the root of its repository.
	OriginProject Origin = "project"
	// OriginPlugin is a plugin that the user has added.
	OriginPlugin Origin = "plugin"
)

// Transport is the transport of a server.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Sandboxed is the value of Server.Sandbox for a program that runs in the sandbox of commands.
const Sandboxed = "work"

// Server is a configured server. Its texts contain references to variables, "${VAR}", until
// [Server.Expand] replaces them.
type Server struct {
	Name   string
	Origin Origin
	// File is the configuration file, empty for JSON from a flag or an editor.
	File string
	// Folder is the repository or workspace to which the file belongs, empty if there is none.
	Folder string

	Transport Transport
	// Command is the program of a server with the transport Stdio.
	Command string
	Args    []string
	// Env is added to the environment of the program.
	Env map[string]string
	// EnvVars lists environment variables that the program receives in addition to the usual ones.
	EnvVars []string
	// Cwd is the folder in which the program runs.
	Cwd string
	// URL is the address of a server over HTTP.
	URL string
	// Headers are sent with each request.
	Headers map[string]string

	// StartTimeout limits the time of the start. 0 means the default.
	StartTimeout time.Duration
	// Timeout limits the time of a call. 0 means the default.
	Timeout time.Duration
	// Only lists the tools to use. Empty means all.
	Only []string
	// Except lists the tools that are not used.
	Except []string
	// Allow lists the tools that may be called without approval. A repository cannot set it.
	Allow []string
	// AlwaysLoad is set if the server's tools are offered directly before the tools of other
	// servers.
	AlwaysLoad bool
	Disabled   bool
	// TrustHints is set if the server's hints about its tools are used. A repository cannot set it.
	TrustHints bool
	// Sandbox is Sandboxed, or "off".
	Sandbox string
	OAuth   OAuth

	// Fields is the entry as canonical JSON, before expansion.
	Fields []byte
}

// NeedsConsent reports whether the server is configured by others than the user, their flags or
// their editor.
func (s *Server) NeedsConsent() bool { return s.Origin == OriginProject || s.Origin == OriginPlugin }

// Words returns the address of a server or, if the server is a program, its command with the
// arguments. They may contain secrets.
func (s *Server) Words() []string {
	if s.Transport != Stdio {
		return []string{s.URL}
	}
	return append([]string{s.Command}, s.Args...)
}

// OAuth is the configuration of the login to a server.
type OAuth struct {
	ClientID string
	// ClientSecretEnv is the variable that contains the client secret.
	ClientSecretEnv string
	// ClientSecret is the value of that variable, which Expand sets.
	ClientSecret string
	Scopes       []string
	CallbackPort int
}

// Listing holds the servers of a workspace and its user.
type Listing struct {
	// Servers are in the order of the configuration. Servers from flags are first.
	Servers []*Server
	// Problems lists the entries and files that are not used, with the reasons.
	Problems []string
	// Notes lists unknown fields, repeated names and ignored settings for the user.
	Notes []string
	// Invalid maps the names of unused entries to their errors.
	Invalid map[string]string
}

// ByName returns the server with a name, or nil.
func (f Listing) ByName(name string) *Server {
	if i := slices.IndexFunc(f.Servers, func(s *Server) bool { return s.Name == name }); i >= 0 {
		return f.Servers[i]
	}
	return nil
}

// names matches the names that a server may have.
var names = lazyregexp.New(`^[A-Za-z0-9_-]{1,32}$`)

// CheckName returns the reason why a server cannot have a name, or "" if it can.
func CheckName(name string) string {
	switch {
	case !names.MatchString(name):
		return "a server name must have 1 to 32 letters, digits, - and _"
	case strings.Contains(name, "__"), strings.HasSuffix(name, "_"):
		// mcp__a___b would be a tool of a_ and of a.
		return "a server name can't contain __ or end with _"
	case name == "agent" || name == "mcp":
		return "the name " + name + " is taken"
	}
	return ""
}

// UsesTool reports whether a tool of the server is enabled.
func (s *Server) UsesTool(tool string) bool {
	return (len(s.Only) == 0 || slices.Contains(s.Only, tool)) && !slices.Contains(s.Except, tool)
}
