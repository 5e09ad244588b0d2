package tui

import (
	"context"
	"log/slog"
	"os"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/tui/input"
	"agent/internal/tui/keymap"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// Driver is the turn loop as the interface sees it. Every method may be called from any
// goroutine; only Unqueue may block.
type Driver interface {
	// Send starts a turn with the user's message, or queues the message while a turn runs.
	Send(message atcmd.Message)
	// Shell runs a command line that the user typed after "!". A private one, after "!!", is kept
	// from the model.
	Shell(command string, private bool)
	// Unqueue takes back the newest queued message.
	Unqueue(ctx context.Context) (atcmd.Message, bool)
	// Interrupt ends the turn in progress.
	Interrupt()
	// EndAside cancels the side question.
	EndAside()
	// Answer decides the approval with this id.
	Answer(id int, decision chat.Decision)
	// Refresh asks for a StatusChanged, because a command may have changed the status.
	Refresh()
	// CycleMode switches to the next approval mode; a StatusChanged follows.
	CycleMode()
}

// History stores the prompts of earlier sessions.
type History interface {
	// Load returns earlier prompts, oldest first. It is called once, after the
	// first paint.
	Load() ([]atcmd.Message, error)
	// Add keeps a prompt in memory, and Write writes the prompts that are not in the file yet.
	Add(prompt atcmd.Message)
	Write() error
}

// Files knows the files of the workspace. Its methods may be called from any goroutine.
type Files interface {
	input.Files
	// MarkUsed records that a file was sent with a message.
	MarkUsed(file string)
}

// Programs runs the programs that the user has named in the settings.
type Programs interface {
	// StatusLine returns a function that makes the user's own line from a status, or nil for
	// none. StatusLine is called after each change of the status, and the function runs
	// concurrently.
	StatusLine() func(ctx context.Context, status chat.Status, stats chat.Stats) (string, error)
	// NotifyUser is run concurrently when the user is called: kind is the reason in a word, news in
	// a line.
	NotifyUser(ctx context.Context, kind, news string) error
}

// Jobs knows the work in the background.
type Jobs interface {
	// Background puts the command or the agent of a call into the background, and reports whether
	// the call has one.
	Background(call int) bool
	// Jobs returns the commands in the background, oldest first.
	Jobs() []command.Job
}

// Options holds the dependencies and settings of Run.
type Options struct {
	Driver   Driver
	Commands command.Runner
	// Files proposes files for an @. Nil proposes nothing.
	Files Files
	// Events registers the listener of the turn loop's events. The listener
	// never blocks and may be called from any goroutine, also after Run returned.
	Events func(listener func(chat.Event))
	// Plain prints and reads lines, without a single escape sequence: for screen readers.
	// Terminals with TERM=dumb always get it.
	Plain bool
	// NotifySignals keeps Ctrl+C from a caller that would end the program on it, until release is called.
	// Run calls it in plain mode, where Ctrl+C is a signal. Nil means that no caller reacts to
	// Ctrl+C.
	NotifySignals func() (release func())
	// Palettes holds the user's own themes.
	Palettes []style.Palette
	// In and Out are the terminal.
	In, Out *os.File
	// Environ is the environment as "KEY=value". The interface reads TERM, COLORTERM, NO_COLOR,
	// COLORFGBG, TERM_PROGRAM, LC_TERMINAL, TMUX, PAGER, VISUAL, EDITOR and HOME.
	Environ []string
	// Greeting is printed first, a line each.
	Greeting []string
	// Earlier is the conversation before the session was resumed; it is shown below the greeting.
	Earlier Earlier
	// Pressed is called for every key; nil for nothing. It returns at once.
	Pressed func()
	// History may be nil; prompts are then remembered for this session only.
	History History
	// Branch returns the branch that is checked out in the workspace, followed by * if files have
	// changed, or "" for none. It is called concurrently, at the start and after each turn and
	// command. Nil means none.
	Branch func(ctx context.Context) string
	// Programs runs the user's own programs. Nil means that there are none.
	Programs Programs
	// Estimate returns a function that says the cost of a message in a line, or nil for none.
	// The function runs concurrently; it returns "" if that is not known.
	Estimate func() func(ctx context.Context, typed string) string
	// Found waits until the answering model is known, and returns a line that names it, or "" if
	// the greeting named it or none was found. Nil means that the greeting named it.
	Found func(ctx context.Context) string
	// Title returns the title that the user gave the session, or "". Nil means none.
	Title func() string
	// Workspace is the folder shown in the status line.
	Workspace string
	// Clipboard writes the image on the clipboard to a file and returns its path. Nil means that
	// the clipboard cannot be read.
	Clipboard func(ctx context.Context) (path string, err error)
	// Status is shown until the first StatusChanged.
	Status chat.Status
	// Settings returns the present settings of the screen. Nil means the zero Settings.
	Settings func() Settings
	// Jobs are the commands in the background. Nil means that none can exist.
	Jobs Jobs
	// Efforts returns the values of reasoning.effort that the present model knows, lowest first,
	// or none if they are unknown. Nil means that they are unknown.
	Efforts func() []string
	// Ask is a question to be answered before the first message is sent, or nil for none.
	Ask *command.Ask
	// Keys returns the table of keys; it is called again after every command. Nil means the
	// default keys of the program.
	Keys func() *keymap.Map
	// Attached is set if the session continues without this screen, so that leaving it answers no
	// question.
	Attached bool
	// Board is the command line that shows the board of all sessions, "" for none.
	Board string
	// Initial is sent as the first message if it contains words; images alone are put into the
	// input.
	Initial atcmd.Message
	// Log receives the details of a crash. Nil logs nothing.
	Log *slog.Logger
	// LogPath is the path of the log, named in the error when the interface crashes.
	LogPath string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Settings holds the settings of the screen.
type Settings struct {
	// Theme is one of style.Themes, or "" for auto.
	Theme string
	// Links is the kind of links, as internal/tui/link names it, or "" for none.
	Links string
	// Notify is the way to call the user, or "" for auto.
	Notify string
	// Columns is the greatest width of prose, in columns, or 0 for style.Columns.
	Columns int
	// Vim is set if the prompt uses the keys of Vim.
	Vim bool
	// QuietDensity is set if the screen shows nothing about pruning.
	QuietDensity bool
}

// set returns the present settings.
func (o Options) set() Settings {
	if o.Settings == nil {
		return Settings{}
	}
	return o.Settings()
}

// environment has the variables of the environment as "KEY=value".
type environment []string

// get returns the value of a variable.
func (e environment) get(key string) string { return term.Lookup(e, key) }

// simpleTerminal reports whether the terminal supports only the sequences that every terminal
// knows.
func (e environment) simpleTerminal() bool {
	name := e.get("TERM")
	return name == "linux" || name == "dumb" || name == ""
}
