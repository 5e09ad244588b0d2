package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"agent/internal/chat"
	"agent/internal/chat/broke"
	"agent/internal/chat/why"
	"agent/internal/command"
	"agent/internal/gitdiff"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/share"
	"agent/internal/slash"
	"agent/internal/words"
)

// Screen holds the parts of a front end that the commands need. The zero Screen suits a program
// that ends with its command.
type Screen struct {
	Keys slash.Keys
	// Resume makes the program resume the session with the id once this one is left; nil if the
	// program cannot.
	Resume func(id string)
	// Commands holds the slash commands that only this front end has.
	Commands []command.Command
}

// Commands returns the slash commands. They act on the session on, which is c or wraps c.
// Requests that they start in the background end with ctx.
func (c *Conversation) Commands(ctx context.Context, on slash.Session, screen Screen) *command.Commands {
	return slash.New(ctx, slash.Deps{
		Session:     on,
		Context:     c.Chat.Views,
		Past:        c.Chat.Past,
		Permissions: c.consent,
		Settings:    c.settings,
		Profiles:    c.profiles,
		Views: slash.Views{
			Why: func(ctx context.Context, question string) (*why.Answer, error) {
				return chat.Why(ctx, c.Chat, question)
			},
			CacheBreaks: func() ([]broke.Break, error) { return chat.CacheBreaks(c.session, c.history) },
			Page: func() (string, []string) {
				title := words.FirstLine(words.Line(firstMessage(c.history.RawHistory()), 100))
				if c.session != nil && c.session.Title() != "" {
					title = c.session.Title()
				}
				page := share.New(title, c.process.Home, c.history.RawHistory())
				return page.HTML, page.Report()
			},
		},

		ThemeFault: c.process.ThemeFault,

		Models: c.offeredModels,
		Signature: func() string {
			endpoint, _ := c.Connection.Endpoint() // without an endpoint nothing is signed
			return endpoint.Signature()
		},
		Chosen: c.rememberModel,
		Tools:  c.registry.All,
		Setup: slash.Setup{
			Callable: c.Brought.Callable, Skills: c.Brought.SkillLines, Hooks: c.Hooking.Lines, Instructions: c.Brought.InstructionLines,
		},
		Trust:   c.Trust,
		Servers: c.Servers,
		Web:     webForPerson{c},
		Todos:   func() []string { return c.env.Todos.List().Lines() },
		Jobs: slash.Jobs{List: c.Jobs, End: func(id int) {
			if job, err := c.env.Jobs.Find(id); err == nil {
				job.Kill(context.Background())
			}
		}},
		Agents:     c,
		Transcript: func(context.Context) (string, error) { return history.Transcript(c.history.RawHistory()), nil },
		Document: func(context.Context) (string, error) { // in the form that the command agent context reads
			text, err := history.WriteDocument(c.workspace.Root(), c.history.RawHistory())
			return string(text), err
		},
		Diff:      func(ctx context.Context) (string, error) { return gitdiff.Workspace(ctx, c.workspace.Root()) },
		Sessions:  c.lists(),
		Notes:     c.notes.commands(),
		Finder:    c.folders.Finder(c.workspace.Root(), c.process.Now),
		Resume:    c.resumer(screen.Resume),
		Record:    slash.Record{Fork: c.forker(), Rename: c.renamer(), Title: func() string { return c.session.Title() }},
		Keys:      screen.Keys,
		Recorded:  c.session != nil,
		Workspace: c.workspace.Root(),
		Log:       slash.Log{Path: c.process.log.Path, Level: c.process.log.Level},
		Now:       c.process.Now,
	}, slices.Concat(c.process.Commands, screen.Commands)...)
}

// Background puts the agent or the command of a call, for which the turn waits, into the
// background. It reports whether the call has one.
func (c *Conversation) Background(call int) bool {
	return c.crew.team.Behind(call) || c.env.Jobs.Background(call)
}

// Jobs lists the background jobs, running and ended, oldest first.
func (c *Conversation) Jobs() (jobs []command.Job) {
	for _, job := range c.env.Jobs.List() {
		jobs = append(jobs, command.Job{ID: job.ID, Command: job.Command.Line, Live: job})
	}
	return jobs
}

func (c *Conversation) offeredModels(ctx context.Context) ([]slash.Model, error) {
	listed, err := c.Connection.Models(ctx)
	if err != nil {
		return nil, err
	}
	models := make([]slash.Model, len(listed))
	for i, m := range listed {
		models[i] = slash.Model{ID: m.ID, ContextLimit: m.ContextLimit, Prices: c.Connection.Prices(m.ID), Efforts: c.Connection.Efforts(m.ID), Multiplier: m.Multiplier}
	}
	return models, nil
}

// lists returns the lists of recorded sessions, which may include this session.
func (c *ground) lists() slash.SessionLists {
	lists := c.folders.SessionLists(c.workspace.Root(), c.process.Now)
	others := lists.Rename
	lists.InUse = c.SessionID
	lists.Rename = func(info session.Info, title string) error {
		if c.session != nil && info.ID == c.SessionID() {
			return c.session.Rename(title)
		}
		return others(info, title)
	}
	return lists
}

// resumer returns a function that finds a session by a name, checks it and passes its id to next,
// which resumes the session. resumer returns nil if next is nil.
func (c *ground) resumer(next func(id string)) func(name string) error {
	if next == nil {
		return nil
	}
	return func(name string) error {
		info, err := c.folders.NamedSession(c.workspace.Root(), name)
		switch {
		case err != nil:
			return err
		case info.ID == c.SessionID():
			return errors.New("this is that session")
		}
		if err := session.Available(info.Path); err != nil {
			return err
		}
		next(info.ID)
		return nil
	}
}

// forker returns a function that continues the session in a new record, together with the kept
// contents of files. forker returns nil if nothing is recorded.
func (c *Conversation) forker() func() (before, now string, err error) {
	if c.session == nil {
		return nil
	}
	return func() (before, now string, err error) {
		before = c.session.ID()
		now, err = c.session.Fork(c.sessionOptions(), func(id string) error {
			if err := c.env.Snapshots.Fork(c.folders.SnapshotsOf(id)); err != nil {
				return fmt.Errorf("the session cannot be forked: %w; agent -r %s --fork goes on without it", err, before)
			}
			return nil
		})
		if err == nil {
			c.endGrants()
			c.Chat.SetBeginning("fork")
		}
		return before, now, err
	}
}

// renamer returns a function that gives the session a title, nil if nothing is recorded.
func (c *ground) renamer() func(title string) error {
	if c.session == nil {
		return nil
	}
	return c.session.Rename
}

// firstMessage returns the first message of the user.
func firstMessage(entries []*history.Content) string {
	for _, entry := range entries {
		if entry.IsMessage() {
			return entry.OwnText()
		}
	}
	return "conversation"
}
