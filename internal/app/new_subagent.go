package app

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"agent/internal/app/agentrecords"
	"agent/internal/app/hookgates"
	"agent/internal/app/subagents"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/extend/setup/agents"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/todo"
	"agent/internal/tools"
)

// subagentFactory creates the conversations of subagents from the parts of their parent conversation.
type subagentFactory struct {
	parts *conversationParts
	// tools holds the tools of the conversation without the tool that starts subagents.
	tools *tools.Registry
	// system renders the system prompt. compression is the instruction for a model that summarizes.
	system      chat.SystemPrompt
	compression string
}

// create creates the conversation of a subagent. It shares the workspace, permissions, sandbox, servers and
// snapshots of the parent conversation. It has a separate history, record and list of files that were read.
func (h *subagentFactory) create(ctx context.Context, spec subagents.Spec) (child subagents.Child, err error) {
	var closers []func()
	child.Close = func() {
		for _, closer := range slices.Backward(closers) {
			closer()
		}
	}
	defer func() {
		if err != nil {
			child.Close()
		}
	}()
	endpoint, with, unused, err := h.model(spec.Agent)
	if err != nil {
		return child, err
	}
	child.Unused = unused
	if endpoint != h.parts.models.own {
		closers = append(closers, func() { _ = endpoint.Close() }) // only closes idle connections
	}
	child.Model = settings.Model.Value(with)
	registry, notes, err := toolsFor(spec.Agent, h.tools)
	if err != nil {
		return child, err
	}
	child.Unused = append(child.Unused, notes...)
	own, err := h.record(spec, child.Model)
	if err != nil {
		return child, err
	}
	if own.log != nil {
		closers = append(closers, h.parts.rec.keys.hideFrom(own.log), func() { own.logged(own.log.Close()) })
	}
	env := *h.parts.host.Env
	env.OfAgent = true
	env.Seen, env.Todos = tools.NewSeenFiles(), todo.NewBoard(nil, func(todo.List) {})
	news := h.parts.notes.NewsForSubagent()
	spare := &fallback{settings: with, own: endpoint, models: h.parts.models, refresh: func() {}, notify: func(text string) {
		spec.Config.Parent.Emit(spec.Config.Over, chat.Notice{Text: "subagent " + spec.Agent.Name + ": " + text})
	}}
	config := chat.Config{
		Endpoint: endpoint, FallBack: spare.next, Counter: counterOf, Tools: registry, Env: &env, Root: h.parts.at.workspace.Root(),
		History: history.NewService(counterOf(child.Model), own.observer()), Session: own.log, Settings: with, Costs: &h.parts.at.process.Costs,
		System: AgentPrompt(h.system, spec.Agent), Form: formOf(endpoint, with),
		CompressionPrompt: h.compression, OtherModel: h.parts.models.other, TranscriptPath: own.path,
		Extensions: chat.Extensions{
			Below: h.parts.texts.NestedInstructions, Refreeze: func() {}, News: news, Expand: h.task(spec, news),
		},
		Policy:     gate.Policy{Unattended: h.parts.at.options.Unattended},
		Gates:      h.parts.guards.gates(registry),
		CacheKey:   cacheKey(h.parts.rec.id + spec.ID),
		AsSubagent: &spec.Config,
		Emit: func(e chat.Event) {
			logEvent(own.logger, e)
			spare.watch(e)
			spec.Emit(e)
		},
		Log: h.parts.rec.logger, Now: h.parts.at.process.Now,
	}
	child.Ended = func(status, changed, said string) {
		h.parts.guards.hooks.RunSubagentStop(ctx, spec.ID, spec.Agent.Name, hookgates.AgentEnd{Status: status, Changed: changed, Said: said, Transcript: own.path()})
	}
	child.Chat, err = newChat(config, own.resumed)
	return child, err
}

// task returns the expander of a subagent. It treats the task as plain text, in which slash, @ and ! have
// no special meaning. Before the task it adds the texts of the subagent's skills, the news and the output
// of its start hooks.
func (h *subagentFactory) task(spec subagents.Spec, news func() []history.Block) chat.Expander {
	return func(ctx context.Context, message atcmd.Message, _ chat.RunEmbedded) (atcmd.Expansion, error) {
		var said atcmd.Expansion
		for _, name := range spec.Agent.Skills {
			if text := h.parts.texts.SkillText(name); text != "" {
				said.Blocks = append(said.Blocks, &history.Text{Text: text, Source: history.SourceExtension, Key: "skill:" + name})
			}
		}
		hooks := h.parts.guards.hooks.RunSubagentStart(ctx, spec.ID, spec.Agent.Name, spec.Call.Title)
		said.Blocks = append(append(append(said.Blocks, news()...), hooks...), &history.Text{Text: message.Text()})
		return said, nil
	}
}

