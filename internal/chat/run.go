package chat

import (
	"cmp"
	"context"
	"slices"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat/cachemiss"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/snapshot"
)

// New returns an idle chat.
func New(config Config) *Chat {
	c := &Chat{config: config}
	c.Agents = c.config.agents()
	c.Handle = c.Agents.line
	c.emit, c.Handle.emitStatus = config.Emit, c.emitStatus
	in, emit, now := c.inbox, c.emit, config.Now
	c.waiting = &waiting{inbox: in, emit: emit, keep: config.KeepWaiting, left: config.Waited}
	c.moments = &moments{inbox: in, emit: emit, run: config.Hooks, add: c.add, begun: cmp.Or(config.Begun, begunNew)}
	c.asker = &asker{inbox: in, emit: emit, open: map[int]openQuestion{}, relay: config.Within.asked(), unattended: config.Policy.Unattended}
	if c.asker.others = c.asker.settleMoot; config.Within != nil {
		c.asker.others = config.Within.settleOthers
	}
	c.saving = saveCheck{emit: emit, session: config.Session}
	c.window = newWindow(c)
	c.refusals = &refusals{emit: emit, history: config.History, window: c.window}
	cache := &cacheWatch{
		emit: emit, now: now, history: config.History, settings: config.Settings, endpoint: config.Endpoint,
		window: c.window, told: map[cachemiss.Cause]bool{},
	}
	c.stats = &totals{emit: emit, settings: config.Settings, program: config.Costs, cache: cache}
	c.replies = &replies{
		inbox: in, emit: emit, now: now, tools: config.Tools, settings: config.Settings, window: c.window, reported: c.countUsage, searched: c.countSearches,
		add: func(reply *history.Content) error { return c.add(c.stats.stamp(cache.stamp(reply))) },
	}
	c.Views = &Views{inbox: in, window: c.window, endpoint: config.Endpoint, settings: config.Settings}
	c.Past = newPast(c)
	c.Warming = &Warming{line: c.Handle, config: &c.config, waiting: c.waiting, window: c.window}
	consent := c.Agents.consent
	c.modes = &modes{history: config.History, consent: consent}
	c.loop = gate.NewLoopDetector(&c.config.Policy)
	c.runner = &runner{
		inbox: in, emit: emit, now: now, tools: config.Tools, env: config.Env, settings: config.Settings, history: config.History,
		asker: c.asker, within: config.Within, below: config.Extensions.Below,
		consent:     consent,
		gates:       gate.SortGates(slices.Concat(consent.Gates(), []gate.Gate{c.loop.Gate()}, config.Gates)...),
		outputLimit: c.window.Measure.OutputLimit,
		archive:     c.Past.archive(config.Tools),
		writing:     c.Agents.writing,
		store:       c.add,
		searched:    func(n int, usd float64) { c.stats.Searches += n; c.stats.spend(usd) },
		said:        map[string]bool{},
		instruct: func(text string) {
			c.waiting.setQueue(append([]atcmd.Message{atcmd.TypedMessage(text)}, c.waiting.queue...))
		},
	}
	return c
}

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
	if c.config.Within == nil {
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
