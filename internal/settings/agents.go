package settings

import "time"

// The values of the setting Agents.
const (
	AgentsOff = "off"
	AgentsAsk = "ask"
)

// The settings of subagents, which work on a task in a separate context.
var (
	Agents = Declare("agents", Enum("on", AgentsOff, AgentsAsk), "on",
		"whether the model may start subagents: on, ask (after approval) or off")
	AgentsParallel = Declare("agents.parallel", Int(AtLeast(1, "above 0")), 4,
		"how many subagents run at the same time; others wait")
	AgentsMaxTurns = Declare("agents.max-turns", Int(AtLeast(1, "above 0")), 40,
		"maximum model requests of one subagent")
	AgentsTimeout = Declare("agents.timeout", Duration(time.Second, 24*time.Hour), 15*time.Minute,
		"maximum time of one subagent, not counting the time it waits for you")
	AgentsMaxCost = dollars("agents.max-cost", "none",
		"maximum cost of one subagent in USD, if prices are known")
	AgentsMaxTokens = Declare("agents.max-tokens", Tokens(AtLeast(1, "above 0")), 400000,
		"maximum tokens of one subagent: uncached input and output")
	AgentsPerTurn = Declare("agents.per-turn", Int(AtLeast(1, "above 0")), 16,
		"maximum subagents started in one turn")
	AgentsModel = Optional("agents.model", Line(), "the model in use",
		"profile or model for all subagents")
	AgentsExploreModel = Optional("agents.explore.model", Line(), "the model of subagents",
		"profile or model for the subagent explore")
	AgentsResultMaxTokens = Declare("agents.result-max-tokens", Tokens(AtLeast(1, "above 0")), 2000,
		"maximum tokens of a subagent's report in the context; its session log has the whole report")
)
