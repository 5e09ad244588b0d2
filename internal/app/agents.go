package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"agent/internal/app/brought"
	"agent/internal/app/team"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/provider"
	"agent/internal/rawjson"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/setup/agents"
	"agent/internal/setup/consent"
	"agent/internal/todo"
	"agent/internal/tokens"
	"agent/internal/tools"
)

// crew holds the agents of a conversation.
type crew struct {
	team *team.Team
	// set holds the agents that are offered. It is found once, because the model knows the list
	// from its first request on.
	set agents.Set
	// system renders the system prompt of the conversation, which agents share.
	system chat.SystemPrompt
	// compression instructs a model to summarise.
	compression string
}

// hireAgents finds the agents that the model may give tasks to.
func (c *Conversation) hireAgents(recorded session.State) {
	c.crew.set = Agents(c.host.Where)
	if c.options.NoSetup {
		c.crew.set.Agents = slices.DeleteFunc(c.crew.set.Agents, func(a agents.Agent) bool { return a.Origin != agents.BuiltIn })
	}
	c.crew.team = team.New(team.Config{
		Named:  c.agentNamed,
		Make:   c.makeAgent,
		Parent: c.agents,
		Bounds: c.agentBounds,
		Rel:    c.workspace.Rel,
		Keep:   c.keepReport,
		Record: c.recordAgent,
		Tokens: func(text string) int { return counterOf(settings.Model.Of(c.settings)).Count(text) },
		Now:    c.process.Now,

		Unattended: c.options.Unattended,
	}, c.earlierAgents(recorded.Agents))
}

// agentSet returns the agents that are offered. It leaves out agents of the repository that need
// consent and do not have it.
func (c *Conversation) agentSet() agents.Set {
	set := c.crew.set
	set.Agents = slices.DeleteFunc(slices.Clone(set.Agents), func(a agents.Agent) bool { return !c.agentAllowed(a) })
	return set
}

// agentNamed returns the agent with a name, if it is offered.
func (c *Conversation) agentNamed(name string) (agents.Agent, error) {
	if a, err := c.crew.set.Named(name); err == nil && c.agentAllowed(a) {
		return a, nil
	}
	return c.agentSet().Named(name) // names those that are offered
}

// agentItems returns the agents that need consent, as items: those of plugins, and an agent of a
// repository if it names a model or may do more than look.
func agentItems(set agents.Set) (items []consent.Item) {
	for _, a := range set.Agents {
		if needsConsent(a) {
			items = append(items, agentItem(a))
		}
	}
	return items
}

func needsConsent(a agents.Agent) bool {
	return a.Origin == agents.Plugin || a.Origin == agents.Project && (a.Model != "" || a.Effort != "" || !a.Looks)
}

func agentItem(a agents.Agent) consent.Item {
	return consent.Item{Kind: consent.Agent, Name: a.Name, File: a.File, Effects: a.Effects(), User: a.Origin == agents.Plugin}
}

// agentAllowed reports whether an agent needs no consent or has it.
func (c *Conversation) agentAllowed(a agents.Agent) bool {
	return !needsConsent(a) || c.Trust != nil && c.Trust.Store.May(agentItem(a)) == nil
}

// taskTool returns the source of the tool that gives tasks to agents.
func (c *Conversation) taskTool() tools.Source {
	offered := func() bool {
		return c.crew.team != nil && settings.Agents.Of(c.settings) != settings.AgentsOff && c.window() >= leastWindow
	}
	return tools.Source{
		Name: "agents",
		Revision: func() uint64 {
			if offered() {
				return 1
			}
			return 0
		},
		List: func() []tools.Tool {
			if !offered() {
				return nil
			}
			return []tools.Tool{tools.TaskTool(team.List(c.agentSet(), c.window()), c.window(), c.crew.team.Plan)}
		},
		Expects: func(name string) bool { return name == tools.TaskName },
	}
}

// reviewerOf returns what has an agent review a change, or nil and the reason.
func reviewerOf(c *Conversation) (reviewer brought.Reviewer, why string) {
	switch {
	case c.options.FindingsHere:
		return nil, ""
	case settings.Agents.Of(c.settings) == settings.AgentsOff:
		return nil, "agents is off"
	case c.window() < leastWindow:
		return nil, "the window is too small for agents"
	}
	return c.crew.team.Do, ""
}

