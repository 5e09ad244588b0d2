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
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// Session is the conversation as the commands need it; the turn loop is one, and says at
// its methods what they do. They may be called from any goroutine, also while a turn runs,
// and return soon after ctx ends.
type Session interface {
	ContextUsage(ctx context.Context) (chat.ContextUsage, error)
	Stats(ctx context.Context) (chat.Stats, error)
	LastReply(ctx context.Context) (string, error)
	Compress(ctx context.Context) (chat.Compressed, error)
	Clear(ctx context.Context) error
	Retry(ctx context.Context) error
	Idle(ctx context.Context) error

	Ledger(ctx context.Context) ([]chat.PruneRecord, error)
	Story(ctx context.Context) (chat.Story, error)
	Upcoming(ctx context.Context) (chat.Upcoming, error)
	Held(ctx context.Context, subject string) ([]chat.Held, error)
	Items(ctx context.Context) ([]chat.Item, error)
	LetGo(ctx context.Context, item chat.Item) (tokens int, err error)
	Removed(ctx context.Context, number int) (heading, text string, err error)
	BringBack(ctx context.Context, number int) (tokens int, err error)
	KnownFiles(ctx context.Context) (known, pinned []string, err error)
	Pin(ctx context.Context, path string, pinned bool) (file string, err error)

	Grants(ctx context.Context) ([]gate.Granted, error)
	ForgetGrant(ctx context.Context, number int) ([]string, error)

	Points(ctx context.Context) ([]history.Point, error)
	Rewind(ctx context.Context, seq uint64, files bool) (history.Point, []snapshot.Changed, error)
	PlanRewind(ctx context.Context, seq uint64) (*snapshot.Plan, error)
	PlanFiles(ctx context.Context, way snapshot.Way) (*snapshot.Plan, error)
	MoveFiles(ctx context.Context, plan *snapshot.Plan) ([]snapshot.Changed, error)
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
	// Chosen remembers a model for the endpoint in use; nil remembers none.
	Chosen func(model string) error
	// Tools lists what the model can do.
	Tools func() []tools.Tool
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
	Jobs   func() []command.Job
	EndJob func(id int)
	// Transcript returns the conversation as Markdown.
	Transcript func(ctx context.Context) (string, error)
	// Document returns it as the JSON document that agent context reads.
	Document func(ctx context.Context) (string, error)
	// Diff returns the changes of the workspace against its last commit as a
	// unified diff.
	Diff func(ctx context.Context) (string, error)
	// Sessions are the recorded sessions.
	Sessions SessionLists
	// Resume makes the program resume another session once this one is left; an error says
	// why it cannot. Nil where the program ends with its command.
	Resume func(id string) error
	// Fork continues the session in a new record, and returns the ids of before and
	// now; nil where nothing is recorded.
	Fork func() (before, now string, err error)
	// Rename gives the session a title, an empty one takes it back, and Title returns it,
	// empty for none; nil where nothing is recorded.
	Rename func(title string) error
	Title  func() string
	// Keys returns the screen's; nil without a screen.
	Keys func() []command.Key
	// ReadKeys reads KeysFile, where a person gives actions other keys, and returns the
	// actions with their keys, and what is wrong with the file; nil without a screen.
	ReadKeys func() (bound []command.Bound, faults []string)
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
// file and a line here. More are those of the program around the conversation. What completion
// asks of the endpoint in the background ends with ctx.
func New(ctx context.Context, d Deps, more ...command.Command) *command.Commands {
	offered := &models{Deps: d, ctx: ctx}
	kept := profiles{d}
	set := setter{d, offered, kept}
	moved := &files{session: d.Session}
	all := []command.Command{
		quitCommand(), clearCommand(d), retryCommand(d), rewindCommand(d),
		sessionsCommand(d), resumeCommand(d), renameCommand(d), forkCommand(d),
		contextCommand(d), densityCommand(d), compressCommand(d), statsCommand(d),
		setCommand(set), settingsCommand(d), profileCommand(kept), modelCommand(offered), approvalCommand(set), themeCommand(set), keysCommand(d),
		toolsCommand(d), todoCommand(d), jobsCommand(d), diffCommand(d), undoCommand(moved), redoCommand(moved), copyCommand(d), exportCommand(d),
		instructionsCommand(d), skillsCommand(d), hooksCommand(d), trustCommand(d), mcpCommand(d), initCommand(),
		debugCommand(d),
	}
	return command.New(d.Callable, d.Keys, elsewhere, append(all, more...)...)
}
