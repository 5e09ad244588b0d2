package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"agent/docs"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/provenance"
	"agent/internal/command"
	"agent/internal/git/diff"
	"agent/internal/history"
	"agent/internal/manual"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/share"
	"agent/internal/slash"
)

// Screen holds the parts of an interface that the commands need. The zero Screen suits a program
// that ends with its command.
type Screen struct {
	Keys slash.Keys
	// Resume makes the program resume the session with the id after this session ends. It is nil if the
	// program cannot switch sessions.
	Resume func(id string)
	// Commands holds the slash commands that only this interface has.
	Commands []command.Command
}

// shared returns the recorded conversation. Without a readable record it returns the context of the model.
func (c *Conversation) shared(ctx context.Context) *share.Conversation {
	s := &share.Conversation{
		Title:  c.title(),
		Traits: c.registry.Traits, Passages: history.Passages(c.history.RawHistory()),
	}
	if log := c.parts.rec.log; log != nil {
		passages, err := log.Conversation()
		if err == nil {
			s.Passages = passages
		} else {
			c.parts.at.log.Warn("Can't read the session log. The page has only the current context.", "error", err)
		}
	}
	if stats, err := c.Chat.Stats(ctx); err == nil && stats.SessionCost() > 0 {
		s.Cost = humanize.Dollars(stats.SessionCost())
		if stats.Saving.Cost != 0 {
			s.Cost += " (" + humanize.Dollars(stats.SessionCost()+stats.Saving.Cost) + " without pruning)"
		}
	}
	return s
}

// title returns the title of the session. Without a title it returns the beginning of the first message.
func (c *Conversation) title() string {
	return cmp.Or(c.parts.rec.title(), humanize.FirstLine(humanize.Line(firstMessage(c.history.RawHistory()), 100)))
}

// Commands returns the slash commands. They act on the session on, which is c or a wrapper of c. ctx ends
// the requests that they start in the background.
func (c *Conversation) Commands(ctx context.Context, on slash.Session, screen Screen) *command.Commands {
	return slash.New(ctx, slash.Deps{
		Session:     on,
		Context:     c.Chat.Views,
		Past:        c.Chat.Past,
		Permissions: c.parts.host.Consent,
		Settings:    c.parts.at.settings,
		Profiles:    c.parts.at.profiles,
		AllowFallback: func(profile string) (string, error) {
			return c.parts.at.process.AllowFallback(c.parts.at.folders, c.parts.at.settings, profile)
		},
		Views: slash.Views{
			Why: func(ctx context.Context, question string) (*provenance.Answer, error) {
				return chat.TraceText(ctx, c.Chat, question)
			},
			CacheBreaks: func() ([]cachemiss.Miss, error) { return chat.CacheMisses(c.parts.rec.log, c.history) },
			Refreshes:   c.Chat.Warming.Lines,
			Page: func(ctx context.Context) (string, []string) {
				page := share.New(c.shared(ctx), c.parts.at.process.Home)
				return page.HTML, page.Report()
			},
		},

		ThemeFault: c.parts.at.process.CheckTheme,

		Models:    c.parts.models.offered,
		Signature: c.parts.models.signature,
		Choices:   slash.Choices{Model: c.parts.models.remember, Setting: keeper(c.parts.at.settings, c.parts.at.profiles, screen)},
		Tools:     c.registry.All,
		Setup: slash.Setup{
			Callable: c.Brought.Callable, Skills: c.Brought.SkillLines, Hooks: c.Hooking.Describe, Instructions: c.Brought.InstructionLines,
			LanguageServers: c.parts.symbols.folder.Servers,
		},
		Trust:   c.Trust,
		Servers: c.Servers,
		Web:     c.parts.web,
		Todos:   func() []string { return c.parts.host.Env.Todos.List().Lines() },
		Jobs: slash.Jobs{List: c.Jobs, End: func(id int) {
			if job, err := c.parts.host.Env.Jobs.Find(id); err == nil {
				job.Kill(context.Background())
			}
		}},
		Agents:     c.Subagents,
		Transcript: func(ctx context.Context) (string, error) { return share.Markdown(c.shared(ctx)), nil },
		Document: func(context.Context) (string, error) { // the format that the command agent context reads
			text, err := history.WriteDocument(c.parts.at.workspace.Root(), c.history.RawHistory())
			return string(text), err
		},
		Diff:      func(ctx context.Context) (string, error) { return diff.WorkspaceDiff(ctx, c.parts.at.workspace.Root()) },
		Sessions:  c.parts.rec.lists(),
		Notes:     c.parts.notes.Commands(),
		Finder:    c.parts.at.folders.Finder(c.parts.at.workspace.Root(), c.parts.at.process.Now),
		Resume:    c.parts.rec.resumer(screen.Resume),
		Record:    slash.SessionRecord{Fork: c.forker(), Rename: c.parts.rec.renamer(), Title: c.parts.rec.title},
		Keys:      screen.Keys,
		Recorded:  c.parts.rec.log != nil,
		Workspace: c.parts.at.workspace.Root(),
		Log:       slash.Log{Path: c.parts.at.process.log.Path, Level: c.parts.at.process.log.Level},
		Manual:    func() []manual.Page { return manual.Pages(docs.Files) },
		Now:       c.parts.at.process.Now,
	}, slices.Concat(c.programCommands(), screen.Commands)...)
}

