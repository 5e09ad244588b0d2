// Package screen runs a conversation on the terminal: what is asked of the conversation,
// and what the interface is handed of it.
package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/disk"
	"agent/internal/picture"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/tui"
	"agent/internal/tui/keymap"
)

// settleAfter is when what the start has left behind, such as the text of the
// vocabulary, is given back to the system. Nobody waits for anything then.
const settleAfter = time.Second

// Options are what a screen needs besides the conversation.
type Options struct {
	Process *app.Process
	// Open makes the conversation, which sends its events there.
	Open func(ctx context.Context, events func(chat.Envelope)) (*app.Conversation, error)
	// In and Out are the terminal; Text is Out for lines of text.
	In, Out *os.File
	Text    io.Writer
	// Hear keeps Ctrl+C from ending the program until release is called.
	Hear func() (release func())
	// Plain prints lines and reads lines, without moving anything on the screen.
	Plain bool
	// Scratch is set where the record is gone with the program.
	Scratch bool
	// Commands returns slash commands about a conversation. One that leaves it calls resume
	// with the id of the session that comes next. Nil for none.
	Commands func(c *app.Conversation, resume func(id string)) []command.Command
	// Settled is called once, on a goroutine of its own, some time after the prompt is there; nil
	// for nothing.
	Settled func(ctx context.Context, c *app.Conversation)
	// Initial is sent at once, if there is any.
	Initial atcmd.Message
}

// Run runs the screen and the turn loop until the session is left, and returns the id of
// the one to resume, "" for none. It is tui.ErrTerminated when the terminal has gone.
func Run(ctx context.Context, o Options) (next string, err error) {
	sums, listening := &tally{}, make(chan struct{})
	var listener func(chat.Event)
	c, err := o.Open(ctx, func(e chat.Envelope) {
		sums.take(e.Event)
		select {
		case <-listening:
			listener(e.Event)
		default: // nothing has happened yet that a screen would have to show
		}
	})
	if err != nil {
		return "", err
	}
	defer c.Close()
	ctx, end := c.Serve(ctx, listening)
	defer func() { _ = end() }() // after an error of the screen
	settled := time.AfterFunc(settleAfter, func() {
		if o.Settled != nil {
			o.Settled(ctx, c)
		}
		debug.FreeOSMemory()
	})
	defer settled.Stop()
	screen, err := screenOptions(ctx, o, c, &next)
	if err != nil {
		return "", err
	}
	screen.Events = func(l func(chat.Event)) { listener = l; close(listening) }
	err = tui.Run(ctx, screen)
	if !o.Scratch {
		sayGoodbye(ctx, o.Text, c, sums)
	}
	if defect := end(); defect != nil {
		return "", defect
	}
	return next, err
}

