// Package slash implements the slash commands, such as /model, /density and /rewind, one file per subject.
//
// New builds the commands as a command.Commands, which an interface runs and completes. The commands access
// the rest of the program only through Deps. Deps holds the turn loop and its parts, the settings, the
// profile files, and functions for everything outside, such as the models of the endpoint. The method
// Commands of app.Conversation creates Deps.
//
// Two types have state: models caches the model list of the endpoint, and files stores the plan that /undo
// or /redo showed.
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

// Session is the turn loop. *chat.Chat implements it and documents the methods. The methods of Session,
// Context, Past and Permissions may be called from any goroutine, also while a turn runs. They return soon
// after ctx ends.
type Session interface {
	Stats(ctx context.Context) (chat.Stats, error)
	LastReply(ctx context.Context) (string, error)
	Compress(ctx context.Context) (chat.Compressed, error)
	Clear(ctx context.Context) error
	Retry(ctx context.Context) error
	CheckIdle(ctx context.Context) error
	AskAside(ctx context.Context, question string) (answer string, err error)
	PruneItem(ctx context.Context, item chat.Item) (tokens int, err error)
}

// Context provides the content of the context and the pruned content. chat.Views implements it.
type Context interface {
	ContextUsage(ctx context.Context) (chat.ContextUsage, error)
	Ledger(ctx context.Context) ([]chat.PruneRecord, error)
	CostComparison(ctx context.Context) (chat.CostComparison, error)
	NextRequest(ctx context.Context) (chat.NextRequest, error)
	PrunableParts(ctx context.Context, subject string) ([]chat.PrunablePart, error)
	Items(ctx context.Context) ([]chat.Item, error)
	KnownFiles(ctx context.Context) (known, pinned []string, err error)
	Pin(ctx context.Context, path string, pinned bool) (file string, err error)
}

// Rewinder returns a conversation and its files to an earlier point, and restores pruned content. chat.Rewinder
// implements it.
type Rewinder interface {
	PrunedContent(ctx context.Context, number int) (heading, text string, err error)
	RestoreContent(ctx context.Context, number int) (tokens int, err error)
	Points(ctx context.Context) ([]history.Point, error)
	Rewind(ctx context.Context, seq uint64, files bool) (history.Point, []snapshot.ChangedFile, error)
	PlanRewind(ctx context.Context, seq uint64) (*snapshot.Plan, error)
	PlanFiles(ctx context.Context, way snapshot.Operation) (*snapshot.Plan, error)
	ApplyFilePlan(ctx context.Context, plan *snapshot.Plan) ([]snapshot.ChangedFile, error)
}

// Permissions provides the permissions that the user granted for the session or permanently. gate.Consent
// implements it.
type Permissions interface {
	Grants() []gate.GrantEntry
	Revoke(number int) ([]string, error)
}

// A Model is one model that the endpoint offers.
type Model struct {
	ID string
	// ContextLimit is the size of the context window in tokens, or 0 if the endpoint does not report it.
	ContextLimit int
	// Prices holds the prices of the model's tokens, or nil if they are not known. Efforts lists the values
	// of reasoning.effort that the model is known to accept, from the lowest.
	Prices  *settings.Prices
	Efforts []string
	// Multiplier is the number of subscription requests that one request to the model costs, or 0 if it is
	// not known.
	Multiplier float64
}

// Views provides reports that need the session record and the requests.
type Views struct {
	// Why returns the provenance of a text or a file.
	Why func(ctx context.Context, question string) (*provenance.Answer, error)
	// CacheBreaks lists the requests that read less from the provider's cache than they could have.
	CacheBreaks func() ([]cachemiss.Miss, error)
	// Refreshes describes the requests that only kept the provider's cache, one per line.
	Refreshes func(ctx context.Context) ([]string, error)
	// Page returns the conversation as an HTML page for other people, and a line for each replaced secret.
	Page func(ctx context.Context) (html string, replaced []string)
}

// Log holds the path of the program's log file and its level.
type Log struct {
	Path  string
	Level *slog.LevelVar
}

// Deps holds the dependencies of the commands. To run every command, all of them are needed. The profile
// and settings commands need only Settings, Profiles and AllowFallback.
type Deps struct {
	Session     Session
	Context     Context
	Past        Rewinder
	Permissions Permissions
	Settings    *settings.Settings
	Profiles    *settings.Store
	// AllowFallback allows conversations to continue at the endpoint of a profile while their own endpoint
	// fails. It returns the host of that endpoint.
	AllowFallback func(profile string) (host string, err error)
	Views         Views
	// Models requests the list of models from the endpoint in use.
	Models func(ctx context.Context) ([]Model, error)
	// Signature returns the name of the method that signs requests to the endpoint in use, or "" for none.
	// It may be nil.
	Signature func() string
	// ThemeFault returns the reason why a user's own theme cannot be used, or nil if it can. It may be nil.
	ThemeFault func(name string) error
	Choices    Choices
	// Tools lists the tools of the model.
	Tools func() []tools.Tool
	Setup Setup
	// Trust holds the items that need consent. It is nil if there are none.
	Trust Trust
	// Servers holds the MCP servers of the session. It is nil if there are none.
	Servers Servers
	// Web searches the web and reads its pages. It is nil if that is not possible here.
	Web Web
	// Todos returns the todo list, one line per item.
	Todos func() []string
	Jobs  Jobs
	// Agents provides the subagents of the session.
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
	// Notes holds the notes of the repository and the user. It is nil if they are off.
	Notes Notes
	// Finder searches the recorded sessions.
	Finder Finder
	// Resume makes the program continue another session after this session ends. The error is the reason
	// why it cannot. Resume is nil if the program ends with its command.
	Resume func(id string) error
	Record SessionRecord
	Keys   Keys
	// Recorded is set if a session log stores the content that is removed from the context.
	Recorded bool
	// Workspace is the absolute path of the folder in which the session works.
	Workspace string
	Log       Log
	// Manual returns the pages of the documentation. It is nil if there are none.
	Manual func() []manual.Page
	// Now returns the current time.
	Now func() time.Time
}

// Setup lists the configuration of the user and the repository. A nil function means that there is none.
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

// Choices stores choices of the user for later sessions. A nil function stores none.
type Choices struct {
	// Model stores a model for the endpoint in use.
	Model func(model string) error
	// Setting stores a setting that describes the user; an unset value removes it.
	Setting func(key string, value settings.Value) error
}

// SessionRecord changes the record of the session. Its functions are nil if nothing is recorded.
type SessionRecord struct {
	// Fork continues the session in a new record, and returns the ids of the old and the new
	// record.
	Fork func() (before, now string, err error)
	// Rename sets the title of the session, or removes it if title is empty. Title returns the title, or
	// "" for none.
	Rename func(title string) error
	Title  func() string
}

// Keys describes the keys of a screen. The zero Keys is for a program without a screen.
type Keys struct {
	// Shown returns the keys, as text for people. It is nil without keys.
	Shown func() []command.Key
	// Read reads File, in which a user assigns other keys to actions. It returns the actions with their
	// current keys, and the errors in the file. It is nil without a screen.
	Read func() (bound []command.KeyBinding, faults []string)
	File string
}

// New returns the commands in the order in which /help shows them. To add a command, write a function in a
// file and add a line here. more holds the commands that the program adds. ctx ends the requests that
// completion starts in the background.
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