func (c *Conversation) programCommands() []command.Command {
	if commands := c.parts.at.process.Commands; commands != nil {
		return commands(c)
	}
	return nil
}

// keeper returns the function that stores a choice of the user for later sessions. Without a screen it
// returns nil, because a program may have made the choice. It also returns nil for settings that exclude
// the user's own.
func keeper(s *settings.Settings, store *settings.Store, screen Screen) func(string, settings.Value) error {
	if screen.Keys.Shown == nil || !s.KeepsChoices() {
		return nil
	}
	return store.SaveChoice
}

// Background moves the subagent or the command that a call waits for into the background. It reports
// whether the call has one.
func (c *Conversation) Background(call int) bool {
	return c.Subagents.team.Background(call) || c.parts.host.Env.Jobs.Background(call)
}

// Jobs lists the background jobs, running and ended, oldest first.
func (c *Conversation) Jobs() (jobs []command.Job) {
	for _, job := range c.parts.host.Env.Jobs.List() {
		jobs = append(jobs, command.Job{ID: job.ID, Command: job.Command.Line, LiveJob: job})
	}
	return jobs
}

// lists returns the lists of recorded sessions, which may include this session.
func (r *record) lists() slash.SessionLists {
	lists := r.at.folders.SessionLists(r.at.workspace.Root(), r.at.process.Now)
	others := lists.Rename
	lists.InUse = r.SessionID
	lists.Rename = func(info session.Info, title string) error {
		if r.log != nil && info.ID == r.SessionID() {
			return r.log.Rename(title)
		}
		return others(info, title)
	}
	return lists
}

// resumer returns a function that finds and checks the session with a name, and calls next with its id.
// next resumes the session. resumer returns nil if next is nil.
func (r *record) resumer(next func(id string)) func(name string) error {
	if next == nil {
		return nil
	}
	return func(name string) error {
		info, err := r.at.folders.NamedSession(r.at.workspace.Root(), name)
		switch {
		case err != nil:
			return err
		case info.ID == r.SessionID():
			return errors.New("this session is already open")
		}
		if err := session.CheckAvailable(info.Path); err != nil {
			return err
		}
		next(info.ID)
		return nil
	}
}

// forker returns a function that continues the session in a new record, and copies the stored file
// contents. forker returns nil if nothing is recorded.
func (c *Conversation) forker() func() (before, now string, err error) {
	if c.parts.rec.log == nil {
		return nil
	}
	return func() (before, now string, err error) {
		before = c.parts.rec.log.ID()
		title := c.title()
		now, err = c.parts.rec.log.Fork(c.parts.at.sessionOptions(), func(id string) error {
			if err := c.parts.host.Env.Snapshots.Fork(c.parts.at.folders.SnapshotsOf(id)); err != nil {
				return fmt.Errorf("can't fork the session with its undo history: %w. To fork without the undo history, run: agent -r %s --fork", err, before)
			}
			return nil
		})
		if err == nil {
			err = c.parts.rec.log.Rename(forkTitle(title))
			c.parts.host.Consent.Restore(nil)
			c.parts.rec.grants(nil)
			c.Chat.SetSessionStart("fork")
		}
		return before, now, err
	}
}

// renamer returns a function that sets the title of the session, or nil if nothing is recorded.
func (r *record) renamer() func(title string) error {
	if r.log == nil {
		return nil
	}
	return r.log.Rename
}

func firstMessage(entries []*history.Content) string {
	for _, entry := range entries {
		if entry.IsMessage() {
			return entry.OwnText()
		}
	}
	return "conversation"
}
