package app

import (
	"context"
	"fmt"

	"agent/internal/app/gates"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/provider"
	"agent/internal/rules"
	"agent/internal/settings"
)

// Options are what a conversation is made from.
type Options struct {
	// Workspace is the folder to work in; relative to that of the process, which "" is.
	Workspace string
	// Named says that a person named the workspace, and so means it if it is the home folder.
	Named bool
	// Settings are what those of the conversation begin as; it changes its own only.
	Settings *settings.Settings
	// KeepEndpoint has the endpoint of the settings used for a recorded session too.
	KeepEndpoint bool
	Record       Record
	// Allow and AllowOutside are the rules of the flags --allow and --allow-outside.
	Allow, AllowOutside []string
	// Servers are the values of --mcp-config.
	Servers []string
	// EditorServers are those of an editor, as a file of servers has them. They are never
	// written to one.
	EditorServers string
	// Browse opens an address in the person's browser; nil where there is none.
	Browse func(ctx context.Context, address string)
	// NoSetup leaves out what people and repositories have brought along: instructions,
	// skills and commands. Rules that narrow hold all the same.
	NoSetup bool
	// TrustProject agrees, for this run, to what the repository brings.
	TrustProject bool
	// AsksTrust means that the front end asks about what waits for consent.
	AsksTrust bool
	// Unattended means that nobody can answer an approval.
	Unattended bool
	// Events receives every event of the conversation, in order, on the goroutine that
	// runs it. It may call Send, Answer and Interrupt, and nothing that waits for an answer of
	// the conversation, such as Stats.
	Events func(chat.Envelope)
	// Gates are the front end's, which every call passes.
	Gates []gate.Gate
	// Connect finds the endpoint; nil means Find.
	Connect Connector
	// Ask puts a question to a person before the conversation begins; nil where nobody
	// can be asked.
	Ask Asker
}

// Connector makes sure that there is an endpoint. Its notice names the endpoint where the
// user did not choose; closer, which may be nil, is called when the conversation ends.
type Connector func(ctx context.Context, c *provider.Connection) (notice string, closer func(), err error)

// Find uses the endpoint that is set, else a server on this machine.
func Find(ctx context.Context, c *provider.Connection) (string, func(), error) {
	notice, err := c.Find(ctx)
	return notice, nil, err
}

// Asker puts a question to a person and reports whether they agree.
type Asker func(ctx context.Context, question string) (bool, error)

// Record says how a conversation is recorded. The zero Record begins a new session.
type Record struct {
	// Off keeps no record.
	Off bool
	// Folder is where records and what files held are kept, "" for the usual folders.
	Folder string
	// Continue resumes the latest session of the workspace.
	Continue bool
	// Resume is the id of the session to resume, "" for none.
	Resume string
	// Fork continues the resumed session in a new one.
	Fork bool
	// ID names a session exactly: it continues, or begins if there is none of that id. A
	// session of another workspace is refused, unless both are worktrees of one repository.
	ID string
}

// resumes reports whether a recorded session is resumed.
func (r Record) resumes() bool { return r.Continue || r.Resume != "" }

// begins is from where the conversation begins, for the hooks of SessionStart.
func (r Record) begins() string {
	switch {
	case r.Fork:
		return "fork"
	case r.resumes():
		return "resume"
	}
	return ""
}

// policy is what the flags and the front end say about consent.
func (c *Conversation) policy() (p gate.Policy, err error) {
	p.Unattended = c.options.Unattended
	if p.Allow, err = c.parseRules("--allow", c.options.Allow); err != nil {
		return p, err
	}
	p.AllowOutside, err = c.parseRules("--allow-outside", c.options.AllowOutside)
	return p, err
}

func (c *Conversation) parseRules(flag string, texts []string) (rules.Rules, error) {
	var allowed rules.Rules
	for _, text := range texts {
		rule, err := gates.Allowing(c.registry, text)
		if err != nil {
			return nil, InputError{fmt.Errorf("%s: %w", flag, err)}
		}
		allowed = append(allowed, rule...)
	}
	return allowed, nil
}
