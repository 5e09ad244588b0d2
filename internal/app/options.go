package app

import (
	"context"

	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/provider"
	"agent/internal/settings"
)

// Options configures a conversation.
type Options struct {
	// Workspace is the folder to work in. A relative path starts at the folder of the process,
	// which "" means.
	Workspace string
	// Named is set if a user named the workspace, and so means it even if it is the home
	// folder.
	Named bool
	// Settings holds the initial settings. The conversation changes only its own copy.
	Settings *settings.Settings
	// KeepEndpoint is set if a resumed session must use the endpoint of the settings instead of
	// the recorded one.
	KeepEndpoint bool
	Record       Record
	// Allow and AllowOutside hold the rules of the flags --allow and --allow-outside.
	Allow, AllowOutside []string
	// Servers holds the values of the flag --mcp-config.
	Servers []string
	// EditorServers holds the MCP servers of an editor, in the format of a file of servers. They
	// are never written to a file.
	EditorServers string
	// Browse opens an address in the user's browser; nil without a browser.
	Browse func(ctx context.Context, address string)
	// NoSetup omits the instructions, skills, commands, hooks and MCP servers that people
	// and repositories have configured. Rules that restrict tool calls, and servers of Servers
	// and EditorServers, apply nevertheless.
	NoSetup bool
	// TrustProject agrees, for this run, to everything in the repository that needs consent.
	TrustProject bool
	// AsksTrust is set if the interface asks about the things that wait for consent.
	AsksTrust bool
	// KeepsAgents is set if the interface shows the agents that still run when a turn has ended, and
	// lets the user end them. Else they end with the turn.
	KeepsAgents bool
	// Unattended is set if nobody can answer an approval.
	Unattended bool
	// FindingsHere has the model of the conversation review, not an agent, for a caller that asks it
	// for the findings as data.
	FindingsHere bool
	// Events receives every event of the conversation, in order, on the goroutine that runs the
	// conversation. Events may call Send, Answer and Interrupt, but no method that waits for the
	// conversation, such as Stats.
	Events func(chat.Envelope)
	// Gates holds the gates of the interface, which every call passes.
	Gates []gate.Gate
	// Connect finds the endpoint; nil means FindEndpoint.
	Connect Connector
	// Ask puts a question to a user before the conversation begins; nil if nobody can be asked.
	Ask Asker
}

// A Connector makes sure that there is an endpoint. The notice names the endpoint if the user did
// not choose it. closer may be nil; it is called when the conversation ends.
type Connector func(ctx context.Context, c *provider.Connection) (notice string, closer func(), err error)

// FindEndpoint is the usual Connector. It uses the endpoint of the settings, or else a server on this
// machine.
func FindEndpoint(ctx context.Context, c *provider.Connection) (string, func(), error) {
	notice, err := c.Find(ctx)
	return notice, nil, err
}

// An Asker puts a question to a user and reports whether the user agrees.
type Asker func(ctx context.Context, question string) (bool, error)

// Record describes the record of a conversation. The zero Record begins a new session.
type Record struct {
	// Off has no log.
	Off bool
	// Folder is the folder for records and snapshots, "" for the usual folders.
	Folder string
	// Continue resumes the latest session of the workspace.
	Continue bool
	// Resume is the id of the session to resume, "" for none.
	Resume string
	// Fork continues the resumed session in a new one.
	Fork bool
	// ID names a session exactly: that session is resumed, or begun if it does not exist. A
	// session of another workspace is refused, unless both are worktrees of one repository.
	ID string
}

// resumes reports whether a recorded session is resumed.
func (r Record) resumes() bool { return r.Continue || r.Resume != "" }

// begins returns the way in which the conversation begins, for the SessionStart hooks.
func (r Record) begins() string {
	switch {
	case r.Fork:
		return "fork"
	case r.resumes():
		return "resume"
	}
	return ""
}

// searches reports whether the model may search earlier sessions.
func (o Options) searches() bool {
	return !o.Record.Off && settings.RecallSessions.Of(o.Settings) != "off"
}
