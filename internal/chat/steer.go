package chat

import (
	"context"
	"errors"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/extend/setup/hooks"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tools"
)

// ErrBusy is returned by operations that are not possible while a turn runs.
var ErrBusy = errors.New("a turn is running; wait, or interrupt it with Esc")

// busyError is the reason why an operation is not possible now. It matches ErrBusy.
type busyError string

func (e busyError) Error() string { return string(e) }

func (busyError) Is(target error) bool { return target == ErrBusy }

// Retry sends the conversation again without a new message, after a failed request.
func (c *Chat) Retry(ctx context.Context) error {
	return c.whenIdle(ctx, func() error {
		if err := checkUnanswered(c.config.History); err != nil {
			return err
		}
		c.tasks = append(c.tasks, c.converse)
		return nil
	})
}

// checkUnanswered returns nil if the model has not answered yet. Otherwise its error is the reason why there
// is nothing to send.
func checkUnanswered(h *history.Service) error {
	entries, _ := h.Curated()
	if len(entries) == 0 {
		return errors.New("nothing to send again")
	}
	if last := entries[len(entries)-1]; last.Speaker == history.AI && last.Metadata[history.MetaInterrupted] != true {
		return errors.New("the model has answered; nothing to send again")
	}
	return nil
}

// Clear begins a new conversation. The session log of the old one stays on disk.
func (c *Chat) Clear(ctx context.Context) error {
	return c.whenAlone(ctx, func() error {
		c.moments.runHooks(ctx, HookPoint{Event: hooks.SessionEnd, About: begunClear})
		if err := c.config.History.Clear(); err != nil {
			return err
		}
		c.lastReply, c.moments.begun = "", begunClear
		c.Agents.dropReports(time.Time{})
		c.config.Extensions.Refreeze()
		c.window.Reset()
		c.stats.cache.forget()
		c.config.Env.Seen = tools.NewSeenFiles() // the model has seen no file any more
		if c.config.Env.Todos != nil {
			if err := c.config.Env.Todos.Set(nil); err != nil {
				return err
			}
		}
		c.emitStatus()
		return nil
	})
}

// SetSessionStart makes the SessionStart hooks run before the next message, with the source of the
// conversation. It may be called from any goroutine.
func (c *Chat) SetSessionStart(source string) {
	if c.config.Hooks != nil {
		c.inbox.post(func() { c.moments.begun = source })
	}
}

// PruneItem prunes the answer of an item now, even if the cache miss is expensive. It returns the number of
// pruned tokens. It returns ErrBusy while a turn runs.
func (c *Chat) PruneItem(ctx context.Context, item Item) (tokens int, err error) {
	err = c.whenIdle(ctx, func() error {
		if tokens, err = c.window.Contents.PruneItem(item); err == nil {
			c.stats.cache.let(item, tokens)
		}
		c.emitStatus()
		return err
	})
	return tokens, err
}

// CheckIdle returns nil if no turn and no agent runs. Otherwise it returns an error that matches ErrBusy.
func (c *Chat) CheckIdle(ctx context.Context) error {
	return c.whenAlone(ctx, func() error { return nil })
}

// ErrInterrupted is returned if the user ended the work early.
var ErrInterrupted = errors.New("interrupted")

// Compress compresses the context now, whatever the threshold, as a separate task, and waits for its
// end. Esc ends the task with ErrInterrupted and leaves the history unchanged.
func (c *Chat) Compress(ctx context.Context) (Compressed, error) {
	type outcome struct {
		told Compressed
		err  error
	}
	ended := make(chan outcome, 1)
	err := c.whenIdle(ctx, func() error {
		c.tasks = append(c.tasks, func(task context.Context) (Outcome, error) {
			task, cancel := context.WithCancel(task)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			done, err := c.window.Compress(task)
			if task.Err() != nil {
				err = ErrInterrupted
			}
			c.emitStatus()
			ended <- outcome{Compressed(done), err}
			return Outcome{Stop: StopDone}, nil
		})
		return nil
	})
	if err != nil {
		return Compressed{}, err
	}
	select {
	case o := <-ended:
		return o.told, o.err
	case <-ctx.Done():
		return Compressed{}, ctx.Err()
	}
}

// CycleMode switches to the next approval mode.
func (c *Chat) CycleMode() {
	c.inbox.post(func() {
		set := c.config.Settings
		for now, next := c.modes.consent.Mode(), nextMode(c.modes.consent.Mode()); next != now; next = nextMode(next) {
			if set.Set(settings.LayerSession, settings.ApprovalMode.Key(), string(next)) == nil { // fails if the machine's policy excludes the mode
				break
			}
		}
		c.emitStatus()
	})
}

// whenAlone does the same as whenIdle, and also refuses the change while agents run. Agents in the
// background depend on the calls that started them, and on the files of the turn that their writes
// belong to.
func (c *Chat) whenAlone(ctx context.Context, change func() error) error {
	return c.whenIdle(ctx, func() error {
		if n := c.config.runningAgents(); n > 0 {
			return busyError("background work is still running (" + humanize.Count(n, "subagent") + "); wait, or stop it with /agents stop all")
		}
		return change()
	})
}

// whenIdle runs a change on the owner, or refuses it while a turn runs.
func (c *Chat) whenIdle(ctx context.Context, change func() error) error {
	_, err := try(ctx, c.inbox, func() (struct{}, error) {
		switch {
		case c.summarizing:
			return struct{}{}, busyError("the conversation is being summarized; wait, or interrupt it with Esc")
		case c.waiting.working:
			return struct{}{}, ErrBusy
		}
		return struct{}{}, change()
	})
	return err
}
