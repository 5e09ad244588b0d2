// Package slash holds the slash commands, one file a subject. They reach the rest of the
// program only through Deps: the turn loop as a Session, the settings, the profile files,
// and a few functions for what lies outside (the endpoint's models, the workspace's diff).
package slash

import (
	"context"
	"log/slog"
	"time"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/snapshot"
)

// Session is the conversation as the commands need it; the turn loop is one.
// Methods may be called from any goroutine, also while a turn runs, and return
// soon after ctx ends.
type Session interface {
	// ContextUsage describes the next request by kind.
	ContextUsage(ctx context.Context) (chat.ContextUsage, error)
	// Ledger lists every prune of the session, oldest first.
	Ledger(ctx context.Context) ([]chat.PruneRecord, error)
	// Story is what the requests of the session cost, beside what they would have without
	// pruning.
	Story(ctx context.Context) (chat.Story, error)
	// Held lists the parts of the context that are about a file or command, all of them
	// for "", and why each is still there.
	Held(ctx context.Context, subject string) ([]chat.Held, error)
	// Removed returns what left the context under a number of the Ledger, from 1: a line
	// that says what it is and how old, and the content. BringBack puts it back, and
	// returns the tokens that takes; it is chat.ErrWorking while a turn runs.
	Removed(ctx context.Context, number int) (heading, text string, err error)
	BringBack(ctx context.Context, number int) (tokens int, err error)
	// KnownFiles are the files that the context holds something of, and those of them
	// that are pinned, by their absolute paths; Pin pins one or takes that back.
	KnownFiles(ctx context.Context) (known, pinned []string, err error)
	Pin(ctx context.Context, path string, pinned bool) (file string, err error)
	// Stats returns the running figures of the session.
	Stats(ctx context.Context) (chat.Stats, error)
	// LastReply returns the model's latest text, "" before the first.
	LastReply(ctx context.Context) (string, error)
	// Grants lists what was allowed with "always", oldest first, and ForgetGrant takes
	// one back by its number from 1, or all of them by 0.
	Grants(ctx context.Context) ([]string, error)
	ForgetGrant(ctx context.Context, number int) ([]string, error)
	// Compress runs the active strategy now. A result that is not Applied says
	// why; an error means that nothing changed. It is chat.ErrWorking while a turn
	// runs.
	Compress(ctx context.Context) (chat.Compressed, error)
	// Clear empties the conversation; the record of it stays. It is
	// chat.ErrWorking while a turn runs.
	Clear(ctx context.Context) error
	// Idle is chat.ErrWorking while a turn runs, else nil.
	Idle(ctx context.Context) error
	// Points are the places in the record to which Rewind returns; Rewind makes the
	// conversation what it was at one, and if asked the files too, and returns it with what
	// changed. It is chat.ErrWorking while a turn runs.
	Points(ctx context.Context) ([]history.Point, error)
	Rewind(ctx context.Context, seq uint64, files bool) (history.Point, []snapshot.Changed, error)
	// PlanRewind works out what Rewind would do to the files besides.
	PlanRewind(ctx context.Context, seq uint64) (*snapshot.Plan, error)
	// PlanFiles works out what undoing or redoing the file changes of a turn would do,
	// and MoveFiles does it, all of it or nothing. PlanFiles is snapshot.ErrNothing when
	// there is nothing; both are chat.ErrWorking while a turn runs.
	PlanFiles(ctx context.Context, way snapshot.Way) (*snapshot.Plan, error)
	MoveFiles(ctx context.Context, plan *snapshot.Plan) ([]snapshot.Changed, error)
	// Retry sends the conversation again without a new message, after a request
	// that failed. It returns before the turn ends. It is chat.ErrWorking while one
	// runs, and an error when there is nothing to send.
	Retry(ctx context.Context) error
}

// Model is one model that the endpoint offers.
type Model struct {
	ID string
	// ContextLimit is its window in tokens, 0 when the endpoint does not say.
	ContextLimit int
	// Prices are those of its tokens, nil where they are not known, and Efforts the values
	// of reasoning.effort that it is known to take, from the least.
	Prices  *settings.Prices
	Efforts []string
}

