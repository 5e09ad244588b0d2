package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"

	"agent/internal/app/extensions"
	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/base/secret"
	"agent/internal/chat"
	"agent/internal/extend/setup/consent"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/todo"
	"agent/internal/tools"
	"agent/prompts"
)

// A Conversation is a turn loop in a workspace, together with everything the loop needs. Run or
// Chat.Prompt runs it; the other methods of Chat steer it; Close ends it.
type Conversation struct {
	Chat *chat.Chat
	// Notices holds lines for a user to read at the start.
	Notices []string
	// Connection connects to the endpoint.
	Connection *provider.Connection
	// Recorded holds the entries of the session that was resumed.
	Recorded []*history.Content
	// Brought holds the instructions, skills and commands.
	Brought *extensions.Extensions
	// Servers holds the MCP servers in use.
	Servers *mcphost.Servers
	// Hooking holds the hooks, and Subagents the agents.
	Hooking   *hookgates.Hooks
	Subagents *Subagents
	// Programs runs the programs that the user configures for the status line and for
	// notifications.
	Programs *Programs
	// Trust holds the things of the repository that need consent to be run, connected to or
	// allowed, and the user's answers.
	Trust *consent.Trust
	// LeftOut names the parts of a set-up that cannot be used as they are written, with the
	// reasons.
	LeftOut []string

	parts    *equipment
	registry *tools.Registry
	history  *history.Service
	ends     *closers
	line     *chat.Line
}

// New starts a conversation, which the caller closes. The error is an InputError if the options
// are at fault. Each stage takes the values of earlier stages. The stages that write to the disk come
// last.
func New(ctx context.Context, p *Process, o Options) (c *Conversation, err error) {
	ends, line := &closers{}, chat.NewLine()
	defer func() {
		if err != nil {
			ends.close(p.say)
		}
	}()
	at, err := newPlace(p, o, ends)
	if err != nil {
		return nil, err
	}
	rec, resumed, err := openRecord(at, ends)
	if err != nil {
		return nil, err
	}
	models, found, err := connect(ctx, at, rec, line, ends)
	notices := slices.Concat(at.notices, resumed, found)
	if err != nil {
		p.say(notices...) // the notices may explain the error
		return nil, err
	}
	asked, err := at.confirmed(ctx)
	if err != nil {
		return nil, err
	}
	x, brings, err := equip(at, rec, models, line, ends)
	if err != nil {
		return nil, err
	}
	c, begun, err := begin(x, line, ends)
	if err != nil {
		return nil, err
	}
	c.Notices = brief(slices.Concat(notices, asked, brings, begun))
	return c, nil
}

// begin makes the agents and the turn loop, from the recorded entries if a session is resumed. It
// returns notices for the user.
func begin(x *equipment, line *chat.Line, ends *closers) (c *Conversation, notices []string, err error) {
	at, rec, recorded, models := x.at, x.rec, x.rec.resumed, x.models
	own := filepath.Join(at.folders.Config, "prompts")
	templates, err := prompts.Load(own)
	if err != nil {
		return nil, nil, err
	}
	compression, lacks, err := prompts.Compression(own)
	if err != nil {
		return nil, nil, err
	}
	now := promptSession(at, models, x.texts, x.notes, x.start)
	system := SystemPrompt(templates, now)
	ofAgents := SystemPrompt(templates, func() prompts.Session {
		session := now()
		session.Agent = true
		return session
	})
	sources := []tools.Source{tools.Fixed("built in", at.offered...)}
	for _, s := range toolSources() {
		sources = append(sources, s.of(x))
	}
	agents := chat.NewAgents(line, x.host.Consent)
	subs := newSubagents(&hiring{x, tools.Join(sources...), ofAgents, compression}, agents)
	registry := tools.Join(append(sources, subs.source())...)
	limits := &limits{models: models, events: x.events}
	spare := &fallback{settings: at.settings, own: models.own, models: models, refresh: line.Refresh, notify: func(text string) {
		x.events.emit(chat.Notice{Text: text})
	}}
	x.events.follow(append(x.listeners(limits, subs), spare.watch)...)
	waited, left := rec.waited()
	reports := newAgentPast(recorded, rec.log, at, registry)
	entries := history.NewService(counterOf(settings.Model.Of(at.settings)), rec.observer())
	config := chat.Config{
		ID:          rec.id,
		Endpoint:    models.own,
		Counter:     counterOf,
		Tools:       registry,
		Env:         x.host.Env,
		Root:        at.workspace.Root(),
		SessionRoot: recorded.Workspace,
		History:     entries,
		Session:     rec.log,
		Settings:    at.settings,
		Costs:       &at.process.Costs,
		System:      system,
		Form:        formOf(models.own, at.settings),
		HeadFor:     func() string { return models.own.ModelAndEndpoint() + x.servers.OfferRevision() },

		CompressionPrompt: compression,
		OtherModel:        models.other,
		FallBack:          spare.next,
		TranscriptPath:    rec.path,

		Background:  subs.team,
		KeepsAgents: at.options.KeepsAgents,
		Answers:     reports.answers(),

		KeepWaiting: rec.keepWaiting(),
		Waited:      waited,

		Extensions: chat.Extensions{Expand: subs.expand, Below: x.texts.Below, News: x.news, Refreeze: x.refreeze},
		Gates:      x.guards.gates(registry, subs.gate()),
		Hooks:      x.guards.hooks.Moments(x.guards.checks),
		Begun:      rec.how.begins(),
		Policy:     gate.Policy{Unattended: at.options.Unattended},
		Agents:     agents,
		CacheKey:   cacheKey(rec.SessionID()),
		Emit:       x.events.emit,
		Log:        rec.logger,
		Now:        at.process.Now,
	}
	loop, err := newChat(config, recorded)
	if err != nil {
		return nil, nil, err
	}
	reports.owe(agents)
	ends.add(x.guards.hooks.Close)
	ends.add(subs.team.Close) // agents use servers and hooks
	models.own.OnLearned(line.Refresh, line.Note)
	at.jobs.OnJob = func(job shell.JobChange) {
		rec.write(func(log *session.Log) error { return log.Job(session.Job{ID: job.ID, Command: job.Command}, job.Ended) })
		line.Refresh()
	}
	rememberFiles(recorded.Entries, x.host.Env, registry)
	granted := restoreGrants(x.host.Consent, rec)
	x.useAgreed()
	x.trust.Answered = x.useAgreed
	for _, notice := range []string{lacks, left, granted, x.web.told()} {
		if notice != "" {
			notices = append(notices, notice)
		}
	}
	return &Conversation{
		Chat: loop, Connection: models.own, Recorded: recorded.Entries, Brought: x.texts, Servers: x.servers, Hooking: x.guards.hooks, Subagents: subs,
		Programs: &Programs{at, rec, x.host.Confinement}, Trust: x.trust, LeftOut: x.leftOut,
		parts: x, registry: registry, history: entries, ends: ends, line: line,
	}, append(notices, x.notes.begun()...), nil
}

