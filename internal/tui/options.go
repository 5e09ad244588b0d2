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

// Driver is the part of the turn loop that the interface uses. Every method may be called from any
// goroutine. Only Unqueue may block.
type Driver interface {
	// Send starts a turn with the user's message, or queues the message while a turn runs.
	Send(message atcmd.Message)
	// Shell runs a command line that the user typed after "!". A private command, typed after "!!", is not
	// shown to the model.
	Shell(command string, private bool)
	// Unqueue removes the newest queued message and returns it.
	Unqueue(ctx context.Context) (atcmd.Message, bool)
	// Interrupt ends the turn in progress.
	Interrupt()
	// EndAside cancels the side question.
	EndAside()
	// Answer decides the approval with this id.
	Answer(id int, decision chat.Decision)
	// Refresh requests a StatusChanged, because a command may have changed the status.
	Refresh()
	// CycleMode switches to the next approval mode. A StatusChanged follows.
	CycleMode()
}

// History stores the prompts of earlier sessions.
type History interface {
	// Load returns the prompts of earlier sessions, oldest first. It is called once, after the first paint.
	Load() ([]atcmd.Message, error)
	// Add stores a prompt in memory. Write writes the prompts that are not in the file yet.
	Add(prompt atcmd.Message)
	Write() error
}

// Files provides the files of the workspace. Its methods may be called from any goroutine.
type Files interface {
	input.Files
	// MarkUsed records that a file was sent with a message.
	MarkUsed(file string)
}

// Programs runs the programs that the user has configured in the settings.
type Programs interface {
	// StatusLine returns a function that formats the user's own status line, or nil for none. StatusLine is
	// called after each change of the status, and the function runs concurrently.
	StatusLine() func(ctx context.Context, status chat.Status, stats chat.Stats) (string, error)
	// NotifyUser is run concurrently to notify the user. kind is the reason in one word, and news in one
	// line.
	NotifyUser(ctx context.Context, kind, news string) error
}

// Jobs provides the commands and subagents in the background.
type Jobs interface {
	// Background moves the command or the subagent of a call into the background. It reports whether the
	// call has one.
	Background(call int) bool
	// Jobs returns the commands in the background, oldest first.
	Jobs() []command.Job
}

// Options holds the dependencies and settings of Run.
type Options struct {
	Driver   Driver
	Commands command.Runner
	// Files proposes files for an @. If it is nil, there are no proposals.
	Files Files
	// Events registers the listener of the turn loop's events. The listener never blocks. It may be called
	// from any goroutine, also after Run has returned.
	Events func(listener func(chat.Event))
	// Plain makes the interface print and read lines, without escape sequences, for screen readers.
	// Terminals with TERM=dumb always use this mode.
	Plain bool
	// NotifySignals prevents Ctrl+C from ending the program until release is called. Run calls it in plain
	// mode, where Ctrl+C is a signal. If it is nil, no caller reacts to Ctrl+C.
	NotifySignals func() (release func())
	// Palettes holds the user's own themes.
	Palettes []style.Palette
	// In and Out are the terminal.
	In, Out *os.File
	// Environ is the environment as "KEY=value". The interface reads TERM, COLORTERM, NO_COLOR,
	// COLORFGBG, TERM_PROGRAM, LC_TERMINAL, TMUX, PAGER, VISUAL, EDITOR and HOME.
	Environ []string
	// Greeting is printed first, one item per line.
	Greeting []string
	// Earlier is the conversation before the session was resumed; it is shown below the greeting.
	Earlier EarlierConversation
	// Pressed is called for every key. It may be nil. It must return immediately.
	Pressed func()
	// History stores prompts for later sessions. If it is nil, prompts are kept for this session only.
	History History
	// Branch returns the branch that is checked out in the workspace, or "" for none. A * follows if files
	// have changed. It is called concurrently, at the start and after each turn and command. It may be nil.
	Branch func(ctx context.Context) string
	// Programs runs the user's own programs. It is nil if there are none.
	Programs Programs
	// Estimate returns a function that returns a line with the estimated cost of a message, or nil for
	// none. The function runs concurrently. It returns "" if the cost is not known.
	Estimate func() func(ctx context.Context, typed string) string
	// Found waits until the model of the server is known, and returns a line with its name. It returns ""
	// if the greeting contains the name, or if no model was found. It is nil if the greeting contains the
	// name.
	Found func(ctx context.Context) string
	// Title returns the title that the user gave the session, or "". It may be nil.
	Title func() string
	// Workspace is the folder shown in the status line.
	Workspace string
	// Clipboard writes the image on the clipboard to a file and returns its path. It is nil if the
	// clipboard cannot be read.
	Clipboard func(ctx context.Context) (path string, err error)
	// Status is shown until the first StatusChanged.
	Status chat.Status
	// Settings returns the current settings of the screen. If it is nil, the zero Settings apply.
	Settings func() Settings
	// Jobs provides the work in the background. It is nil if there can be none.
	Jobs Jobs
	// Efforts returns the values of reasoning.effort that the current model supports, lowest first. It
	// returns none if they are unknown. It may be nil.
	Efforts func() []string
	// Ask is a question that must be answered before the first message is sent, or nil for none.
	Ask *command.Question
	// Keys returns the table of keys. It is called again after every command. If it is nil, the default
	// keys apply.
	Keys func() *keymap.Map
	// Attached is set if the session continues without this screen. Leaving the screen then answers no
	// question.
	Attached bool
	// BoardCommand is the command line that shows the board of all sessions, or "" for none.
	BoardCommand string
	// Initial is sent as the first message if it contains words. If it contains only images, they are
	// inserted into the input.
	Initial atcmd.Message
	// Log receives the details of a crash. If it is nil, nothing is logged.
	Log *slog.Logger
	// LogPath is the path of the log, for the error message after a crash.
	LogPath string
	// Now returns the current time. If it is nil, time.Now is used.
	Now func() time.Time
}

// Settings holds the settings of the screen.
type Settings struct {
	// Theme is one of style.Themes, or "" for auto.
	Theme string
	// Links is a setting of package link, or "" for none.
	Links string
	// Notify is the method to notify the user, or "" for auto.
	Notify string
	// Columns is the largest width of prose, in columns, or 0 for style.Columns.
	Columns int
	// Vim is set if the prompt uses the keys of Vim.
	Vim bool
	// QuietDensity is set if the screen shows nothing about pruning.
	QuietDensity bool
}

func (o Options) set() Settings {
	if o.Settings == nil {
		return Settings{}
	}
	return o.Settings()
}

// environment holds the environment variables as "KEY=value".
type environment []string

func (e environment) get(key string) string { return term.Lookup(e, key) }

// simpleTerminal reports whether the terminal supports only basic escape sequences.
func (e environment) simpleTerminal() bool {
	name := e.get("TERM")
	return name == "linux" || name == "dumb" || name == ""
}
