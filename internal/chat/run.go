package chat

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/snapshot"
)

// Run serves the chat until ctx ends. A turn that is then in progress is interrupted, and the history
// stays valid.
func (c *Chat) Run(ctx context.Context) {
	defer c.Warming.begin(ctx, true)()
	c.emitStatus()
	c.waiting.giveBackWaited()
	for {
		select {
		case <-ctx.Done():
			return
		case act := <-c.inbox.acts:
			act()
		}
		for ctx.Err() == nil {
			task := c.nextTask()
			if task == nil {
				break
			}
			c.work(ctx, task)
		}
	}
}

// nextTask returns the next work for an idle chat: first the waiting tasks, then the queued messages.
// It returns nil if there is none.
func (c *Chat) nextTask() func(context.Context) (Outcome, error) {
	switch {
	case len(c.tasks) > 0:
		task := c.tasks[0]
		c.tasks = c.tasks[1:]
		return task
	case len(c.waiting.queue) > 0:
		message := c.waiting.queue[0]
		c.waiting.delivering, c.waiting.queue = []atcmd.Message{message}, slices.Clone(c.waiting.queue[1:])
		return func(ctx context.Context) (Outcome, error) { return c.turn(ctx, message) }
	default:
		return nil
	}
}

// Prompt runs one turn in the calling goroutine, which owns the chat until Prompt returns. It is for
// programs without a screen, and must not be combined with Run.
func (c *Chat) Prompt(ctx context.Context, message atcmd.Message) (Outcome, error) {
	return c.work(ctx, func(ctx context.Context) (Outcome, error) { return c.turn(ctx, message) })
}

// Resend does the work of Retry in the calling goroutine, as Prompt does the work of Send.
func (c *Chat) Resend(ctx context.Context) (Outcome, error) {
	if err := checkUnanswered(c.config.History); err != nil {
		return Outcome{Stop: StopFailed}, err
	}
	return c.work(ctx, c.converse)
}

// Ask sends one request for an answer in a given form. Like Prompt, it runs in the calling goroutine.
// text describes the form. schema, which may be nil, makes the server enforce it. The tools stay
// declared, because the provider's cache and some servers need them, but calls are not run.
func (c *Chat) Ask(ctx context.Context, text string, schema json.RawMessage) (Outcome, error) {
	return c.work(ctx, func(ctx context.Context) (out Outcome, err error) {
		c.window.Ledger.NextTurn()
		if err := c.add(history.New(history.Human, &history.Text{Text: text, Source: history.SourceExtension})); err != nil {
			return c.outcomeOf(ctx, out, err)
		}
		c.schema = schema
		defer func() { c.schema = nil }()
		reply, err := c.request(ctx, &out)
		if err == nil {
			err = c.runner.abandon(c.runner.newCalls(reply.understood), answerNotNow)
		}
		return c.outcomeOf(ctx, out, err)
	})
}

// work runs one turn such that Interrupt can end it, and emits its start and its end.
func (c *Chat) work(ctx context.Context, turn func(context.Context) (Outcome, error)) (Outcome, error) {
	defer c.Warming.begin(ctx, false)()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.interrupt, c.waiting.working = cancel, true
	c.Warming.userCame(false)
	c.refusals.earlierTurn()
	c.emit(TurnStarted{})
	if len(c.waiting.queue) > 0 {
		c.waiting.setQueue(c.waiting.queue)
	}
	before, files := c.stats.Stats, c.config.Env.Snapshots.Mark()
	c.stats.first = 0
	outcome, err := turn(ctx)
	c.config.endAgents(c.inbox)
	c.interrupt, c.waiting.working = nil, false
	if c.config.AsSubagent == nil {
		c.stats.turnEnded(before)
		c.stats.tellVoid(before)
		c.stats.tellCost(before)
		c.Warming.tell()
	}
	c.stats.Saving = c.saved()
	c.emitStatus()
	c.emit(TurnEnded{Outcome: outcome, Err: err, Changes: c.changedSince(ctx, files)})
	return outcome, err
}

// changesTime limits how long the end of a turn waits until changed lines are counted.
const changesTime = 2 * time.Second

// changedSince returns the changes of files since a mark. It works after an interrupt too.
func (c *Chat) changedSince(ctx context.Context, mark snapshot.Mark) snapshot.Changes {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changesTime)
	defer cancel()
	return c.config.Env.Snapshots.ChangesSince(ctx, mark)
}
