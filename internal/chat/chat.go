package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/window"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/snapshot"
	"agent/internal/tools"
	"agent/internal/toolspec"
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
	Form func() toolspec.EditFormat
	// HeadFor names the model in use and its endpoint. The prompt and the tools are made again
	// when the name changes. Nil means that it never changes.
	HeadFor func() string
	// CompressionPrompt instructs a model to summarise (D-37).
	CompressionPrompt string
	// OtherModel connects to the model of a profile, for compression.profile. It may be called on
	// any goroutine. Nil means that no profiles exist.
	OtherModel func(profile string) (*OtherModel, error)
	// FallBack reports whether a request that failed is made again, because the settings name
	// another model now. It may be nil.
	FallBack func(ctx context.Context, failed FailedRequest) bool
	// TranscriptPath returns the file that keeps the whole conversation, or "" if no file does
	// (REQ-HD-012.1). It may be nil.
	TranscriptPath func() string
	// Extensions brings in the instructions, skills and commands of people and the repository.
	Extensions Extensions
	// KeepWaiting records the messages that wait and are not in the history yet, and returns when
	// they are on disk. It may be nil.
	KeepWaiting func([]atcmd.Message)
	// Waited holds the messages that still waited when the program that recorded them ended. Run
	// gives them back to the user.
	Waited []atcmd.Message
	// Policy holds the decisions about consent that were made before.
	Policy gate.Policy
	// Agents is the side of the conversation for its agents, with the line to it; nil has one made.
	Agents *Agents
	// Gates are passed by a planned call in addition to the mode, the loop guard and consent.
	Gates []gate.Gate
	// CacheKey is the same for all requests of a session and reveals nothing about the session.
	// Providers use the key to find the session's prompt in their cache.
	CacheKey string
	// Hooks runs the user's hooks for a moment of the conversation; nil if there are none. It
	// returns soon after ctx ends.
	Hooks func(ctx context.Context, m Moment) HookResult
	// Begun tells hooks where the conversation begins from; "" means a new conversation.
	Begun string
	// Answers has the answers to calls that the end of the program left unanswered, by the ids of
	// the calls. Other calls get the usual error.
	Answers map[string]string
	// Within is set for the conversation of an agent.
	Within *SubagentOf
	// Background has the agents of the conversation that run in the background; nil if there are
	// none. They end with the turn unless KeepsAgents is set.
	Background  Background
	KeepsAgents bool
	// Emit receives every event, in order, on the goroutine that owns the loop.
	Emit func(Event)
	// Log receives messages for developers; nil if nobody keeps them.
	Log *slog.Logger
	// Now returns the current time.
	Now func() time.Time
}

