package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat/broke"
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

// Config holds the dependencies of a Chat. A Chat reaches the world outside only through them.
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
	// SessionRoot is the folder in which the session began, or "" if that is Root. Paths in
	// entries that name no workspace are relative to it (D-44).
	SessionRoot string
	History     *history.Service
	// Session records the conversation and observes History; nil if no record is kept.
	Session  *session.Log
	Settings *settings.Settings
	// Costs is the ledger that max-cost limits.
	Costs *Costs
	// System renders the system prompt.
	System SystemPrompt
	// Form returns the way in which the model in use edits files.
	Form func() traits.Form
	// HeadFor names the model in use and its endpoint. The prompt and the tools are made anew
	// when the name changes. Nil means that it never changes.
	HeadFor func() string
	// CompressionPrompt instructs a model to summarise (D-37).
	CompressionPrompt string
	// OtherModel connects to the model of a profile, for compression.profile. It may be called on
	// any goroutine. Nil means that no profiles exist.
	OtherModel func(profile string) (*OtherModel, error)
	// GoesOn reports whether a request that failed is made again, because the settings name another
	// endpoint now. It may be nil.
	GoesOn func(failure error) bool
	// TranscriptPath returns the file that keeps the whole conversation, or "" if no file does
	// (REQ-HD-012.1). It may be nil.
	TranscriptPath func() string
	// Below returns the instructions that apply to a file besides the instructions in the system
	// prompt. The file is given by its path as a call names it. Nil means none.
	Below func(file string) []Nested
	// News returns messages for the model that have not been sent yet, for the next request. It
	// may be nil.
	News func() []history.Block
	// Refreeze lets the system prompt and the tools take up changes that were held back to keep
	// the cache prefix. It is called after a compression and when the conversation is cleared.
	Refreeze func()
	// KeepWaiting records the messages that wait and are not in the history yet, and returns when
	// they are on disk. It may be nil.
	KeepWaiting func([]atcmd.Message)
	// Waited holds the messages that still waited when the program that recorded them ended. Run
	// gives them back to the user.
	Waited []atcmd.Message
	// Expand turns a message of the user into blocks.
	Expand Expander
	// Policy holds the decisions about consent that were made before.
	gate.Policy
	// Gates are passed by a planned call in addition to the mode, the loop guard and consent.
	Gates []gate.Gate
	// CacheKey is the same for all requests of a session and reveals nothing about the session.
	// Providers use the key to find the session's prompt in their cache.
	CacheKey string
	// Hooks runs the person's hooks for a moment of the conversation; nil if there are none. It
	// returns soon after ctx ends.
	Hooks func(ctx context.Context, m Moment) Heard
	// Begun tells hooks where the conversation begins from; "" means a new conversation.
	Begun string
	// Unanswered returns the answer to a call that the end of the program left unanswered, "" for
	// the usual one. It may be nil.
	Unanswered func(callID string) string
	// Within is set for the conversation of an agent.
	Within *Within
	// RunningAgents returns the number of agents that run in the background. It may be nil.
	RunningAgents func() int
	// Emit receives every event, in order, on the goroutine that owns the loop.
	Emit func(Event)
	// Log receives messages for developers; nil if nobody keeps them.
	Log *slog.Logger
	// Now returns the current time.
	Now func() time.Time
}

// Endpoint describes a model server to the loop.
type Endpoint interface {
	// Provider returns the provider for the current settings. The loop calls it before every
	// request, so that a changed endpoint is used from the next send on.
	Provider() (llm.Provider, error)
	// ContextLimit returns the size of a model's window in tokens, if it is known. The loop calls
	// it when the setting context-limit is unset.
	ContextLimit(model string) (tokens int, known bool)
	// Prices returns the prices of a model, or nil if they are unknown.
	Prices(model string) *settings.Prices
	// Cache describes the endpoint's cache for a model.
	Cache(model string) vendor.Cache
	// KeepCacheLife keeps for later sessions how long the cache was found to live.
	KeepCacheLife(model string, life time.Duration)
	// Local reports whether the endpoint is on this machine.
	Local() bool
	// Cuts reports whether the endpoint may be a server that cuts off long prompts without an
	// error.
	Cuts() bool
}

// A Chat is one conversation. The goroutine that runs Run, Prompt or Resend owns it meanwhile;
// only one may at a time. Every other exported method may be called from any goroutine and hands
// its work to the owner through the inbox.
type Chat struct {
	Config

	inbox inbox
	// inquiring is a lock, held while the question of a running call is put to the person.
	inquiring chan struct{}

	// The parts. They belong to the owner, except as their exported methods say otherwise.
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

	// tasks wait until the chat is idle.
	tasks     []func(context.Context) (Outcome, error)
	interrupt context.CancelFunc
	// aside ends the question that is being answered beside the conversation; nil if none is.
	aside context.CancelCauseFunc
	// summarising is set while a model is asked for a summary.
	summarising bool
	saving      saving
	// toldMode is the mode at the latest call of tellJobs.
	toldMode  gate.Mode
	lastReply string
	// schema is the JSON Schema for the next reply, nil for none.
	schema json.RawMessage
	// reports holds the reports of agents that have not been delivered yet.
	reports []AgentReport
	// spent counts the requests of the turn. Agents share the counter of their parent.
	spent *atomic.Int64
	// nudge is a text that stands for a message of the user in the next request only.
	nudge string
}

