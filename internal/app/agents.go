package app

import (
	"cmp"
	"encoding/json"
	"slices"

	"agent/internal/app/agentrecords"
	"agent/internal/app/extensions"
	"agent/internal/app/subagents"
	"agent/internal/chat"
	"agent/internal/extend/setup/agents"
	"agent/internal/extend/setup/consent"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
)

// Subagents manages the subagents of a conversation. It decides which subagents are offered, and limits the
// cost of each.
type Subagents struct {
	team *subagents.Team
	// set holds the subagents that are offered. It is read once, because the first request already contains
	// the list.
	set agents.Set
	// trust holds the user's decisions about the subagents of the repository. texts holds the instructions,
	// skills and commands that messages can use.
	trust  *consent.Trust
	texts  *extensions.Extensions
	at     *place
	models *endpoints
}

// offered returns the subagents that are offered. It omits subagents of the repository that need consent
// and do not have it.
func (c *Subagents) offered() agents.Set {
	set := c.set
	set.Agents = slices.DeleteFunc(slices.Clone(set.Agents), func(a agents.Agent) bool { return !c.allowed(a) })
	return set
}

// named returns the subagent with a name, if it is offered.
func (c *Subagents) named(name string) (agents.Agent, error) {
	if a, err := c.set.ByName(name); err == nil && c.allowed(a) {
		return a, nil
	}
	return c.offered().ByName(name) // its error lists the offered subagents
}

// agentItems returns consent items for the subagents that need consent. These are all subagents of plugins,
// and those of a repository that name a model or are not read-only.
func agentItems(set agents.Set) (items []consent.Item) {
	for _, a := range set.Agents {
		if needsConsent(a) {
			items = append(items, agentItem(a))
		}
	}
	return items
}

func needsConsent(a agents.Agent) bool {
	return a.Origin == agents.OriginPlugin || a.Origin == agents.OriginProject && (a.Model != "" || a.Effort != "" || !onlyLooks(a))
}

func agentItem(a agents.Agent) consent.Item {
	return consent.Item{Kind: consent.KindAgent, Name: a.Name, File: a.File, Effects: a.Effects(), User: a.Origin == agents.OriginPlugin}
}

func (c *Subagents) allowed(a agents.Agent) bool {
	return !needsConsent(a) || c.trust.Store.Check(agentItem(a)) == nil
}

func (c *Subagents) source() tools.Source {
	offered := func() bool {
		return settings.Agents.Value(c.at.settings) != settings.AgentsOff && c.models.hasRoom()
	}
	return tools.Source{
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

// catalogue returns the list of subagents as the model reads it.
func (c *Subagents) catalogue() subagents.Catalogue {
	return subagents.NewCatalogue(c.offered(), c.models.window(), c.team.Tokens)
}

// reviewer returns the subagent that reviews changes. If there is none, the result contains the reason.
func (c *Subagents) reviewer() extensions.Agent {
	switch {
	case c.at.options.FindingsHere:
		return extensions.Agent{}
	case settings.Agents.Value(c.at.settings) == settings.AgentsOff:
		return extensions.Agent{Why: "the setting agents is off"}
	case !c.models.hasRoom():
		return extensions.Agent{Why: "the context window is too small for subagents"}
	}
	return extensions.Agent{Reviews: c.team.RunTask}
}

// turns resets the count of started subagents when a turn begins.
func (c *Subagents) turns(e chat.Event) {
	if _, begins := e.(chat.TurnStarted); begins {
		c.team.BeginTurn()
	}
}

// bounds returns the limits for a subagent by the current settings. The file of a subagent can only lower
// them.
func (c *Subagents) bounds(a agents.Agent) subagents.Limits {
	with := c.at.settings
	cost, _ := settings.AgentsMaxCost.Get(with)
	model, _ := modelFor(a, with)
	bounds := subagents.Limits{
		Model:    cmp.Or(model, settings.Model.Value(with)),
		Parallel: settings.AgentsParallel.Value(with), PerTurn: settings.AgentsPerTurn.Value(with),
		Requests: settings.AgentsMaxTurns.Value(with), Tokens: settings.AgentsMaxTokens.Value(with),
		Time: settings.AgentsTimeout.Value(with), Cost: cost, ResultTokens: settings.AgentsResultMaxTokens.Value(with),
	}
	if a.MaxTurns > 0 {
		bounds.Requests = min(bounds.Requests, a.MaxTurns)
	}
	if a.Timeout > 0 {
		bounds.Time = min(bounds.Time, a.Timeout)
	}
	return bounds
}

// agent records the start or the end of a subagent.
func (r *record) agent(state chat.AgentState, status, changed string) {
	r.writeJSON(state.Stats, func(log *session.Log, figures json.RawMessage) error {
		a := session.Agent{
			ID: state.ID, Call: state.CallID, Agent: state.Agent, Title: state.Title, Model: state.Model, Status: status, Changed: changed, Figures: figures,
		}
		if status != "" {
			a.Last = session.LastHash(session.AgentPath(log.Path(), a.ID))
		}
		return log.RecordAgent(a)
	})
}

// earlierAgents returns the subagents of a resumed session. A subagent that was running when the program
// ended gets the status interrupted. It is omitted if it had not begun.
func earlierAgents(set agents.Set, rec *record) (earlier []subagents.RecordedAgent) {
	for _, a := range rec.resumed.Agents {
		agent, err := set.ByName(a.Agent)
		if err != nil {
			continue // the definition of the subagent is missing, so it can't continue
		}
		state := chat.AgentState{ID: a.ID, CallID: a.Call, Agent: a.Agent, Title: a.Title, Model: a.Model}
		_ = json.Unmarshal(a.Figures, &state.Stats) // figures of another version are omitted
		if a.Status == "" {
			if !agentrecords.HasBegun(session.AgentPath(rec.log.Path(), a.ID)) {
				continue
			}
			a.Status = "interrupted"
		}
		earlier = append(earlier, subagents.RecordedAgent{State: state, Agent: agent, Status: a.Status})
	}
	return earlier
}

// modelFor returns the name of the profile or model for a subagent, or "" for the model of the
// conversation. own reports whether the settings name it.
func modelFor(a agents.Agent, with *settings.Settings) (name string, own bool) {
	if a.Name == agents.ExploreAgent {
		name, own = settings.AgentsExploreModel.Get(with)
	}
	if !own {
		name, own = settings.AgentsModel.Get(with)
	}
	if !own {
		name = a.Model
	}
	return name, own
}
