// Package screen runs a conversation on the terminal. It connects the conversation to the
// interface of package tui, and adds the greeting, the history of prompts and the goodbye.
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
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/frontend/clients"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/base/fsutil"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/extend/setup/consent"
	"agent/internal/picture"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tui"
	"agent/internal/tui/keymap"
)

// settleAfter is the time after which memory that only the start needed, such as the text of the
// vocabulary, is returned to the system. Nothing else is waiting by then.
const settleAfter = time.Second

// Options holds the dependencies of a screen, besides the conversation.
type Options struct {
	Process *app.Process
	// Open creates the conversation, which sends its events to events.
	Open func(ctx context.Context, events func(chat.Event)) (*app.Conversation, error)
	// In and Out are the terminal. Text writes lines of text to Out.
	In, Out *os.File
	Text    io.Writer
	// NotifySignals keeps Ctrl+C from ending the program until release is called.
	NotifySignals func() (release func())
	// Plain is set if the interface only prints and reads lines.
	Plain bool
	// Scratch is set if the record is deleted when the program ends.
	Scratch bool
	// Commands returns slash commands for a conversation. It may be nil.
	Commands func(c *app.Conversation) []command.Command
	// BoardCommand is the slash command that shows the board of all sessions, or "" for none.
	BoardCommand string
	// Settled is called once, in a separate goroutine, some time after the prompt is shown. It may be nil.
	Settled func(ctx context.Context, c *app.Conversation)
	// Initial is sent immediately, unless it is empty.
	Initial atcmd.Message
}

// Run runs the screen and the turn loop until the user leaves the session. It returns the id of the session
// to resume next, or "" for none. The error is tui.ErrTerminated if the terminal was closed.
func Run(ctx context.Context, o Options) (next string, err error) {
	sums, listening := &tally{}, make(chan struct{})
	host := &clients.Host{}
	leaver := &leaver{host: host}
	var listener func(chat.Event)
	c, err := o.Open(ctx, func(e chat.Event) {
		sums.take(e)
		host.AddEvent(e)
		select {
		case <-listening:
			if !leaver.left.Load() {
				listener(e)
			}
		default: // the screen does not exist yet, and needs no earlier events
		}
	})
	if err != nil {
		return "", err
	}
	defer c.Close()
	ctx, end := c.ServeScreen(ctx, listening)
	if err := host.Open(ctx, c, o.Process.Now, clients.Options{Steered: true}); err != nil {
		c.Notices = append(c.Notices, "Other terminals can't reach this session: "+err.Error())
	}
	defer host.Close()
	defer func() { _ = end() }() // end the screen after an error
	settled := time.AfterFunc(settleAfter, func() {
		if o.Settled != nil {
			o.Settled(ctx, c)
		}
		debug.FreeOSMemory()
	})
	defer settled.Stop()
	screen, err := screenOptions(ctx, o, c, leaver, &next)
	if err != nil {
		return "", err
	}
	screen.Events = func(l func(chat.Event)) { listener = l; close(listening) }
	err = tui.Run(ctx, screen)
	switch {
	case err == nil && leaver.left.Load():
		leaver.wait(ctx, o, c)
	case !o.Scratch:
		sayGoodbye(ctx, o.Text, c, sums)
	}
	if defect := end(); defect != nil {
		return "", defect
	}
	return next, err
}

// screenOptions returns the options of the screen for a conversation. A slash command that leaves
// the session stores the id of the session to resume in next.
func screenOptions(ctx context.Context, o Options, c *app.Conversation, leaver *leaver, next *string) (tui.Options, error) {
	folders, err := o.Process.Folders()
	if err != nil {
		return tui.Options{}, err
	}
	log, err := o.Process.Log()
	if err != nil {
		return tui.Options{}, err
	}
	files := atcmd.NewCompleter(ctx, c.Root(), o.Process.Now)
	files.Others = c.Servers.Resources
	shown := app.Screen{Resume: func(id string) { *next = id }}
	shown.Keys.Shown = tui.PlainKeys
	if o.Commands != nil {
		shown.Commands = o.Commands(c)
	}
	shown.Commands = append(shown.Commands, leaver.command())
	bound, faults := &boundKeys{}, []string(nil)
	if !o.Plain && o.Process.Env("TERM") != "dumb" {
		bound.path = filepath.Join(folders.Config, "keys.json")
		_, faults = bound.read()
		shown.Keys.Shown = func() []command.Key { return tui.Keys(bound.inForce()) }
		shown.Keys.Read, shown.Keys.File = bound.read, bound.path
	}
	var history tui.History // prompts typed in a demo are not stored
	if !o.Scratch {
		history = &promptHistory{file: session.Prompts{Path: filepath.Join(folders.Config, "history")}}
	}
	return tui.Options{
		Driver:        c.Chat,
		Commands:      c.Commands(ctx, c.Chat, shown),
		Files:         files,
		Pressed:       c.Chat.Warming.CancelRefresh,
		Plain:         o.Plain,
		Palettes:      o.Process.Palettes(),
		In:            o.In,
		Out:           o.Out,
		Environ:       o.Process.Environ,
		Greeting:      slices.Concat([]string{banner(o.Process, c)}, c.Notices, faults, themeFault(o.Process, c.Settings())),
		Earlier:       earlierOf(c.Recorded, c.Tools()),
		History:       history,
		NotifySignals: o.NotifySignals,
		Branch:        func(ctx context.Context) string { return branchNow(ctx, c.Root()) },
		Programs:      c.Programs,
		Estimate:      estimator(c),
		Found:         lateModel(c.Settings(), c.Connection),
		Workspace:     c.Root(),
		Title:         c.Title,
		Status:        chat.Status{Model: settings.Model.Value(c.Settings()), Mode: c.Chat.Consent().Mode()},
		Settings:      func() tui.Settings { return shownSettings(c.Settings()) },
		Jobs:          c,
		Efforts:       func() []string { return c.Connection.ReasoningEfforts(settings.Model.Value(c.Settings())) },
		Clipboard:     clipboard(o.Process.Environ, c.TempDir()),
		Keys:          bound.inForce,
		Ask:           askTrust(c.Trust),
		BoardCommand:  o.BoardCommand,
		Initial:       o.Initial,
		Log:           log.Logger,
		LogPath:       log.Path,
		Now:           o.Process.Now,
	}, nil
}

