package chat

import (
	"cmp"
	"slices"

	"agent/internal/atcmd"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/rewind"
	"agent/internal/chat/window"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/todo"
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
	c.asker = &asker{inbox: in, emit: emit, open: map[int]openQuestion{}, relay: config.AsSubagent.asked(), unattended: config.Policy.Unattended}
	if c.asker.others = c.asker.settleMoot; config.AsSubagent != nil {
		c.asker.others = config.AsSubagent.settleOthers
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
		inbox: in, emit: emit, now: now, tools: config.Tools, settings: config.Settings, window: c.window, reported: c.countUsage, searched: c.stats.countSearches,
		add: func(reply *history.Content) error { return c.add(c.stats.stamp(cache.stamp(reply))) },
	}
	c.Views = &Views{inbox: in, window: c.window, endpoint: config.Endpoint, settings: config.Settings}
	c.Past = &Rewinder{
		emit: emit, views: c.Views, whenAlone: c.whenAlone, rewound: c.applyRewind,
		past: &rewind.Rewinder{
			Session: config.Session, History: config.History, Window: c.window, Tools: config.Tools, Env: config.Env,
			Folder: c.config.windowRoot(), Add: c.add, Now: now, Answers: config.Answers,
		},
	}
	c.Warming = &Warming{line: c.Handle, config: &c.config, waiting: c.waiting, window: c.window}
	consent := c.Agents.consent
	c.modes = &modes{history: config.History, consent: consent}
	c.loop = gate.NewLoopDetector(&c.config.Policy)
	c.runner = &runner{
		inbox: in, emit: emit, now: now, tools: config.Tools, env: config.Env, settings: config.Settings, history: config.History,
		asker: c.asker, within: config.AsSubagent, below: config.Extensions.Below,
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

// agents returns c.Agents, or a new SubagentHost if it is nil. A subagent shares the permissions, the lock and
// the counter of its parent.
func (c *Config) agents() *SubagentHost {
	switch in := c.AsSubagent; {
	case c.Agents != nil:
		return c.Agents
	case in != nil:
		return &SubagentHost{line: NewHandle(), consent: in.Parent.consent.ForAgent(in.Only), spent: in.Parent.spent, writing: in.Parent.writing}
	}
	return NewSubagentHost(NewHandle(), gate.NewConsent(&c.Policy, c.Settings))
}

func newWindow(c *Chat) *window.Window {
	return window.New(window.Config{
		History:  c.config.History,
		Settings: c.config.Settings,
		MakeHead: func(lean bool, fits func(window.Head) bool) window.Head {
			return NewHeadMaker(c.config.Tools, c.config.Form(), settings.Tools.Value(c.config.Settings) == settings.AllTools, c.config.System)(lean, fits)
		},
		Models: models{&c.config},
		Facts:  c.config.Tools.Traits,
		Files:  c.config.files(),
		Root:   c.config.windowRoot(),
		Now:    c.config.Now,
		Log:    c.config.Log,
		OnStep: c.emitStep,

		Summarizer:     c.summarizer,
		Beside:         c.serveWhile,
		Moments:        compactions{c.moments, c.config.Extensions.Refreeze},
		TranscriptPath: c.config.TranscriptPath,
		Todos:          func() todo.List { return c.config.Env.Todos.List() },
	})
}

// Resume returns a chat that continues a recorded conversation.
func Resume(config Config, restored session.State) (*Chat, error) {
	c := New(config)
	if err := c.Past.past.Resume(restored); err != nil {
		return nil, err
	}
	c.restoreReply(restored)
	return c, nil
}

// restoreReply restores the last reply and the saving by pruning from the session log.
func (c *Chat) restoreReply(restored session.State) {
	c.lastReply, c.stats.Saving = restored.Reply, c.saved()
	c.stats.cache.resume(restored)
}

// applyRewind applies the state of an earlier point, and returns its message to the prompt.
func (c *Chat) applyRewind(point history.Point, restored session.State) {
	c.restoreReply(restored)
	c.stats.cache.watch.Reset() // the next request goes to another endpoint
	c.refusals.sent = nil
	c.Agents.dropReports(point.At)
	if point.Message != nil {
		c.emit(MessageReturned{Message: atcmd.MessageOf(point.Message)})
	}
	c.emitStatus()
}
