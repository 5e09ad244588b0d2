package app

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"agent/internal/app/extensions"
	"agent/internal/app/subagents"
	"agent/internal/chat"
	"agent/internal/extend/setup/agents"
	"agent/internal/extend/setup/consent"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
)

// Subagents manages the agents of a conversation. It decides which agents are offered, and how much each
// may spend.
type Subagents struct {
	team *subagents.Team
	// set holds the agents that are offered. It is found once, because the model knows the list
	// from its first request on.
	set agents.Set
	// trust has the user's decisions about the agents of the repository. texts has the texts
	// that messages call.
	trust  *consent.Trust
	texts  *extensions.Extensions
	at     *place
	models *endpoints
}

// newSubagents returns the agents that the model of parent may give tasks to.
func newSubagents(h *hiring, parent *chat.Agents) *Subagents {
	at, rec := h.parts.at, h.parts.rec
	c := &Subagents{set: Agents(at.where), trust: h.parts.trust, texts: h.parts.texts, at: at, models: h.parts.models}
	if at.options.NoSetup {
		c.set.Agents = slices.DeleteFunc(c.set.Agents, func(a agents.Agent) bool { return a.Origin != agents.BuiltIn })
	}
	c.team = subagents.New(subagents.Config{
		Named:  c.named,
		Make:   h.hire,
		Parent: parent,
		Bounds: c.bounds,
		Rel:    at.workspace.Rel,
		Keep:   rec.keepReport,
		Record: rec.agent,
		Tokens: func(text string) int { return counterOf(settings.Model.Of(at.settings)).Count(text) },
		Now:    at.process.Now,

		Unattended: at.options.Unattended,
	}, earlierAgents(c.set, rec))
	return c
}

// offered returns the agents that are offered. It omits agents of the repository that need
// consent and do not have it.
func (c *Subagents) offered() agents.Set {
	set := c.set
	set.Agents = slices.DeleteFunc(slices.Clone(set.Agents), func(a agents.Agent) bool { return !c.allowed(a) })
	return set
}

// named returns the agent with a name, if it is offered.
func (c *Subagents) named(name string) (agents.Agent, error) {
	if a, err := c.set.Named(name); err == nil && c.allowed(a) {
		return a, nil
	}
	return c.offered().Named(name) // Names lists the tools on offer
}

// agentItems returns items for the agents that need consent: agents of plugins, and agents of a
// repository that name a model or may do more than look.
func agentItems(set agents.Set) (items []consent.Item) {
	for _, a := range set.Agents {
		if needsConsent(a) {
			items = append(items, agentItem(a))
		}
	}
	return items
}

func needsConsent(a agents.Agent) bool {
	return a.Origin == agents.Plugin || a.Origin == agents.Project && (a.Model != "" || a.Effort != "" || !onlyLooks(a))
}

func agentItem(a agents.Agent) consent.Item {
	return consent.Item{Kind: consent.Agent, Name: a.Name, File: a.File, Effects: a.Effects(), User: a.Origin == agents.Plugin}
}

// allowed reports whether an agent needs no consent or has it.
func (c *Subagents) allowed(a agents.Agent) bool {
	return !needsConsent(a) || c.trust.Store.Check(agentItem(a)) == nil
}

// isTask reports whether a name is that of the tool that gives tasks to agents.
func isTask(name string) bool { return name == tools.TaskName }

// source returns the source of the tool that gives tasks to agents.
func (c *Subagents) source() tools.Source {
	offered := func() bool {
		return settings.Agents.Of(c.at.settings) != settings.AgentsOff && c.models.window() >= leastWindow
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
			return []tools.Tool{tools.TaskTool(c.catalogue().Text, c.models.window(), c.team.Plan)}
		},
	}
}

// catalogue returns the agents as the model reads them.
func (c *Subagents) catalogue() subagents.Catalogue {
	return subagents.List(c.offered(), c.models.window(), c.team.Tokens)
}

// reviewer returns the agent that reviews changes, or the reason why none does.
func (c *Subagents) reviewer() extensions.Agent {
	switch {
	case c.at.options.FindingsHere:
		return extensions.Agent{}
	case settings.Agents.Of(c.at.settings) == settings.AgentsOff:
		return extensions.Agent{Why: "agents is off"}
	case c.models.window() < leastWindow:
		return extensions.Agent{Why: "the context window is too small for subagents"}
	}
	return extensions.Agent{Reviews: c.team.RunTask}
}

// turns follows the beginning of turns.
func (c *Subagents) turns(e chat.Event) {
	if _, begins := e.(chat.TurnStarted); begins {
		c.team.BeginTurn()
	}
}

// bounds returns the bounds for an agent as the settings have them now. A file only narrows.
func (c *Subagents) bounds(a agents.Agent) subagents.Bounds {
	with := c.at.settings
	cost, _ := settings.AgentsMaxCost.Get(with)
	model, _ := modelFor(a, with)
	bounds := subagents.Bounds{
		Model:    cmp.Or(model, settings.Model.Of(with)),
		Parallel: settings.AgentsParallel.Of(with), PerTurn: settings.AgentsPerTurn.Of(with),
		Requests: settings.AgentsMaxTurns.Of(with), Tokens: settings.AgentsMaxTokens.Of(with),
		Time: settings.AgentsTimeout.Of(with), Cost: cost, ResultTokens: settings.AgentsResultMaxTokens.Of(with),
	}
	if a.MaxTurns > 0 {
		bounds.Requests = min(bounds.Requests, a.MaxTurns)
	}
	if a.Timeout > 0 {
		bounds.Time = min(bounds.Time, a.Timeout)
	}
	return bounds
}

// agent records the start or the end of an agent.
func (r *record) agent(state chat.AgentState, status, changed string) {
	r.writeJSON(state.Stats, func(log *session.Log, figures json.RawMessage) error {
		a := session.Agent{
			ID: state.ID, Call: state.CallID, Agent: state.Agent, Title: state.Title, Model: state.Model, Status: status, Changed: changed, Figures: figures,
		}
		if status != "" {
			a.Last = session.LastHash(session.AgentPath(log.Path(), a.ID))
		}
		return log.Agent(a)
	})
}

// earlierAgents returns the agents of a session that is resumed. An agent that worked when the
// program ended was interrupted, and is omitted if it had not begun.
func earlierAgents(set agents.Set, rec *record) (earlier []subagents.Earlier) {
	for _, a := range rec.resumed.Agents {
		agent, err := set.Named(a.Agent)
		if err != nil {
			continue // without its log, the agent can't continue
		}
		state := chat.AgentState{ID: a.ID, CallID: a.Call, Agent: a.Agent, Title: a.Title, Model: a.Model}
		_ = json.Unmarshal(a.Figures, &state.Stats) // figures of another version are left out
		if a.Status == "" {
			if !recordOfAgent(session.AgentPath(rec.log.Path(), a.ID), time.Time{}).begun {
				continue
			}
			a.Status = "interrupted"
		}
		earlier = append(earlier, subagents.Earlier{State: state, Agent: agent, Status: a.Status})
	}
	return earlier
}
