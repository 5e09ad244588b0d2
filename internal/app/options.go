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
	// Workspace is the folder to work in. A relative path is relative to the folder of the process; ""
	// means that folder.
	Workspace string
	// Named is set if a user named the workspace. Then even the home folder needs no confirmation.
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
	// Browse opens an address in the user's browser. It is nil if there is no browser.
	Browse func(ctx context.Context, address string)
	// NoSetup omits the instructions, skills, commands, hooks and MCP servers that people and repositories
	// have configured. Rules that restrict tool calls apply nevertheless, and so do the servers of Servers
	// and EditorServers.
	NoSetup bool
	// TrustProject approves, for this run, all items of the repository that need consent.
	TrustProject bool
	// AsksTrust is set if the interface asks about the items that wait for consent.
	AsksTrust bool
	// KeepsAgents is set if the interface shows the subagents that still run when a turn has ended, and the
	// user can stop them. Otherwise they end with the turn.
	KeepsAgents bool
	// Unattended is set if no user can answer an approval prompt.
	Unattended bool
	// FindingsHere makes the model of the conversation review changes itself, without a subagent. It is for
	// a caller that requests the findings as data.
	FindingsHere bool
	// Events receives every event of the conversation, in order, on the goroutine that runs the
	// conversation. It may call Send, Answer and Interrupt. It must not call a method that waits for the
	// conversation, such as Stats.
	Events func(chat.Event)
	// Gates holds the gates of the interface, which every call passes.
	Gates []gate.Gate
	// Connect finds the endpoint; nil means FindEndpoint.
	Connect Connector
	// Ask asks the user a question before the conversation begins. It is nil if there is no user to ask.
	Ask Asker
}

// A Connector makes sure that there is an endpoint. notice names the endpoint if the user did not choose
// it. closer is called when the conversation ends; it may be nil.
type Connector func(ctx context.Context, c *provider.Connection) (notice string, closer func(), err error)

// FindEndpoint is the default Connector. It uses the endpoint of the settings, or otherwise a server on
// this machine.
func FindEndpoint(ctx context.Context, c *provider.Connection) (string, func(), error) {
	notice, err := c.Find(ctx)
	return notice, nil, err
}

// An Asker asks the user a question and reports whether the user agrees.
type Asker func(ctx context.Context, question string) (bool, error)

// Record describes the record of a conversation. The zero Record begins a new session.
type Record struct {
	// Off disables the log.
	Off bool
	// Folder is the folder for records and snapshots, "" for the usual folders.
	Folder string
	// Continue resumes the latest session of the workspace.
	Continue bool
	// Resume is the id of the session to resume, "" for none.
	Resume string
	// Fork continues the resumed session in a new one.
	Fork bool
	// ID is the ID of a session that is resumed, or started if it does not exist. A session of another
	// workspace is an error, unless both workspaces are worktrees of one repository.
	ID string
}

func (r Record) resumes() bool { return r.Continue || r.Resume != "" }

// begins returns how the conversation begins, as the source for the SessionStart hooks.
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
	return !o.Record.Off && settings.RecallSessions.Value(o.Settings) != "off"
}