func shownSettings(s *settings.Settings) tui.Settings {
	return tui.Settings{
		Theme: settings.Theme.Value(s), Links: settings.Links.Value(s), Notify: settings.Notify.Value(s),
		Columns: settings.Columns.Value(s), Vim: settings.Keys.Value(s) == "vim", QuietDensity: settings.NoticeDensity.Value(s) == "off",
	}
}

// typingPause is the time before the files of a message are read for its estimate, so that not every
// keystroke reads them.
const typingPause = 300 * time.Millisecond

// estimator returns the function that makes the line with the estimated cost of a message. It returns nil
// if the settings disable the estimate.
func estimator(c *app.Conversation) func() func(context.Context, string) string {
	return func() func(context.Context, string) string {
		if !settings.Estimate.Value(c.Settings()) {
			return nil
		}
		return func(ctx context.Context, typed string) string {
			if strings.Contains(typed, "@") {
				select {
				case <-time.After(typingPause):
				case <-ctx.Done():
					return ""
				}
			}
			e, known, err := chat.EstimateMessage(ctx, c.Chat, c.Brought.Foresee(ctx, typed))
			if err != nil || !known {
				return ""
			}
			return e.String()
		}
	}
}

// boundKeys holds the current keys: the default keys with the changes of the file at path. A later version
// of the file with errors has no effect.
type boundKeys struct {
	path string
	now  atomic.Pointer[keymap.Map]
}

func (b *boundKeys) inForce() *keymap.Map {
	b.now.CompareAndSwap(nil, keymap.Default())
	return b.now.Load()
}

// read reads the file again. A file with errors changes nothing.
func (b *boundKeys) read() (bound []command.KeyBinding, faults []string) {
	fresh, faults := keymap.Read(b.path)
	if len(faults) == 0 {
		b.now.Store(fresh)
	}
	return tui.KeyBindings(b.inForce()), faults
}

// askTrust returns the question about the items that wait for consent, or nil if there are none.
func askTrust(t *consent.Trust) *command.Question {
	waiting, err := t.WaitingItems()
	if len(waiting) == 0 {
		return nil
	}
	ask := &command.Question{
		Title:     consent.Title(waiting),
		YesEffect: "yes, use these", YesCommand: "/trust yes",
		NoEffect: "not now", NoLine: t.UnansweredLine(),
		NeverEffect: "never use these", NeverCommand: "/trust no",
	}
	for _, part := range t.Parts(waiting) {
		ask.Parts = append(ask.Parts, command.QuestionPart{Title: part.Title, Lines: part.Lines})
	}
	if err != nil {
		ask.Parts = append(ask.Parts, command.QuestionPart{Title: err.Error()})
	}
	return ask
}

// clipboard returns a function that saves the image on the clipboard of the desktop to a new file in
// folder. folder is "" if there is no folder for files.
func clipboard(environ []string, folder string) func(context.Context) (string, error) {
	var taken atomic.Int64
	return func(ctx context.Context) (path string, err error) {
		image, err := picture.Clipboard(ctx, environ)
		if err != nil {
			return "", err
		}
		if folder == "" {
			return "", errors.New("can't store the image: there is no temporary folder")
		}
		path = filepath.Join(folder, fmt.Sprintf("clipboard-%d.png", taken.Add(1)))
		if err := fsutil.CreateNew(path, image, 0o600); err != nil {
			return "", fmt.Errorf("can't store the image in %s: %w", folder, fsutil.Reason(err))
		}
		return path, nil
	}
}

// themeFault returns a line about the current theme of the user, if it cannot be used.
func themeFault(p *app.Process, s *settings.Settings) []string {
	if err := p.CheckTheme(settings.Theme.Value(s)); err != nil {
		return []string{err.Error()}
	}
	return nil
}
