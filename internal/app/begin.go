package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"

	"agent/internal/app/agentrecords"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/prompts"
)

// New starts a conversation, which the caller closes. It returns an InputError if the options are invalid.
// Each stage uses the values of earlier stages. The stages that write to the disk run last.
func New(ctx context.Context, p *Process, o Options) (c *Conversation, err error) {
	ends, line := &closers{}, chat.NewHandle()
	var rec *record
	defer func() {
		if err != nil {
			ends.close(p.say)
			rec.discardFork()
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
	x, brings, err := newConversationParts(at, rec, models, line, ends)
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

// begin creates the subagents and the turn loop, from the recorded entries if a session is resumed. It
// returns notices for the user.
func begin(x *conversationParts, line *chat.Handle, ends *closers) (c *Conversation, notices []string, err error) {
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
	sources := []tools.Source{tools.FixedSource(at.offered...)}
	for _, s := range toolSources() {
		sources = append(sources, s.of(x))
	}
	agents := chat.NewSubagentHost(line, x.host.Consent)
	subs := newSubagents(&subagentFactory{x, tools.Join(sources...), ofAgents, compression}, agents)
	registry := tools.Join(append(sources, subs.source())...)
	limits := &limits{models: models, events: x.events}
	spare := &fallback{settings: at.settings, own: models.own, models: models, refresh: line.Refresh, notify: func(text string) {
		x.events.emit(chat.Notice{Text: text})
	}}
	x.events.listeners = append(x.listeners(limits, subs), spare.watch, models.record)
	waited, left := rec.waited()
	reports := agentrecords.NewReports(recorded, rec.log, at.settings, registry.Traits, at.workspace)
	entries := history.NewService(counterOf(settings.Model.Value(at.settings)), rec.observer())
	config := chat.Config{
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
		HeadKey: func() string {
			return models.own.ModelAndEndpoint() + x.servers.OfferRevision() + x.symbols.offerRevision()
		},

		CompressionPrompt: compression,
		OtherModel:        models.other,
		FallBack:          spare.next,
		TranscriptPath:    rec.path,

		Background:  subs.team,
		KeepsAgents: at.options.KeepsAgents,
		Answers:     reports.Answers(),

		KeepWaiting: rec.keepWaiting(),
		Waited:      waited,

		Extensions: chat.Extensions{Expand: subs.expand, Below: x.texts.NestedInstructions, News: x.news, Refreeze: x.refreeze},
		Gates:      x.guards.gates(registry, subs.gate()),
		Hooks:      x.guards.hooks.HookPointHandler(x.guards.checks),
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
	reports.Queue(agents)
	ends.add(x.guards.hooks.Close)
	ends.add(subs.team.Close) // agents use servers and hooks
	models.own.OnModelsListed(line.Refresh, line.Notify)
	at.jobs.OnJob = func(job shell.JobChange) {
		rec.write(func(log *session.Log) error {
			return log.RecordJob(session.Job{ID: job.ID, Command: job.Command}, job.Ended)
		})
		line.Refresh()
	}
	rememberFiles(recorded.Entries, x.host.Env, registry)
	granted := restoreGrants(x.host.Consent, rec)
	x.useAgreed()
	x.trust.Answered = x.useAgreed
	for _, notice := range []string{lacks, left, granted, x.web.FirstNotice()} {
		if notice != "" {
			notices = append(notices, notice)
		}
	}
	return &Conversation{
		Chat: loop, Connection: models.own, Recorded: recorded.Entries, Brought: x.texts, Servers: x.servers, Hooking: x.guards.hooks, Subagents: subs,
		Programs: &Programs{at, rec, x.host.Confinement}, Trust: x.trust, LeftOut: x.leftOut,
		parts: x, registry: registry, history: entries, ends: ends, line: line,
	}, append(notices, x.notes.Begin()...), nil
}

// newChat creates a turn loop, from the recorded entries if there are any.
func newChat(config chat.Config, recorded session.State) (*chat.Chat, error) {
	if len(recorded.Entries) == 0 {
		return chat.New(config), nil
	}
	return chat.Resume(config, recorded)
}

// cacheKey identifies a session to providers without naming it.
func cacheKey(sessionID string) string {
	if sessionID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(sessionID))
	return hex.EncodeToString(sum[:16])
}
