package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/app/brought"
	"agent/internal/app/gates"
	"agent/internal/app/serving"
	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/protect/survey"
	"agent/internal/provider"
	"agent/internal/rules"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/todo"
	"agent/internal/tools"
	"agent/internal/trace"
	"agent/internal/websearch"
	"agent/internal/workspace"
	"agent/prompts"
)

// A Conversation is a turn loop in a workspace, together with everything the loop needs. Run or
// Chat.Prompt runs it; the other methods of Chat steer it; Close ends it.
type Conversation struct {
	*ground
	Chat *chat.Chat
	// consent decides which calls may run. agents is the side of the turn loop for agents, and line
	// leads to the loop.
	consent *gate.Consent
	agents  *chat.Agents
	line    *chat.Line
	// Recorded holds the entries of the session that was resumed.
	Recorded []*history.Content
	// Brought holds the instructions, skills and commands.
	Brought *brought.Extensions
	// Servers holds the MCP servers in use.
	Servers *serving.Servers
	// Hooking holds the hooks. Rules holds the permission rules that restrict tool calls.
	Hooking *gates.Hooks
	Rules   *gates.Rules
	// Trust holds the things of the repository that need consent to be run, connected to or
	// allowed, and the person's answers.
	Trust *consent.Trust
	// LeftOut names the parts of a set-up that cannot be used as they are written, with the
	// reasons.
	LeftOut []string

	// id identifies the session, or only the conversation if nothing is recorded.
	id     string
	notes  noting
	survey *survey.Survey
	host   *gates.Host
	checks *gates.Checks
	// search returns what searches the web, which is made once it is needed.
	search func() *websearch.Searcher
	// limits tells of the limits of a subscription.
	limits limits
	// configured holds the MCP servers of the configuration.
	configured *serving.Configured
	acts       acts
	// guarded holds the paths of the files that agreed items are written in and run.
	guarded atomic.Pointer[[]string]
	crew    crew
	// tracer reports to a collector, nil if the environment names none.
	tracer *trace.Tracer
}

// ground holds the surroundings of a conversation: its process, folders, settings and record.
type ground struct {
	// Notices holds lines for a person to read at the start.
	Notices []string
	// Connection connects to the endpoint.
	Connection *provider.Connection

	process   *Process
	options   Options
	folders   Folders
	workspace *workspace.Workspace
	settings  *settings.Settings
	profiles  *settings.Store
	registry  *tools.Registry
	env       *tools.Env
	log       *slog.Logger
	history   *history.Service
	// session is the record, nil if nothing is recorded.
	session *session.Log
	// keys hides the API keys in use from the records.
	keys    keyHider
	closers []func() error
}

func (c *ground) onClose(closer func() error) { c.closers = append(c.closers, closer) }