// AgentPrompt returns the system prompt of a subagent: the prompt of the conversation, followed by the
// subagent's own text.
func AgentPrompt(system chat.SystemPrompt, a agents.Agent) chat.SystemPrompt {
	own := "\n\n# Your task\n\nYou are the agent " + a.Name + ". Another model gave you one task; it reads your last message and nothing else, and cannot answer questions. " + a.Prompt
	return func(lean bool, names []string, fits func(string) bool) (string, bool) {
		prompt, cut := system(lean, names, func(text string) bool { return fits(text + own) })
		return prompt + own, cut
	}
}

// record opens the record of a subagent. The record stores nothing if the conversation is not recorded.
func (h *subagentFactory) record(spec subagents.Spec, model string) (own *record, err error) {
	at, rec := h.parts.at, h.parts.rec
	own = &record{at: at, logger: rec.logger.With("agent", spec.ID)}
	if rec.log == nil {
		if spec.Continues {
			err = errors.New("the conversation is not recorded, so subagent " + spec.ID + " can't continue")
		}
		return own, err
	}
	options := at.sessionOptions()
	options.ID, options.Folder = spec.ID, session.AgentFolder(rec.log.Path())
	options.Hidden = append(options.Hidden, rec.keys.known()...)
	options.Agent = &session.Agent{ID: spec.ID, Call: spec.Call.ID, Agent: spec.Agent.Name, Title: spec.Call.Title, Model: model}
	if spec.Continues {
		own.log, own.resumed, err = session.Resume(session.AgentPath(rec.log.Path(), spec.ID), options)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("it has no session log to continue from; start the task again")
		}
	} else {
		own.log, err = session.Create(options)
	}
	return own, err
}

// model returns the endpoint and the settings of a subagent. If the settings or the subagent's file name a
// profile or a model, the subagent uses it. Otherwise it uses the model of the conversation. If the file
// names a model that the endpoint does not list, unused contains a line about it.
func (h *subagentFactory) model(a agents.Agent) (endpoint *provider.Connection, with *settings.Settings, unused []string, err error) {
	name, own := modelFor(a, h.parts.at.settings)
	endpoint, with = h.parts.models.own, h.parts.at.settings.Overlay()
	if name != "" {
		if other, its, problem := h.parts.models.of(name); problem == nil {
			endpoint, with = other, its
		} else if id := h.parts.models.listed(name); id != "" {
			err = with.Set(settings.LayerSession, settings.Model.Key(), id)
		} else if own {
			err = errors.New("the model " + name + " from the settings is neither a profile nor a model of the endpoint")
		} else {
			unused = append(unused, "unknown model "+name+" in the subagent's file; the model of the conversation was used")
		}
	}
	if err == nil && a.Effort != "" {
		if problem := with.Set(settings.LayerSession, settings.ReasoningEffort.Key(), a.Effort); problem != nil {
			unused = append(unused, "effort "+a.Effort+" is unknown")
		}
	}
	if endpoint == h.parts.models.own && (settings.Fallback.Value(with) != "" || settings.OnLimit.Value(with) != settings.StopAtLimit) {
		endpoint = h.parts.models.open(with, nil) // subagent and conversation fall back independently
		endpoint.OnModelsListed(func() {}, h.parts.models.note)
	}
	return endpoint, with, unused, err
}

// newSubagents returns the subagents that the model of parent can start.
func newSubagents(h *subagentFactory, parent *chat.SubagentHost) *Subagents {
	at, rec := h.parts.at, h.parts.rec
	c := &Subagents{set: FindAgents(at.where), trust: h.parts.trust, texts: h.parts.texts, at: at, models: h.parts.models}
	if at.options.NoSetup {
		c.set.Agents = slices.DeleteFunc(c.set.Agents, func(a agents.Agent) bool { return a.Origin != agents.OriginBuiltIn })
	}
	c.team = subagents.New(subagents.Config{
		Named:  c.named,
		Make:   h.create,
		Parent: parent,
		Bounds: c.bounds,
		Rel:    at.workspace.Rel,
		Keep: func(id, text string) (string, error) {
			return agentrecords.Keep(rec.log, at.workspace.TempDir, id, text)
		},
		Record: rec.agent,
		Tokens: func(text string) int { return counterOf(settings.Model.Value(at.settings)).Count(text) },
		Now:    at.process.Now,

		Unattended: at.options.Unattended,
	}, earlierAgents(c.set, rec))
	return c
}