// agentBounds returns the bounds for an agent as the settings have them now. A file only narrows.
func (c *Conversation) agentBounds(a agents.Agent) team.Bounds {
	cost, _ := settings.AgentsMaxCost.Get(c.settings)
	model, _ := c.modelFor(a)
	bounds := team.Bounds{
		Model:    cmp.Or(model, settings.Model.Of(c.settings)),
		Parallel: settings.AgentsParallel.Of(c.settings), PerTurn: settings.AgentsPerTurn.Of(c.settings),
		Requests: settings.AgentsMaxTurns.Of(c.settings), Tokens: settings.AgentsMaxTokens.Of(c.settings),
		Time: settings.AgentsTimeout.Of(c.settings), Cost: cost, ResultTokens: settings.AgentsResultMaxTokens.Of(c.settings),
	}
	if a.MaxTurns > 0 {
		bounds.Requests = min(bounds.Requests, a.MaxTurns)
	}
	if a.Timeout > 0 {
		bounds.Time = min(bounds.Time, a.Timeout)
	}
	return bounds
}

// makeAgent makes the conversation of an agent. It works in the workspace of the conversation,
// with its permissions, sandbox, servers and snapshots; the history, the record and the view of
// files are its own.
func (c *Conversation) makeAgent(ctx context.Context, spec team.Spec) (child team.Child, err error) {
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
	endpoint, with, unused, err := c.agentModel(spec.Agent)
	if err != nil {
		return child, err
	}
	child.Unused = unused
	if endpoint != c.Connection {
		closers = append(closers, func() { _ = endpoint.Close() }) // only closes idle connections
	}
	child.Model = settings.Model.Of(with)
	registry, notes, err := c.agentTools(spec.Agent)
	if err != nil {
		return child, err
	}
	child.Unused = append(child.Unused, notes...)
	log, recorded, err := c.agentLog(spec, child.Model)
	if err != nil {
		return child, err
	}
	var observer history.Observer
	if log != nil {
		closers = append(closers, c.keys.hideFrom(log), func() { c.logged(log.Close()) })
		observer = log.Observe
	}
	env := *c.env
	env.OfAgent = true
	env.Seen, env.Todos = tools.NewSeen(), todo.NewBoard(nil, func(todo.List) {})
	news := c.notes.teller()
	config := chat.Config{
		ID: spec.ID, Endpoint: endpoint, Counter: counterOf, Tools: registry, Env: &env, Root: c.workspace.Root(),
		History: history.NewService(counterOf(child.Model), observer), Session: log, Settings: with, Costs: &c.process.Costs,
		System: AgentPrompt(c.crew.system, spec.Agent), Form: formOf(endpoint, with),
		CompressionPrompt: c.crew.compression, OtherModel: c.otherModel,
		TranscriptPath: func() string {
			if log == nil {
				return ""
			}
			return log.Path()
		},
		Extensions: chat.Extensions{
			Below: c.Brought.Below, Refreeze: func() {}, News: news, Expand: c.agentTask(spec.Agent, news),
		},
		Policy:   gate.Policy{Unattended: c.options.Unattended},
		Gates:    c.gates(),
		CacheKey: cacheKey(c.id + spec.ID),
		Within:   &spec.Within,
		Emit:     func(e chat.Event) { c.emitOf(spec, e) },
		Log:      c.log, Now: c.process.Now,
	}
	if len(recorded.Entries) == 0 {
		child.Chat = chat.New(config)
		return child, nil
	}
	child.Chat, err = chat.Resume(config, recorded)
	return child, err
}

// counterOf returns the counter of a model's tokens.
func counterOf(model string) history.Counter { return tokens.For(tokens.EncodingFor(model)) }

// emitOf passes an event of an agent to the log and the team, which tells the front end of it.
func (c *Conversation) emitOf(spec team.Spec, e chat.Event) {
	logEvent(c.log.With("agent", spec.ID), e)
	spec.Emit(e)
}

// agentTask returns the expander of an agent: the task is plain text, in which slash, @ and !
// are characters. The texts of the agent's skills and news stand before it.
func (c *Conversation) agentTask(a agents.Agent, news func() []history.Block) chat.Expander {
	return func(_ context.Context, message atcmd.Message, _ chat.Embedded) (atcmd.Expansion, error) {
		var said atcmd.Expansion
		for _, name := range a.Skills {
			if text := c.Brought.SkillText(name); text != "" {
				said.Blocks = append(said.Blocks, &history.Text{Text: text, Source: history.Brought, Key: "skill:" + name})
			}
		}
		said.Blocks = append(append(said.Blocks, news()...), &history.Text{Text: message.Text()})
		return said, nil
	}
}