// New starts a conversation, which the caller closes. The error is an InputError if the options
// are at fault.
func New(ctx context.Context, p *Process, o Options) (*Conversation, error) {
	bounds, err := p.Policy()
	if err != nil {
		return nil, err
	}
	offered := tools.Default()
	for i := range offered { // a tool that is refused is known, so that rules may name it
		offered[i].Unoffered = offered[i].Unoffered || bounds.Tool(offered[i].Name) != nil
	}
	if o.Record.Off {
		offered = tools.WithoutRecord(offered)
	}
	if o.searches() {
		offered = tools.WithSessions(offered)
	}
	if o.Unattended {
		offered = tools.WithoutPerson(offered)
	}
	c := &Conversation{
		ground:  &ground{process: p, options: o, settings: o.Settings.Overlay()},
		Brought: &brought.Extensions{}, Servers: &serving.Servers{},
	}
	c.search = sync.OnceValue(c.newSearcher)
	bounds.Narrow(c.settings)
	c.Notices = append(c.Notices, c.settings.Narrowed()...)
	c.registry = tools.Join(c.sources(offered)...)
	if err := c.setUp(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// setUp runs the steps of New. Cheap checks that may refuse the options come first, and steps
// that leave traces come last.
func (c *Conversation) setUp(ctx context.Context) (err error) {
	if c.folders, err = c.process.Folders(); err != nil {
		return err
	}
	log, err := c.process.Log()
	if err != nil {
		return err
	}
	c.log = log.Logger
	c.profiles = settings.NewStore(c.folders.Config, c.settings.Registry())
	if own := c.options.Record.Folder; own != "" {
		c.folders.Data, c.folders.State, c.folders.Cache = own, own, own
	}
	forget := c.process.followers.add(&c.acts)
	c.onClose(func() error { forget(); return nil })
	c.keepTurns()
	policy, err := c.policy()
	if err != nil {
		return err
	}
	if err := c.openWorkspace(&policy); err != nil {
		return err
	}
	c.notes.open(c)
	c.Connection = c.process.Connect(c.settings, c.folders, c.options.Ask)
	c.onClose(c.Connection.Close)
	c.Connection.OnReached(c.acts.reachModel)
	var recorded session.State
	if c.options.Record.resumes() { // the record names the endpoint
		if recorded, err = c.record(c.line.Refresh); err != nil {
			return err
		}
	}
	if err := c.connect(ctx); err != nil {
		c.process.say(c.Notices...) // the notices may explain the error
		return err
	}
	if err := c.confirmWorkspace(ctx); err != nil {
		return err
	}
	c.findSetup(policy.Allow)
	if c.configured, err = c.readServers(); err != nil {
		return err
	}
	for _, line := range slices.Concat(c.configured.Problems, c.configured.Notes) {
		c.Notices = append(c.Notices, "mcp: "+line)
	}
	c.LeftOut = append(c.LeftOut, c.configured.Problems...)
	if err := c.findTrust(); err != nil {
		return err
	}
	system, err := c.systemPrompt()
	if err != nil {
		return err
	}
	if !c.options.Record.resumes() {
		if recorded, err = c.record(c.line.Refresh); err != nil {
			return err
		}
	}
	if c.session != nil {
		c.acts.begin(func(act session.Act) { c.logged(c.session.Act(act)) })
		c.onClose(func() error { c.acts.end(); return nil })
	}
	if c.id = c.SessionID(); c.id == "" {
		c.id = unrecorded + strings.ToLower(rand.Text()[:8])
	}
	c.log = c.log.With("conversation", c.id)
	c.tracer = trace.Start(c.process.Env, c.process.Version, c.id, func() string { return settings.Model.Of(c.settings) }, c.process.Now)
	c.env.Jobs.Traced = c.tracer.Context
	c.onClose(func() error { c.tracer.Close(); return nil })
	c.keepFiles(c.id, recorded.Parent)
	c.crew.system = system
	c.hireAgents(recorded)
	c.restoreTodos(recorded.Todos)
	c.onClose(c.Servers.Close)
	c.equip(c.configured)
	c.Servers.Begin(c.serverConfig(), c.configured, recorded.Servers)
	if err := c.converse(policy, system, recorded); err != nil {
		return err
	}
	c.onClose(c.Hooking.Close)
	c.onClose(c.crew.team.Close) // agents use servers and hooks
	c.rememberWrites(recorded.Entries)
	c.tellServerSearch()
	c.useAgreed()
	c.findSessions()
	c.Notices = brief(append(c.Notices, c.notes.begun()...))
	return nil
}

// findSetup finds the rules, instructions, skills, commands and hooks of people and the
// repository. The rules apply even if the option NoSetup leaves out the rest.
func (c *Conversation) findSetup(allowed rules.Rules) {
	var notices []string
	c.Rules, notices = gates.FindRules(c.host, allowed, c.process.underPolicy().Rules(c.workspace.Root(), c.process.Home))
	c.checks = gates.NewChecks(c.host, c.Rules)
	c.Notices = append(c.Notices, notices...)
	c.Notices = append(c.Notices, c.Brought.Begin(brought.Config{
		Host: c.host, Off: c.options.NoSetup, Rules: c.Rules, Servers: c.Servers, News: c.news, Window: c.window, Reviewer: func() (brought.Reviewer, string) { return reviewerOf(c) }, Environ: c.process.Environ, Log: c.log,
		NoImages: func() string { return c.Connection.NoImages(settings.Model.Of(c.settings)) },
	})...)
	found := c.Brought.Set()
	c.Hooking = gates.FindHooks(c.host, c.options.NoSetup)
	c.Notices = append(c.Notices, c.Hooking.Skipped()...)
	c.LeftOut = slices.Concat(notices, found.Skills.Skipped, found.Commands.Skipped, c.Hooking.Skipped())
}

// window returns the size of the model's context window, in tokens.
func (c *Conversation) window() int {
	known, _ := c.Connection.ContextLimit(settings.Model.Of(c.settings))
	return window.SizeOf(settings.ContextLimit.Of(c.settings), known)
}

// ID identifies the conversation among the conversations of the program. The id stays the same
// when the session is forked.
func (c *Conversation) ID() string { return c.id }

// Version returns the version of the program.
func (c *Conversation) Version() string { return c.process.Version }

// Settings returns the settings of the conversation.
func (c *Conversation) Settings() *settings.Settings { return c.settings }

// Root returns the absolute path of the workspace.
func (c *Conversation) Root() string { return c.workspace.Root() }

// Tools returns the tools that are offered to the model.
func (c *Conversation) Tools() *tools.Registry { return c.registry }

// History returns the entries of the conversation.
func (c *Conversation) History() *history.Service { return c.history }

// Todos returns the todo list.
func (c *Conversation) Todos() todo.List { return c.env.Todos.List() }

// TempDir returns the temporary folder of the conversation, "" if there is none.
func (c *Conversation) TempDir() string { return c.workspace.TempDir() }

// cacheKey identifies a session to providers without naming it.
func cacheKey(sessionID string) string {
	if sessionID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(sessionID))
	return hex.EncodeToString(sum[:16])
}

// connect finds the endpoint.
func (c *Conversation) connect(ctx context.Context) error {
	find := c.options.Connect
	if find == nil {
		find = FindEndpoint
	}
	notice, closer, err := find(ctx, c.Connection)
	if closer != nil {
		c.onClose(func() error { closer(); return nil })
	}
	if notice != "" {
		c.Notices = append(c.Notices, notice)
	}
	return err
}

// converse creates the turn loop, from the recorded entries if a session is resumed.
func (c *Conversation) converse(policy gate.Policy, system chat.SystemPrompt, recorded session.State) error {
	var observer history.Observer
	if c.session != nil {
		observer = c.session.Observe
	}
	compressionPrompt, lacks, err := prompts.Compression(filepath.Join(c.folders.Config, "prompts"))
	if err != nil {
		return err
	}
	if lacks != "" {
		c.Notices = append(c.Notices, lacks)
	}
	c.crew.compression = compressionPrompt
	c.history = history.NewService(counterOf(settings.Model.Of(c.settings)), observer)
	past := newAgentPast(recorded, c.session, c.settings)
	config := chat.Config{
		ID:          c.id,
		Endpoint:    c.Connection,
		Counter:     counterOf,
		Tools:       c.registry,
		Env:         c.env,
		Root:        c.workspace.Root(),
		SessionRoot: recorded.Workspace,
		History:     c.history,
		Session:     c.session,
		Settings:    c.settings,
		Costs:       &c.process.Costs,
		System:      system,
		Form:        formOf(c.Connection, c.settings),
		HeadFor:     func() string { return c.Connection.Named() + c.Servers.Stamp() },

		CompressionPrompt: compressionPrompt,
		OtherModel:        c.otherModel,
		GoesOn:            c.goesOn,
		TranscriptPath:    c.transcriptPath,

		RunningAgents: c.crew.team.Running,
		Unanswered:    past.answers(),

		KeepWaiting: c.keepWaiting(recorded.Waiting),
		Waited:      c.waited(recorded.Waiting),

		Extensions: chat.Extensions{
			Expand: c.expand,
			Below:  c.Brought.Below,
			News:   c.news,
			Refreeze: func() {
				for _, notice := range append(c.Brought.Refreeze(), c.notes.head()...) {
					c.emit(chat.Notice{Text: notice})
				}
			},
		},
		Gates:    c.gates(),
		Hooks:    c.Hooking.Moments(c.checks),
		Begun:    c.options.Record.begins(),
		Policy:   policy,
		Agents:   c.agents,
		CacheKey: cacheKey(c.SessionID()),
		Emit:     c.emit,
		Log:      c.log,
		Now:      c.process.Now,
	}
	if len(recorded.Entries) == 0 {
		c.Chat = chat.New(config)
	} else {
		c.Recorded = recorded.Entries
		if c.Chat, err = chat.Resume(config, recorded); err != nil {
			return err
		}
		past.owe(c.agents)
	}
	c.restoreGrants(recorded)
	c.Connection.OnLearned(c.line.Refresh, c.line.Note)
	return nil
}

// emit passes an event to the log, the rules, the listeners and the record, and then to the front
// end.
func (c *Conversation) emit(e chat.Event) {
	logEvent(c.log, e)
	switch e.(type) {
	case chat.TurnStarted:
		c.checks.Begin()
		c.crew.team.BeginTurn()
		c.notes.beginTurn()
	case chat.TurnEnded:
		c.Rules.EndTurn()
	}
	for _, listen := range c.listeners() {
		listen(e)
	}
	switch e := e.(type) {
	case chat.Notice:
		c.recordNotice(e.Text)
	case chat.Searched:
		c.recordNotice(e.String())
	}
	c.options.Events(chat.Envelope{Conversation: c.id, Event: e})
}

func (c *Conversation) recordNotice(text string) {
	if c.session != nil {
		c.logged(c.session.Notice(text))
	}
}

// Run serves the conversation until ctx ends. The error is a *DefectError if the turn loop
// panicked; the conversation is over then.
func (c *Conversation) Run(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = c.Defect(value)
		}
	}()
	c.Chat.Run(ctx)
	return nil
}

