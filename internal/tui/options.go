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
	"agent/internal/tui/term"
)

// Driver is what the interface asks of the turn loop. Every method may be called
// from any goroutine; only Unqueue may wait.
type Driver interface {
	// Send starts a turn with what the user sends, or queues it while one runs.
	Send(message atcmd.Message)
	// Shell runs a command line the user typed after "!"; a private one, after "!!", is
	// kept from the model.
	Shell(command string, private bool)
	// Unqueue takes back the newest queued message.
	Unqueue(ctx context.Context) (atcmd.Message, bool)
	// Interrupt ends the turn in progress.
	Interrupt()
	// Answer decides the approval with this id.
	Answer(id int, decision chat.Decision)
	// Refresh asks for a StatusChanged: a command may have changed what it shows.
	Refresh()
	// CycleMode switches to the next approval mode; a StatusChanged follows.
	CycleMode()
}

// History keeps the prompts of earlier sessions.
type History interface {
	// Load returns earlier prompts, oldest first. It is called once, after the
	// first paint.
	Load() ([]atcmd.Message, error)
	// Append stores a prompt.
	Append(prompt atcmd.Message) error
}

// Files knows the files of the workspace. Its methods may be called from any goroutine.
type Files interface {
	input.Files
	// Used says that a file was sent with a message.
	Used(file string)
}

// Options are what Run needs from outside.
type Options struct {
	Driver   Driver
	Commands command.Runner
	// Files proposes files for an @. Nil proposes nothing.
	Files Files
	// Events registers the listener of the turn loop's events. The listener
	// never blocks and may be called from any goroutine, also after Run returned.
	Events func(listener func(chat.Event))
	// Plain prints lines and reads lines, without a single escape sequence: for screen
	// readers. Terminals that can do no more (TERM=dumb) get it anyway.
	Plain bool
	// Hear keeps Ctrl+C from the caller that ends the program by it, until release is called. It is
	// called where Ctrl+C is a signal: with Plain. Nil means that nobody does.
	Hear func() (release func())
	// In and Out are the terminal.
	In, Out *os.File
	// Environ is the environment as "KEY=value": TERM, COLORTERM, NO_COLOR,
	// COLORFGBG, TERM_PROGRAM, LC_TERMINAL, TMUX, PAGER, VISUAL, EDITOR and HOME are looked at.
	Environ []string
	// Greeting is printed first, a line each.
	Greeting []string
	// Earlier is shown below it: what happened before the session was resumed.
	Earlier Earlier
	// History may be nil: then prompts are remembered for this session only.
	History History
	// Branch says what is checked out there, with a * when files of it were changed; ""
	// for nothing. It is asked beside everything else, at the start and after each turn
	// and command. Nil means nothing.
	Branch func(ctx context.Context) string
	// StatusLine returns what makes a line of its own for a status; nil means none. It is
	// asked after each change of the status, and what it returns runs beside everything else.
	StatusLine func() func(ctx context.Context, status chat.Status, stats chat.Stats) (string, error)
	// Called is run beside everything else when the person is called: kind says why in a
	// word, news in a line. Nil is nothing.
	Called func(ctx context.Context, kind, news string) error
	// Found waits until it is known which model answers, and returns a line that says so;
	// "" when the greeting said it or there is none. Nil means that.
	Found func(ctx context.Context) string
	// Workspace is the folder shown in the status line.
	Workspace string
	// Clipboard puts the image on the clipboard into a file and returns its path. Nil
	// means that there is none.
	Clipboard func(ctx context.Context) (path string, err error)
	// Status is shown until the first StatusChanged.
	Status chat.Status
	// Settings returns the settings of the screen as they are now; nil means none.
	Settings func() Settings
	// Background makes jobs of the commands that run, and returns how many; nil means that
	// none can be.
	Background func() int
	// Jobs returns the commands in the background, oldest first; nil means that there are
	// none.
	Jobs func() []command.Job
	// Efforts returns the values of reasoning.effort that the model in use knows, from the
	// least; none where that is not known. Nil means that.
	Efforts func() []string
	// Ask is a question that the first message waits for; nil for none.
	Ask *command.Ask
	// Keys returns which keys do what; it is asked again after every command. Nil means
	// those of the program.
	Keys func() *keymap.Map
	// Initial is sent as the first message, if there are words in it; images alone are
	// put into the input.
	Initial atcmd.Message
	// Log gets what is known of a crash; nil keeps nothing.
	Log *slog.Logger
	// LogPath is named when the interface crashes.
	LogPath string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Settings are those of the screen.
type Settings struct {
	// Theme is one of style.Themes, "" for auto.
	Theme string
	// Links is what is linked, as internal/tui/link names it, "" for nothing.
	Links string
	// Notify is how the person is called, "" for auto.
	Notify string
	// Columns is the widest that prose gets, 0 for style.Columns.
	Columns int
	// Vim is set where the prompt has the keys of Vim.
	Vim bool
	// QuietDensity is set where nothing is said of pruning.
	QuietDensity bool
}

// set returns the settings as they are now.
func (o Options) set() Settings {
	if o.Settings == nil {
		return Settings{}
	}
	return o.Settings()
}

// env returns the value of a variable of Environ.
func (o Options) env(key string) string { return term.Lookup(o.Environ, key) }

// simpleTerminal reports a terminal that is sent nothing beyond what
// every terminal knows.
func (o Options) simpleTerminal() bool {
	name := o.env("TERM")
	return name == "linux" || name == "dumb" || name == ""
}
