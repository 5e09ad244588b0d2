package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat/past"
	"agent/internal/chat/window"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/snapshot"
	"agent/internal/tools"
	"agent/internal/traits"
	"agent/internal/words"
)

// Config is what a Chat is made of. Everything that touches the world outside
// comes in here.
type Config struct {
	// ID distinguishes the conversation from others.
	ID string
	// Endpoint is the model server of the conversation.
	Endpoint Endpoint
	// Counter returns the token counter for a model.
	Counter func(model string) history.Counter
	Tools   *tools.Registry
	Env     *tools.Env
	// Root is the workspace folder that relative paths in calls mean.
	Root string
	// SessionRoot is that of the session, where it was begun in another folder: what
	// paths mean in entries that name no workspace (D-44).
	SessionRoot string
	History     *history.Service
	// Session is the record of the conversation, which observes History; nil where none is
	// kept.
	Session  *session.Log
	Settings *settings.Settings
	// Costs is the ledger that max-cost looks at.
	Costs *Costs
	// System renders the system prompt.
	System SystemPrompt
	// Form is how the model in use edits files.
	Form func() traits.Form
	// HeadFor names the model in use and its endpoint, for which prompt and tools are
	// made; nil for one that never changes.
	HeadFor func() string
	// CompressionPrompt is the instruction of a model that summarises (D-37).
	CompressionPrompt string
	// OtherModel connects to the model of a profile, for compression.profile. It may be
	// called on any goroutine; nil where there are no profiles.
	OtherModel func(profile string) (*OtherModel, error)
	// TranscriptPath returns the file that keeps the whole conversation, empty when none
	// does (REQ-HD-012.1). Nil is none.
	TranscriptPath func() string
	// Below returns the instructions that apply to a file, by its path as a call names it,
	// beside those of the head; nil for none.
	Below func(file string) []Nested
	// News returns what the model is to be told before the next request and was not told
	// yet; nil for nothing ever.
	News func() []history.Block
	// Refreeze has prompt and tools follow what has changed, before they are made anew: after
	// a compression, and where the conversation is cleared.
	Refreeze func()
	// KeepWaiting records the messages that wait and are not in the history yet; nil where
	// nothing keeps them. It returns when they are on disk.
	KeepWaiting func([]atcmd.Message)
	// Waited are messages that waited when the program that recorded them ended. Run gives
	// them back to the user.
	Waited []atcmd.Message
	// Expand turns what the user typed into blocks.
	Expand Expander
	// Policy is what was decided about consent before.
	gate.Policy
	// Gates are what a planned call passes besides the mode, the loop guard and consent.
	Gates []gate.Gate
	// CacheKey is the same for all requests of a session and reveals nothing about it;
	// providers find the session's prompt in their cache by it.
	CacheKey string
	// Hooks are what programs of the person say at a moment; nil where there are none. It
	// returns soon after ctx ends.
	Hooks func(ctx context.Context, m Moment) Heard
	// Begun is where the conversation begins from, for hooks; "" is anew.
	Begun string
	// Emit receives every event, in order, on the goroutine that owns the loop.
	Emit func(Event)
	// Log gets what only a developer wants to know; nil where nothing keeps it.
	Log *slog.Logger
	// Now is the clock.
	Now func() time.Time
}

// Endpoint is what the loop knows of a model server.
type Endpoint interface {
	// Provider returns the provider for the current settings; it is asked before every
	// request, so that a changed endpoint is used from the next send on.
	Provider() (llm.Provider, error)
	// ContextLimit returns what is known about a model's window, in tokens; it is asked
	// when the setting context-limit is unset.
	ContextLimit(model string) (tokens int, known bool)
	// Prices returns what is known of a model's prices, nil when nothing is.
	Prices(model string) *settings.Prices
	// Cache is what is known of the endpoint's cache for a model.
	Cache(model string) vendor.Cache
	// KeepCacheLife keeps for later sessions how long that cache was found to live.
	KeepCacheLife(model string, life time.Duration)
	// Local reports whether the endpoint is on this machine.
	Local() bool
	// Cuts reports whether it may be a server that cuts prompts off without a word.
	Cuts() bool
}

// Chat is one conversation. The goroutine that runs Run, Prompt or Resend owns it
// meanwhile; only one may at a time. Every other exported method may be called from
// any goroutine and hands its work to the owner through the inbox.
type Chat struct {
	Config

	inbox inbox
	// inquiring is held by the question of a call that is put to the person.
	inquiring chan struct{}

	// The parts, which belong to the owner but for what their exported methods do.
	*waiting
	*moments
	*modes
	*refusals
	*views
	asker   *asker
	loop    *gate.Loop
	runner  *runner
	replies *replies
	window  *window.Window
	past    *past.Past
	stats   *totals

	// The rest belongs to the owner.

	// tasks wait for the chat to be idle.
	tasks     []func(context.Context) (Outcome, error)
	interrupt context.CancelFunc
	// summarising is set while a model is asked for a summary.
	summarising bool
	saving      saving
	// toldMode is the mode that tellJobs saw last.
	toldMode  gate.Mode
	lastReply string
	// schema is what the next reply has to fit, nil for none.
	schema json.RawMessage
	// nudge is added to the next request, in the place of a message.
	nudge string
}