// Tool is one tool of the model, as people see it.
type Tool struct {
	// Kind is the permission it needs, for example "edit".
	Name, Kind, Description string
}

// Log is where the program writes what it does, and how much of it.
type Log struct {
	Path  string
	Level *slog.LevelVar
}

// Deps is what the commands work on. All of it is needed to run every command;
// profile and settings commands need only Settings and Profiles.
type Deps struct {
	Session  Session
	Settings *settings.Settings
	Profiles *settings.Store
	// Models asks the endpoint in use which models it offers.
	Models func(ctx context.Context) ([]Model, error)
	// Tools lists what the model can do.
	Tools func() []Tool
	// Callable lists the skills and commands that are files, by name; nil for none.
	Callable func() []command.Callable
	// Skills describes the skills, and what was left out, a line each; nil for none.
	Skills func() []string
	// Hooks describes the hooks and what became of them, a few lines each; nil for none.
	Hooks func() []string
	// Instructions lists the files with instructions for the model, a line each; nil for
	// none.
	Instructions func() []string
	// Trust is what needs consent; nil where nothing does.
	Trust Trust
	// Servers are the MCP servers of the session; nil where there are none.
	Servers Servers
	// Todos returns the todo list, a line an item.
	Todos func() []string
	// Jobs are what was put in the background, oldest first; EndJob ends one of them.
	Jobs   func() []Job
	EndJob func(id int)
	// Transcript returns the conversation as Markdown.
	Transcript func(ctx context.Context) (string, error)
	// Document returns it as the JSON document that agent context reads.
	Document func(ctx context.Context) (string, error)
	// Diff returns the changes of the workspace against its last commit as a
	// unified diff.
	Diff func(ctx context.Context) (string, error)
	// Sessions lists the recorded sessions of the workspace, or all, latest used first.
	Sessions func(all bool) ([]session.Info, error)
	// DeleteSession removes a recorded session, unless it is in use.
	DeleteSession func(session.Info) error
	// SessionID is that of the session that is open, "" when none is recorded.
	SessionID func() string
	// Resume has the program go on with another session once this one is left; an error
	// says why it cannot. Nil where the program ends with its command.
	Resume func(id string) error
	// Fork has the session go on in a record of its own, and returns the ids of before and
	// now; nil where nothing is recorded.
	Fork func() (before, now string, err error)
	// Rename gives the session a title, an empty one takes it back, and Title returns it,
	// empty for none; nil where nothing is recorded.
	Rename func(title string) error
	Title  func() string
	// Keys are the screen's; without a screen there are none.
	Keys []command.Key
	// Bound are the actions that keys do, KeysFile is where a person gives them other keys.
	Bound    []command.Bound
	KeysFile string
	// Recorded is set when a session log keeps what leaves the context.
	Recorded bool
	// Workspace is the folder worked in, absolute.
	Workspace string
	Log       Log
	// Now is the clock.
	Now func() time.Time
}

// New returns the commands, in the order /help shows them. A new one is a function in a
// file and a line here. What completion asks of the endpoint in the background ends with
// ctx.
func New(ctx context.Context, d Deps) *command.Commands {
	offered := &models{ctx: ctx, ask: d.Models, settings: d.Settings, profiles: d.Profiles}
	kept := profiles{settings: d.Settings, store: d.Profiles, inShell: d.Session == nil}
	set := setter{d.Session, d.Settings, offered, kept}
	moved := &files{session: d.Session}
	return command.New(d.Callable, d.Keys,
		quitCommand(), clearCommand(d), retryCommand(d), rewindCommand(d),
		sessionsCommand(d), resumeCommand(d), renameCommand(d), forkCommand(d),
		contextCommand(d), densityCommand(d), compressCommand(d), statsCommand(d),
		setCommand(set), settingsCommand(d), profileCommand(kept), modelCommand(offered), approvalCommand(set), themeCommand(set), keysCommand(d),
		toolsCommand(d), todoCommand(d), jobsCommand(d), diffCommand(d), undoCommand(moved), redoCommand(moved), copyCommand(d), exportCommand(d),
		instructionsCommand(d), skillsCommand(d), hooksCommand(d), trustCommand(d), mcpCommand(d), initCommand(),
		debugCommand(d),
	)
}