// newChat makes a turn loop, from the recorded entries if there are any.
func newChat(config chat.Config, recorded session.State) (*chat.Chat, error) {
	if len(recorded.Entries) == 0 {
		return chat.New(config), nil
	}
	return chat.Resume(config, recorded)
}

// ID identifies the conversation among the conversations of the program. The id stays the same
// when the session is forked.
func (c *Conversation) ID() string { return c.parts.rec.id }

// SessionID returns the id of the session, "" if nothing is recorded.
func (c *Conversation) SessionID() string { return c.parts.rec.SessionID() }

// ResumeName returns the shortest name with which agent -r finds the session, "" if nothing is
// recorded.
func (c *Conversation) ResumeName() string { return c.parts.rec.resumeName() }

// Title returns the title that a user gave the session, "" for none.
func (c *Conversation) Title() string { return c.parts.rec.title() }

// ShownTitle returns the title that lists show: the one that a user gave, or the beginning of the first
// message.
func (c *Conversation) ShownTitle() string { return secret.Without(c.title()) }

// RecordSeq returns the number of the latest record of the session, 0 if nothing is recorded.
func (c *Conversation) RecordSeq() uint64 {
	if c.parts.rec.log == nil {
		return 0
	}
	return c.parts.rec.log.Seq()
}

// SocketFolders returns the folders of the sockets of sessions, the preferred one first.
func (c *Conversation) SocketFolders() []string {
	return c.parts.at.process.SocketFolders(c.parts.at.folders)
}

// Version returns the version of the program.
func (c *Conversation) Version() string { return c.parts.at.process.Version }

// Settings returns the settings of the conversation.
func (c *Conversation) Settings() *settings.Settings { return c.parts.at.settings }

// Root returns the absolute path of the workspace.
func (c *Conversation) Root() string { return c.parts.at.workspace.Root() }

// Tools returns the tools that are offered to the model.
func (c *Conversation) Tools() *tools.Registry { return c.registry }

// History returns the entries of the conversation.
func (c *Conversation) History() *history.Service { return c.history }

// Todos returns the todo list.
func (c *Conversation) Todos() todo.List { return c.parts.host.Env.Todos.List() }

// TempDir returns the temporary folder of the conversation, "" if there is none.
func (c *Conversation) TempDir() string { return c.parts.at.workspace.TempDir() }

// MayWrite reports whether write_file could write a file of the workspace without a question.
func (c *Conversation) MayWrite(rel string) bool { return c.parts.host.MayWrite(rel) }

// cacheKey identifies a session to providers without naming it.
func cacheKey(sessionID string) string {
	if sessionID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(sessionID))
	return hex.EncodeToString(sum[:16])
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
	return c.serve(ctx, ready, func() {})
}

// ServeScreen is Serve for a screen. After it returns nothing serves the conversation, so that the
// end of the screen waits for nothing.
func (c *Conversation) ServeScreen(ctx context.Context, ready <-chan struct{}) (serving context.Context, end func() error) {
	return c.serve(ctx, ready, func() { chat.End(c.line) })
}

func (c *Conversation) serve(ctx context.Context, ready <-chan struct{}, after func()) (serving context.Context, end func() error) {
	serving, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer after()
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
func (c *Conversation) Close() { c.ends.close(c.parts.at.process.say) }

// A DefectError reports a panic of the turn loop.
type DefectError struct {
	// Value is the value of the panic. Log is the path of the log file with the stack.
	Value any
	Log   string
}

func (e *DefectError) Error() string {
	return fmt.Sprintf("Internal error: %v. The session is saved; details are in %s", e.Value, e.Log)
}

// Defect logs a panic of the turn loop. It must be called on the goroutine that recovered from
// the panic.
func (c *Conversation) Defect(value any) *DefectError {
	c.parts.rec.logger.Error("the turn loop panicked", "panic", fmt.Sprint(value), stackKey, string(debug.Stack()))
	return &DefectError{value, c.parts.at.process.log.Path}
}
