package settings

import "time"

// Values of the setting Agents.
const (
	AgentsOff = "off"
	AgentsAsk = "ask"
)

// Agents that work on a task of the model in a context of their own.
var (
	Agents = Declare("agents", Enum("on", AgentsOff, AgentsAsk), "on",
		"whether the model may give tasks to agents with a context of their own (on), only after a question (ask), or not")
	AgentsParallel = Declare("agents.parallel", Int(AtLeast(1, "above 0")), 4,
		"most agents that run at once; others wait in order")
	AgentsMaxTurns = Declare("agents.max-turns", Int(AtLeast(1, "above 0")), 40,
		"most model requests of one agent")
	AgentsTimeout = Declare("agents.timeout", Duration(time.Second, 24*time.Hour), 15*time.Minute,
		"most time of one agent, without the time that it waits for you")
	AgentsMaxCost = dollars("agents.max-cost", "none",
		"most USD that one agent costs, where prices are known")
	AgentsMaxTokens = Declare("agents.max-tokens", Int(AtLeast(1, "above 0")), 400000,
		"most tokens of one agent: input that came from no cache, and output")
	AgentsPerTurn = Declare("agents.per-turn", Int(AtLeast(1, "above 0")), 16,
		"most agents that are started in one turn of yours")
	AgentsModel = Optional("agents.model", Line(), "the model in use",
		"profile, or model of the endpoint, of all agents")
	AgentsExploreModel = Optional("agents.explore.model", Line(), "the model of agents",
		"profile, or model of the endpoint, of the agent explore")
	AgentsResultMaxTokens = Declare("agents.result-max-tokens", Int(AtLeast(1, "above 0")), 2000,
		"most tokens of an agent's report that enter the context; all of it is in the record of the agent")
)