// Serve runs the conversation on another goroutine once ready is closed, or at once if ready is
// nil. The context serving ends when the conversation ends. The caller must call end, which stops
// the conversation, waits for it, and returns the *DefectError that ended it, or nil.
func (c *Conversation) Serve(ctx context.Context, ready <-chan struct{}) (serving context.Context, end func() error) {
	serving, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if ready != nil {
			select {
			case <-ready:
			case <-serving.Done():
				return
			}
		}
		if err := c.Run(serving); err != nil {
			cancel(err)
		}
	}()
	return serving, func() error {
		cancel(nil)
		<-ended
		if defect, met := errors.AsType[*DefectError](context.Cause(serving)); met {
			return defect
		}
		return nil
	}
}

// Close releases everything that the conversation holds, the newest first.
func (c *Conversation) Close() {
	slow := time.AfterFunc(time.Second, func() {
		c.process.say("agent: ending what still runs; Ctrl+C twice ends it at once")
	})
	defer slow.Stop()
	for i := len(c.closers) - 1; i >= 0; i-- {
		if err := c.closers[i](); err != nil {
			c.process.say("agent: while closing: " + err.Error())
		}
	}
	c.closers = nil
}

// A DefectError reports a panic of the turn loop.
type DefectError struct {
	// Value is the value of the panic. Log is the path of the log file with the stack.
	Value any
	Log   string
}

func (e *DefectError) Error() string {
	return fmt.Sprintf("internal error: %v; the session is saved, what happened is in %s", e.Value, e.Log)
}

// Defect logs a panic of the turn loop. It must be called on the goroutine that recovered from
// the panic.
func (c *Conversation) Defect(value any) *DefectError {
	c.log.Error("the turn loop panicked", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
	return &DefectError{value, c.process.log.Path}
}