// screenOptions are what the screen needs to show a conversation. The id of the session to
// resume is put into next.
func screenOptions(ctx context.Context, o Options, c *app.Conversation, next *string) (tui.Options, error) {
	folders, err := o.Process.Folders()
	if err != nil {
		return tui.Options{}, err
	}
	log, err := o.Process.Log()
	if err != nil {
		return tui.Options{}, err
	}
	files := atcmd.NewCompleter(ctx, c.Root, o.Process.Now)
	files.Others = c.Servers.Resources
	shown := app.Screen{Keys: tui.PlainKeys, Resume: func(id string) { *next = id }}
	if o.Commands != nil {
		shown.Commands = o.Commands(c, shown.Resume)
	}
	bound, faults := &boundKeys{}, []string(nil)
	if !o.Plain && o.Process.Env("TERM") != "dumb" {
		shown.KeysFile = filepath.Join(folders.Config, "keys.json")
		bound.path = shown.KeysFile
		_, faults = bound.read()
		shown.Keys, shown.ReadKeys = func() []command.Key { return tui.Keys(bound.inForce()) }, bound.read
	}
	var history tui.History // what is typed in a demo is gone with it
	if !o.Scratch {
		history = &promptHistory{file: session.Prompts{Path: filepath.Join(folders.Config, "history")}}
	}
	return tui.Options{
		Driver:     c.Chat,
		Commands:   c.Commands(ctx, c.Chat, shown),
		Files:      files,
		Plain:      o.Plain,
		In:         o.In,
		Out:        o.Out,
		Environ:    o.Process.Environ,
		Greeting:   slices.Concat([]string{banner(o.Process, c)}, c.Notices, faults),
		Earlier:    earlierOf(c.Recorded, c.Tools),
		History:    history,
		Hear:       o.Hear,
		Branch:     func(ctx context.Context) string { return branchNow(ctx, c.Root) },
		StatusLine: c.StatusLine,
		Called:     c.Called,
		Found:      lateModel(c.Settings, c.Connection),
		Workspace:  c.Root,
		Status:     chat.Status{Model: settings.Model.Of(c.Settings), Mode: c.Mode()},
		Settings: func() tui.Settings {
			s := c.Settings
			return tui.Settings{
				Theme: settings.Theme.Of(s), Links: settings.Links.Of(s), Notify: settings.Notify.Of(s),
				Columns: settings.Columns.Of(s), Vim: settings.Keys.Of(s) == "vim", QuietDensity: settings.NoticeDensity.Of(s) == "off",
			}
		},
		Background: c.Background,
		Jobs:       c.Jobs,
		Efforts:    func() []string { return c.Connection.Efforts(settings.Model.Of(c.Settings)) },
		Clipboard:  clipboard(o.Process.Environ, c.TempDir()),
		Keys:       bound.inForce,
		Ask:        askTrust(c.Trust),
		Initial:    o.Initial,
		Log:        log.Logger,
		LogPath:    log.Path,
		Now:        o.Process.Now,
	}, nil
}

// boundKeys are the keys in force: those of the program, with what a file said otherwise when
// it was read last without a fault.
type boundKeys struct {
	path string
	now  atomic.Pointer[keymap.Map]
}

func (b *boundKeys) inForce() *keymap.Map {
	b.now.CompareAndSwap(nil, keymap.Default())
	return b.now.Load()
}

// read reads the file again. One with faults changes nothing.
func (b *boundKeys) read() (bound []command.Bound, faults []string) {
	fresh, faults := keymap.Read(b.path)
	if len(faults) == 0 {
		b.now.Store(fresh)
	}
	return tui.Bound(b.inForce()), faults
}

// askTrust is the question of a screen about what waits for an answer, nil for none.
func askTrust(t *consent.Trust) *command.Ask {
	waiting, err := t.Waiting()
	if len(waiting) == 0 {
		return nil
	}
	ask := &command.Ask{
		Title: consent.Title(waiting),
		Does:  "yes, use these", Run: "/trust yes",
		No: "not now", Left: t.Left(),
		Never: "never use these", RunNever: "/trust no",
	}
	for _, part := range t.Parts(waiting) {
		ask.Parts = append(ask.Parts, command.AskPart{Title: part.Title, Lines: part.Lines})
	}
	if err != nil {
		ask.Parts = append(ask.Parts, command.AskPart{Title: err.Error()})
	}
	return ask
}

// clipboard takes images from the clipboard of the desktop, each into a file of a folder,
// which is "" when there is no place for them.
func clipboard(environ []string, folder string) func(context.Context) (string, error) {
	var taken atomic.Int64
	return func(ctx context.Context) (path string, err error) {
		image, err := picture.Clipboard(ctx, environ)
		if err != nil {
			return "", err
		}
		if folder == "" {
			return "", errors.New("there is no temporary folder to keep it in")
		}
		path = filepath.Join(folder, fmt.Sprintf("clipboard-%d.png", taken.Add(1)))
		if err := disk.CreateNew(path, image, 0o600); err != nil {
			return "", fmt.Errorf("the image cannot be kept in %s: %w", folder, disk.Reason(err))
		}
		return path, nil
	}
}
