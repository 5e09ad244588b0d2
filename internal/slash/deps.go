// Package slash implements the slash commands, such as /model, /density and /rewind, one file per
// subject.
//
// New builds the commands as a command.Commands, which an interface runs and completes. The
// commands reach the rest of the program only through Deps: the turn loop and
// its parts, the settings, the profile files, and a few functions for everything outside (the models of the
// endpoint, the diff of the workspace). The method Commands of app.Conversation fills in Deps.
//
// Most commands keep no state. Two types do: models remembers the list of the endpoint, and files
// remembers the plan that /undo or /redo showed.
package slash

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/provenance"
	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/manual"
	"agent/internal/settings"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// Session is the turn loop, which documents the methods, as a *chat.Chat. The methods of this and
// the next three interfaces may be called from any goroutine, also while a turn runs, and return
// soon after ctx ends.
type Session interface {
	Stats(ctx context.Context) (chat.Stats, error)
	LastReply(ctx context.Context) (string, error)
	Compress(ctx context.Context) (chat.Compressed, error)
	Clear(ctx context.Context) error
	Retry(ctx context.Context) error
	Idle(ctx context.Context) error
	Aside(ctx context.Context, question string) (answer string, err error)
	LetGo(ctx context.Context, item chat.Item) (tokens int, err error)
}

// Context shows the content of the context and the pruned content, as chat.Views.
type Context interface {
	ContextUsage(ctx context.Context) (chat.ContextUsage, error)
	Ledger(ctx context.Context) ([]chat.PruneRecord, error)
	Story(ctx context.Context) (chat.Story, error)
	NextRequest(ctx context.Context) (chat.NextRequest, error)
	HeldParts(ctx context.Context, subject string) ([]chat.HeldPart, error)
	Items(ctx context.Context) ([]chat.Item, error)
	KnownFiles(ctx context.Context) (known, pinned []string, err error)
	Pin(ctx context.Context, path string, pinned bool) (file string, err error)
}

// Past goes back, as chat.Past.
type Past interface {
	Removed(ctx context.Context, number int) (heading, text string, err error)
	BringBack(ctx context.Context, number int) (tokens int, err error)
	Points(ctx context.Context) ([]history.Point, error)
	Rewind(ctx context.Context, seq uint64, files bool) (history.Point, []snapshot.ChangedFile, error)
	PlanRewind(ctx context.Context, seq uint64) (*snapshot.Plan, error)
	PlanFiles(ctx context.Context, way snapshot.Operation) (*snapshot.Plan, error)
	MoveFiles(ctx context.Context, plan *snapshot.Plan) ([]snapshot.ChangedFile, error)
}

// Permissions holds the grants of "always", as gate.Consent.
type Permissions interface {
	Grants() []gate.Granted
	Forget(number int) ([]string, error)
}

// A Model is one model that the endpoint offers.
type Model struct {
	ID string
	// ContextLimit is the size of the context window in tokens, 0 if the endpoint does not say.
	ContextLimit int
	// Prices holds the prices of its tokens, nil if they are not known. Efforts lists the values
	// of reasoning.effort that the model is known to accept, from the least.
	Prices  *settings.Prices
	Efforts []string
	// Multiplier is how many requests of a subscription a request to it counts as, 0 if it is not
	// known.
	Multiplier float64
}

// Views holds the views that only the record and the requests can tell.
type Views struct {
	// Why traces a text or a file.
	Why func(ctx context.Context, question string) (*provenance.Answer, error)
	// CacheBreaks lists the requests that read less from the provider's cache than they could have.
	CacheBreaks func() ([]cachemiss.Miss, error)
	// Refreshes describes the requests that only kept the provider's cache, a line each.
	Refreshes func(ctx context.Context) ([]string, error)
	// Page returns the conversation as a page of HTML for other people, and what was replaced in it,
	// a line each.
	Page func(ctx context.Context) (html string, replaced []string)
}

// Log holds the path of the program's log file and its level.
type Log struct {
	Path  string
	Level *slog.LevelVar
}

// FallbackConsent lets conversations continue at the endpoint of a profile while their own fails,
// and returns its host.
type FallbackConsent interface {
	Allow(profile string) (host string, err error)
}

