package chat

import (
	"math"

	"agent/internal/base/humanize"
	"agent/internal/llm"
)

// Stats holds the running figures of a session.
type Stats struct {
	Requests  int
	ToolCalls int
	// UsageReported counts the tokens of all requests.
	UsageReported
	Compressions int
	// Void counts the earlier replies whose reasoning the latest request omitted, because the
	// conversation before them changed. VoidBy names the latest such change.
	Void   int
	VoidBy string
	// Dropped counts the blocks of reasoning that the provider removed from prompts, because the
	// conversation before them had changed. The program should not have sent them.
	Dropped int
	// Searches counts the searches of the web that services have made.
	Searches int
	// Cost is the cost of the requests whose prices were known, in USD; Unpriced counts the
	// tokens of the others.
	Cost     float64
	Unpriced UsageReported
	// Agents holds the figures of the conversation's agents, which the other figures omit.
	Agents AgentStats
	// Saving compares the whole session with a session without pruning, until the end of the latest
	// turn. It is zero if the strategy does no cost accounting.
	Saving Saving
}

// VoidText returns the change that made reasoning void, as the end of a sentence. It returns "" if the
// change is unknown.
func (s Stats) VoidText() string {
	if s.VoidBy == "" {
		return ""
	}
	return " (" + s.VoidBy + ")"
}

// CostSince returns the cost since earlier figures, with the cost of the agents listed separately. It
// returns "" if the cost is 0 or no price is known.
func (s Stats) CostSince(before Stats) string {
	own, agents := s.Cost-before.Cost, s.Agents.Cost-before.Agents.Cost
	if own+agents <= 0 {
		return ""
	}
	text := humanize.Dollars(own)
	if agents > 0 {
		text += " + " + humanize.Dollars(agents) + " of agents"
	}
	return text
}

// SessionCost returns the cost of the session and its agents in USD.
func (s Stats) SessionCost() float64 { return s.Cost + s.Agents.Cost }

// AgentStats sums up the agents of a session.
type AgentStats struct {
	// Agents is the number of agents that were started.
	Agents, Requests int
	UsageReported
	// Cost is the cost in USD of the requests whose prices were known.
	Cost float64
}

func (a *AgentStats) add(s Stats) {
	a.Agents++
	a.Requests += s.Requests
	a.UsageReported.add(s.UsageReported)
	a.Cost += s.Cost
}

// String returns the figures in one line, with the cost if it is known.
func (a AgentStats) String() string {
	text := humanize.Count(a.Requests, "request") + ", " + humanize.Tokens(a.PromptTokens+a.CompletionTokens) + " tokens"
	if a.Cost >= leastCost {
		text += ", " + humanize.Dollars(a.Cost)
	}
	return text
}

// UsageReported holds the provider's figures for the latest request.
type UsageReported struct {
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int
	CacheWriteTokens int
	// ThinkingTokens is the part of CompletionTokens used for reasoning, if the provider reports it.
	ThinkingTokens int
}

// reportedOf returns the figures of a request for interfaces.
func reportedOf(u llm.Usage) UsageReported {
	return UsageReported{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, CachedTokens: u.CachedTokens, CacheWriteTokens: u.CacheWriteTokens, ThinkingTokens: u.ThinkingTokens}
}

func (u *UsageReported) add(more UsageReported) {
	u.PromptTokens += more.PromptTokens
	u.CompletionTokens += more.CompletionTokens
	u.CachedTokens += more.CachedTokens
	u.CacheWriteTokens += more.CacheWriteTokens
	u.ThinkingTokens += more.ThinkingTokens
}

// Saving compares the input of a session with the input of the same session without pruning.
type Saving struct {
	// Tokens is the number of input tokens that requests omitted because of pruning. Most of them would
	// have been read from the cache, so the number does not show the cost.
	Tokens int
	// Without is the cost of the input without pruning, and Saved is how much pruning reduced it. Both
	// are in input tokens at the full price. Saved is negative if pruning cost more than it saved.
	Without, Saved float64
	// Cost is Saved in USD at the prices of the model in use, or 0 if they are unknown.
	Cost float64
}

// Minus returns the saving since before.
func (s Saving) Minus(before Saving) Saving {
	return Saving{s.Tokens - before.Tokens, s.Without - before.Without, s.Saved - before.Saved, s.Cost - before.Cost}
}

// Plus returns the sum of two savings.
func (s Saving) Plus(more Saving) Saving {
	return Saving{s.Tokens + more.Tokens, s.Without + more.Without, s.Saved + more.Saved, s.Cost + more.Cost}
}

// Sign returns 1 for a saving and -1 for a loss. It returns 0 below 1% of the cost without pruning,
// because the estimates are not that exact.
func (s Saving) Sign() int {
	const least = 0.01
	switch {
	case s.Saved > 0 && s.Saved >= least*s.Without:
		return 1
	case s.Saved < 0 && -s.Saved >= least*s.Without:
		return -1
	}
	return 0
}

// Amount returns the saving or the loss without its sign: "$0.034", or "12k tokens at full price" if
// the prices are unknown.
func (s Saving) Amount() string {
	if s.Cost != 0 {
		return humanize.Dollars(math.Abs(s.Cost))
	}
	return humanize.Tokens(int(math.Abs(s.Saved))) + " tokens at full price"
}

// String returns the saving as "saved $0.034" or "lost $0.034", or "" below 1%.
func (s Saving) String() string {
	switch s.Sign() {
	case 1:
		return "saved " + s.Amount()
	case -1:
		return "lost " + s.Amount()
	}
	return ""
}

// leastCost is the smallest sum to show, in USD.
const leastCost = 0.0005