// Extensions are the parts that people and the repository add to a conversation.
type Extensions struct {
	// Expand turns a message of the user into blocks.
	Expand Expander
	// Below returns the instructions that apply to a file besides the instructions in the system
	// prompt. The file is given by its path as a call names it. Nil means none.
	Below func(file string) []NestedInstructions
	// News returns messages for the model that have not been sent yet, for the next request. It
	// may be nil.
	News func() []history.Block
	// Refreeze lets the system prompt and the tools take up changes that were held back to keep
	// the cache prefix. It is called after a compression and when the conversation is cleared.
	Refreeze func()
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

// A Chat is one conversation. The goroutine that runs Run, Prompt or Resend owns it in the meantime;
// only one may at a time. Every other exported method, also of the exported parts, may be called
// from any goroutine and hands its work to the owner through the inbox.
type Chat struct {
	*Line
	// Views shows the context, Past goes back, and Agents serves the agents of the conversation.
	// Warming keeps the provider's cache warm.
	Views   *Views
	Past    *Past
	Agents  *Agents
	Warming *Warming

	config Config
	emit   emitter

	// The parts. Only the goroutine that owns the chat uses them.
	waiting  *waiting
	moments  *moments
	modes    *modes
	refusals *refusals
	asker    *asker
	loop     *gate.Loop
	runner   *runner
	replies  *replies
	window   *window.Window
	stats    *totals
	saving   saving

	// The rest belongs to the owner.

	// tasks wait until the chat is idle.
	tasks     []func(context.Context) (Outcome, error)
	interrupt context.CancelFunc
	// aside cancels the side question that is being answered; nil if there is none.
	aside context.CancelCauseFunc
	// summarising is set while a model is asked for a summary.
	summarising bool
	// toldMode is the mode at the latest call of tellJobs.
	toldMode  gate.Mode
	lastReply string
	// schema is the JSON Schema for the next reply, nil for none.
	schema json.RawMessage
	// nudge is a text that stands for a message of the user in the next request only.
	nudge string
}

// emitter receives the events of a chat.
type emitter func(Event)

// notice shows the user a line, cut to a bounded length.
func (e emitter) notice(format string, args ...any) {
	e(Notice{Text: humanize.Brief(fmt.Sprintf(format, args...))})
}

// New returns an idle chat.
func New(config Config) *Chat {
	c := &Chat{config: config, emit: config.Emit}
	c.Agents = c.config.agents()
	c.Line = c.Agents.line
	c.Line.chat = c
	in, emit, now := c.inbox, c.emit, config.Now
	c.waiting = &waiting{inbox: in, emit: emit, keep: config.KeepWaiting, left: config.Waited}
	c.moments = &moments{inbox: in, emit: emit, run: config.Hooks, add: c.add, begun: cmp.Or(config.Begun, begunNew)}
	c.asker = &asker{inbox: in, emit: emit, open: map[int]openQuestion{}, relay: config.Within.asked()}
	if c.asker.others = c.asker.settleMoot; config.Within != nil {
		c.asker.others = config.Within.settleOthers
	}
	c.saving = saving{emit: emit, session: config.Session}
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
	c.Warming = &Warming{inbox: in, chat: c}
	consent := c.Agents.consent
	c.modes = &modes{history: config.History, consent: consent}
	c.loop = gate.NewLoop(&c.config.Policy)
	c.runner = &runner{
		inbox: in, emit: emit, now: now, tools: config.Tools, env: config.Env, settings: config.Settings, history: config.History,
		asker: c.asker, within: config.Within, below: config.Extensions.Below,
		consent:     consent,
		gates:       gate.Order(slices.Concat(consent.Gates(), []gate.Gate{c.loop.Gate()}, config.Gates)...),
		outputLimit: c.window.Measure.OutputLimit,
		archive:     c.Past.archive(config.Tools),
		writing:     c.Agents.writing,
		store:       c.add,
		searched:    func(n int, usd float64) { c.stats.Searches += n; c.stats.spend(usd) },
		said:        map[string]bool{},
		instruct: func(text string) {
			c.waiting.setQueue(append([]atcmd.Message{atcmd.Typed(text)}, c.waiting.queue...))
		},
	}
	return c
}

// Run serves the chat until ctx ends. If a turn is in progress then, it is interrupted and leaves
// a valid history.
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

// nextTask takes the next piece of work for an idle chat: first the tasks that wait for idleness,
// then the queued messages. It returns nil if there is none.
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

// Prompt runs one turn in the calling goroutine, which owns the chat in the meantime.
// It is for programs without a screen; do not mix it with Run.
func (c *Chat) Prompt(ctx context.Context, message atcmd.Message) (Outcome, error) {
	return c.work(ctx, func(ctx context.Context) (Outcome, error) { return c.turn(ctx, message) })
}

// work runs one turn so that Interrupt can end it, and reports its beginning and its end.
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

// changesTime limits how long the end of a turn waits for the count of changed lines.
const changesTime = 2 * time.Second

// changedSince returns the changes of files since a mark. It works after an interrupt too.
func (c *Chat) changedSince(ctx context.Context, mark snapshot.Mark) snapshot.Changes {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changesTime)
	defer cancel()
	return c.config.Env.Snapshots.Since(ctx, mark)
}

// Send starts a turn with a message of the user, or queues the message while a turn runs.
func (c *Chat) Send(message atcmd.Message) { c.waiting.send(message) }

// Unqueue takes back the newest waiting message. It reports false if there is none.
func (c *Chat) Unqueue(ctx context.Context) (atcmd.Message, bool) { return c.waiting.unqueue(ctx) }

// Consent returns the gate that decides which calls may run. A grant for a turn ends with the
// turn.
func (c *Chat) Consent() *gate.Consent { return c.runner.consent }

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
	c.inbox.post(func() {
		c.Warming.userCame(false)
		c.asker.answer(id, decision)
	})
}