// Deps holds the dependencies of the commands. Running every command needs all of them; the
// profile and settings commands need only Settings, Profiles and Fallback.
type Deps struct {
	Session     Session
	Context     Context
	Past        Past
	Permissions Permissions
	Settings    *settings.Settings
	Profiles    *settings.Store
	Fallback    FallbackConsent
	Views       Views
	// Models asks the endpoint in use which models it offers.
	Models func(ctx context.Context) ([]Model, error)
	// Signature names the signer of requests to the endpoint in use, "" if nothing does. It may be nil.
	Signature func() string
	// ThemeFault returns the reason why a theme of the user's own cannot be used, nil if it can.
	// It may be nil.
	ThemeFault func(name string) error
	Choices    Choices
	// Tools lists the tools of the model.
	Tools func() []tools.Tool
	Setup Setup
	// Trust holds the things that need consent; nil if nothing does.
	Trust Trust
	// Servers holds the MCP servers of the session; nil if there are none.
	Servers Servers
	// Web searches the web and reads its pages; nil if that cannot be done here.
	Web Web
	// Todos returns the todo list, one line per item.
	Todos func() []string
	Jobs  Jobs
	// Agents holds the agents of the session.
	Agents Agents
	// Transcript returns the conversation as Markdown.
	Transcript func(ctx context.Context) (string, error)
	// Document returns the conversation as the JSON document that agent context reads.
	Document func(ctx context.Context) (string, error)
	// Diff returns the changes of the workspace against its last commit as a
	// unified diff.
	Diff func(ctx context.Context) (string, error)
	// Sessions lists the recorded sessions.
	Sessions SessionLists
	// Notes holds the notes of the repository and the user; nil if they are off.
	Notes Notes
	// Finder searches them.
	Finder Finder
	// Resume makes the program continue another session after this one is left; the error says
	// why it cannot. Resume is nil if the program ends with its command.
	Resume func(id string) error
	Record Record
	Keys   Keys
	// Recorded is set if a session log keeps the content that leaves the context.
	Recorded bool
	// Workspace is the absolute path of the folder in which the session works.
	Workspace string
	Log       Log
	// Manual returns the pages of the documentation; it is nil without any.
	Manual func() []manual.Page
	// Now returns the current time.
	Now func() time.Time
}

// Setup lists what people and the repository have set up. A nil function means that there is none.
type Setup struct {
	// Callable lists the skills and commands that are files, by name.
	Callable func() []command.Callable
	// Skills describes the skills, including the skills that were omitted, a line each.
	Skills func() []string
	// Hooks describes the hooks and their runs, a few lines each.
	Hooks func() []string
	// Instructions lists the files with instructions for the model, a line each.
	Instructions func() []string
	// LanguageServers describes the language servers that run, a line each.
	LanguageServers func() []string
}

// Choices keeps choices of the user for later sessions. A nil function keeps none.
type Choices struct {
	// Model keeps a model for the endpoint in use.
	Model func(model string) error
	// Setting keeps a setting that describes the user; an unset value takes it back.
	Setting func(key string, value settings.Value) error
}

// Record changes the record of the session. Its functions are nil if nothing is recorded.
type Record struct {
	// Fork continues the session in a new record, and returns the ids of the old and the new
	// record.
	Fork func() (before, now string, err error)
	// Rename gives the session a title, or removes the title if it is empty. Title returns the
	// title, "" for none.
	Rename func(title string) error
	Title  func() string
}

// Keys holds the keys of a screen. The zero Keys suits a program without one.
type Keys struct {
	// Shown returns the keys, for people; nil without keys.
	Shown func() []command.Key
	// Read reads File, in which a user gives actions other keys. It returns the actions with
	// their keys in force, and the faults of the file. It is nil without a screen.
	Read func() (bound []command.Bound, faults []string)
	File string
}

// New returns the commands in the order in which /help shows them. To add a command, write a
// function in a file and add a line here. more holds the commands of the program around the
// conversation. Requests to the endpoint that completion starts in the background end with ctx.
func New(ctx context.Context, d Deps, more ...command.Command) *command.Commands {
	offered := &models{Deps: d, ctx: ctx}
	kept := profiles{d}
	set := setter{d, offered, kept}
	moved := &files{past: d.Past, notes: d.Notes}
	for i := range more {
		more[i].Group = cmp.Or(more[i].Group, "Program")
	}
	all := slices.Concat(
		command.Group("Conversation",
			clearCommand(d), retryCommand(d), asideCommand(d), rewindCommand(d), undoCommand(moved), redoCommand(moved), diffCommand(d), copyCommand(d),
		),
		command.Group("Sessions",
			sessionsCommand(d), findCommand(d), resumeCommand(d), renameCommand(d), forkCommand(d), exportCommand(d), shareCommand(d),
		),
		command.Group("Model and settings",
			modelCommand(offered), approvalCommand(set), profileCommand(kept), settingsCommand(d), setCommand(set), themeCommand(set), keysCommand(d),
		),
		command.Group("Context and cost",
			contextCommand(d), densityCommand(d), whyCommand(d), compressCommand(d), statsCommand(d),
		),
		command.Group("Work",
			todoCommand(d), agentsCommand(d), jobsCommand(d), toolsCommand(d), webCommand(d), initCommand(),
		),
		command.Group("Memory",
			rememberCommand(d), notesCommand(d), forgetCommand(d), instructionsCommand(d),
		),
		command.Group("Extensions",
			mcpCommand(d), serversCommand(d), skillsCommand(d), hooksCommand(d), trustCommand(d),
		),
		more,
		command.Group("Program",
			quitCommand(),
			debugCommand(d),
			// Add a command here, or in the group that it belongs to.
		),
	)
	commands := command.New(d.Setup.Callable, d.Keys.Shown, elsewhere, all...)
	if d.Manual != nil {
		commands.Answer = func(words string) ([]string, string) { return answer(words, d, commands) }
	}
	return commands
}