// New returns a chat that is idle.
func New(config Config) *Chat {
	c := &Chat{Config: config, inbox: newInbox(), inquiring: make(chan struct{}, 1)}
	c.waiting = &waiting{Config: &c.Config, inbox: c.inbox}
	c.moments = &moments{Config: &c.Config, inbox: c.inbox, add: c.add, begun: cmp.Or(config.Begun, begunNew)}
	c.modes = &modes{Config: &c.Config, consent: gate.NewConsent(&c.Policy, c.Settings)}
	c.stats = &totals{Config: &c.Config}
	c.saving = saving{Config: &c.Config}
	c.window = newWindow(c)
	c.views = &views{Config: &c.Config, inbox: c.inbox, window: c.window}
	c.refusals = &refusals{Config: &c.Config, window: c.window}
	c.past = newPast(c)
	c.asker = &asker{Config: &c.Config, inbox: c.inbox, open: map[int]chan Decision{}}
	c.loop = gate.NewLoop(&c.Policy)
	c.runner = &runner{
		Config:      &c.Config,
		inbox:       c.inbox,
		asker:       c.asker,
		consent:     c.consent,
		gates:       gate.Order(slices.Concat(c.consent.Gates(), []gate.Gate{c.loop.Gate()}, c.Gates)...),
		outputLimit: c.window.OutputLimit,
		archive:     c.archive(),
		store:       c.add,
		said:        map[string]bool{},
		instruct:    func(text string) { c.setQueue(append([]atcmd.Message{atcmd.Typed(text)}, c.queue...)) },
	}
	c.replies = &replies{Config: &c.Config, inbox: c.inbox, window: c.window, add: c.add, reported: c.countUsage}
	return c
}

// Run serves the chat until ctx ends. A turn in progress is interrupted then and
// leaves a valid history.
func (c *Chat) Run(ctx context.Context) {
	c.emitStatus()
	c.giveBackWaited()
	for {
		select {
		case <-ctx.Done():
			return
		case act := <-c.inbox:
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

// nextTask takes what the idle chat should do next: what waits for idleness, then
// what the user typed.
func (c *Chat) nextTask() func(context.Context) (Outcome, error) {
	switch {
	case len(c.tasks) > 0:
		task := c.tasks[0]
		c.tasks = c.tasks[1:]
		return task
	case len(c.queue) > 0:
		message := c.queue[0]
		c.delivering, c.queue = []atcmd.Message{message}, slices.Clone(c.queue[1:])
		return func(ctx context.Context) (Outcome, error) { return c.turn(ctx, message) }
	default:
		return nil
	}
}

// Prompt runs one turn in the calling goroutine, which owns the chat meanwhile.
// It is for programs without a screen; do not mix it with Run.
func (c *Chat) Prompt(ctx context.Context, message atcmd.Message) (Outcome, error) {
	return c.work(ctx, func(ctx context.Context) (Outcome, error) { return c.turn(ctx, message) })
}

// work runs one turn so that Interrupt can end it, and reports when it begins and
// ends.
func (c *Chat) work(ctx context.Context, turn func(context.Context) (Outcome, error)) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.interrupt, c.working = cancel, true
	c.earlierTurn()
	c.Emit(TurnStarted{})
	if len(c.queue) > 0 {
		c.setQueue(c.queue)
	}
	before, files := c.stats.Cost, c.Env.Snapshots.Mark()
	outcome, err := turn(ctx)
	c.interrupt, c.working = nil, false
	if spent := c.stats.Cost - before; spent > 0 {
		c.notice("cost: %s, the session %s", words.Dollars(spent), words.Dollars(c.stats.Cost))
	}
	c.stats.Saving = c.saved()
	c.emitStatus()
	c.Emit(TurnEnded{Outcome: outcome, Err: err, Changes: c.changedSince(ctx, files)})
	return outcome, err
}

// changesTime bounds how long the end of a turn may wait until its changed lines are counted.
const changesTime = 2 * time.Second

// changedSince returns the changes of files since a mark, of an interrupted turn too.
func (c *Chat) changedSince(ctx context.Context, mark snapshot.Mark) snapshot.Changes {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changesTime)
	defer cancel()
	return c.Env.Snapshots.Since(ctx, mark)
}

// Interrupt ends the turn in progress. Unfinished calls are answered with an
// error, so that the history stays valid. Without a turn it does nothing.
func (c *Chat) Interrupt() {
	c.inbox.post(func() {
		if c.interrupt != nil {
			c.interrupt()
		}
	})
}

// Answer decides the approval with this id; answers to settled ones are ignored.
func (c *Chat) Answer(id int, decision Decision) {
	c.inbox.post(func() { c.asker.answer(id, decision) })
}