// AgentPrompt returns the system prompt of an agent: that of the conversation, and the agent's
// own text behind it.
func AgentPrompt(system chat.SystemPrompt, a agents.Agent) chat.SystemPrompt {
	own := "\n\n# Your task\n\nYou are the agent " + a.Name + ". Another model gave you one task; it reads your last message and nothing else, and cannot answer questions. " + a.Prompt
	return func(lean bool, names []string, fits func(string) bool) (string, bool) {
		prompt, cut := system(lean, names, func(text string) bool { return fits(text + own) })
		return prompt + own, cut
	}
}

// agentLog opens the record of an agent, nil if the conversation is not recorded.
func (c *Conversation) agentLog(spec team.Spec, model string) (*session.Log, session.State, error) {
	if c.session == nil {
		if spec.Continues {
			return nil, session.State{}, errors.New("the conversation is not recorded, so agent " + spec.ID + " cannot go on")
		}
		return nil, session.State{}, nil
	}
	options := c.sessionOptions()
	options.ID, options.Folder = spec.ID, session.AgentFolder(c.session.Path())
	options.Agent = &session.Agent{ID: spec.ID, Call: spec.Call.ID, Agent: spec.Agent.Name, Title: spec.Call.Title, Model: model}
	if spec.Continues {
		return session.Resume(session.AgentPath(c.session.Path(), spec.ID), options)
	}
	log, err := session.Create(options)
	return log, session.State{}, err
}

// modelFor returns the name of the profile or the model that an agent is to use, "" for that of the
// conversation, and whether the settings name it.
func (c *Conversation) modelFor(a agents.Agent) (name string, own bool) {
	if a.Name == agents.Explore {
		name, own = settings.AgentsExploreModel.Get(c.settings)
	}
	if !own {
		name, own = settings.AgentsModel.Get(c.settings)
	}
	if !own {
		name = a.Model
	}
	return name, own
}

// agentModel returns the endpoint and the settings of an agent: those of the conversation, or of
// a profile or a model that the person or the agent's file names. A file's model that the
// endpoint does not list is not used, and unused says so.
func (c *Conversation) agentModel(a agents.Agent) (endpoint *provider.Connection, with *settings.Settings, unused []string, err error) {
	name, own := c.modelFor(a)
	endpoint, with = c.Connection, c.settings.Overlay()
	if name != "" {
		if other, its, problem := c.connectTo(name); problem == nil {
			endpoint, with = other, its
		} else if c.isListed(name) {
			err = with.Set(settings.Session, settings.Model.Key(), name)
		} else if own {
			err = errors.New("the model " + name + " of the settings is no profile, and the endpoint does not list it")
		} else {
			unused = append(unused, "model "+name+" of the agent's file is not known here: the model in use works")
		}
	}
	if err == nil && a.Effort != "" {
		if problem := with.Set(settings.Session, settings.ReasoningEffort.Key(), a.Effort); problem != nil {
			unused = append(unused, "effort "+a.Effort+" is not known here")
		}
	}
	return endpoint, with, unused, err
}

// isListed reports whether the endpoint lists a model.
func (c *Conversation) isListed(model string) bool {
	listed, err := c.Connection.Models(context.Background())
	return err == nil && slices.ContainsFunc(listed, func(m provider.Offer) bool { return m.ID == model })
}

// recordAgent records the start or the end of an agent.
func (c *Conversation) recordAgent(state chat.AgentState, status, changed string) {
	if c.session == nil {
		return
	}
	figures, err := rawjson.Marshal(state.Stats)
	if err == nil {
		err = c.session.Agent(session.Agent{
			ID: state.ID, Call: state.CallID, Agent: state.Agent, Title: state.Title, Model: state.Model, Status: status, Changed: changed, Figures: figures,
		})
	}
	c.logged(err)
}

// earlierAgents returns the agents of a session that is resumed. An agent that worked when the
// program ended was interrupted.
func (c *Conversation) earlierAgents(recorded []session.Agent) (earlier []team.Earlier) {
	for _, a := range recorded {
		agent, err := c.crew.set.Named(a.Agent)
		if err != nil {
			continue // its file is gone, so it cannot go on
		}
		state := chat.AgentState{ID: a.ID, CallID: a.Call, Agent: a.Agent, Title: a.Title, Model: a.Model}
		_ = json.Unmarshal(a.Figures, &state.Stats) // figures of another version are left out
		if a.Status == "" {
			a.Status = "interrupted"
		}
		earlier = append(earlier, team.Earlier{State: state, Agent: agent, Status: a.Status})
	}
	return earlier
}