// New returns an idle chat.
func New(config Config) *Chat {
	c := &Chat{Config: config, inbox: newInbox(), inquiring: make(chan struct{}, 1)}
	c.waiting = &waiting{Config: &c.Config, inbox: c.inbox}
	c.moments = &moments{Config: &c.Config, inbox: c.inbox, add: c.add, begun: cmp.Or(config.Begun, begunNew)}
	c.modes = &modes{Config: &c.Config, consent: gate.NewConsent(&c.Policy, c.Settings)}
	c.spent = new(atomic.Int64)
	writing := make(chan struct{}, 1)
	if in := c.Within; in != nil {
		c.modes.consent = in.Parent.consent.ForAgent(in.Only)
		c.spent, writing = in.Parent.spent, in.Parent.runner.writing
	}
	c.stats = &totals{Config: &c.Config}
	c.saving = saving{Config: &c.Config}
	c.window = newWindow(c)
	c.views = &views{Config: &c.Config, inbox: c.inbox, window: c.window}
	c.refusals = &refusals{Config: &c.Config, window: c.window}
	c.past = newPast(c)
	c.stats.cache = &cacheWatch{config: &c.Config, window: c.window, told: map[broke.Cause]bool{}}
	c.asker = &asker{Config: &c.Config, inbox: c.inbox, open: map[int]openQuestion{}, relay: c.Within.asked()}
	c.loop = gate.NewLoop(&c.Policy)
	c.runner = &runner{
		Config:      &c.Config,
		inbox:       c.inbox,
		asker:       c.asker,
		consent:     c.consent,
		gates:       gate.Order(slices.Concat(c.consent.Gates(), []gate.Gate{c.loop.Gate()}, c.Gates)...),
		outputLimit: c.window.OutputLimit,
		archive:     c.archive(),
		writing:     writing,
		store:       c.add,
		searched:    func(n int, usd float64) { c.stats.Searches += n; c.stats.spend(usd) },
		said:        map[string]bool{},
		instruct:    func(text string) { c.setQueue(append([]atcmd.Message{atcmd.Typed(text)}, c.queue...)) },
	}
	c.replies = &replies{Config: &c.Config, inbox: c.inbox, window: c.window, reported: c.countUsage, searched: c.countSearches}
	c.replies.add = func(reply *history.Content) error { return c.add(c.stats.cache.stamp(reply)) }
	return c
}

// Run serves the chat until ctx ends. If a turn is in progress then, it is interrupted and leaves
// a valid history.
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

// nextTask takes the next piece of work for an idle chat: first the tasks that wait for idleness,
// then the queued messages. It returns nil if there is none.
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

// work runs one turn so that Interrupt can end it, and reports its beginning and its end.
func (c *Chat) work(ctx context.Context, turn func(context.Context) (Outcome, error)) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.interrupt, c.working = cancel, true
	c.earlierTurn()
	c.Emit(TurnStarted{})
	if len(c.queue) > 0 {
		c.setQueue(c.queue)
	}
	before, files := c.stats.Stats, c.Env.Snapshots.Mark()
	c.stats.first = 0
	outcome, err := turn(ctx)
	c.interrupt, c.working = nil, false
	c.stats.turnEnded(before)
	if spent := c.stats.Cost - before.Cost; spent > 0 {
		c.notice("cost: %s, the session %s", words.Dollars(spent), words.Dollars(c.stats.Cost))
	}
	c.stats.Saving = c.saved()
	c.emitStatus()
	c.Emit(TurnEnded{Outcome: outcome, Err: err, Changes: c.changedSince(ctx, files)})
	return outcome, err
}

// changesTime limits how long the end of a turn waits for the count of changed lines.
const changesTime = 2 * time.Second

// changedSince returns the changes of files since a mark. It works after an interrupt too.
func (c *Chat) changedSince(ctx context.Context, mark snapshot.Mark) snapshot.Changes {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changesTime)
	defer cancel()
	return c.Env.Snapshots.Since(ctx, mark)
}

// Interrupt ends the turn in progress, and the aside. Unfinished calls are answered with an
// error, so that the history stays valid. Without a turn or an aside it does nothing.
func (c *Chat) Interrupt() {
	c.inbox.post(func() {
		if c.interrupt != nil {
			c.interrupt()
		}
	})
	c.EndAside()
}

// Answer decides the approval with this id. It ignores an id that has been decided.
func (c *Chat) Answer(id int, decision Decision) {
	c.inbox.post(func() { c.asker.answer(id, decision) })
}
