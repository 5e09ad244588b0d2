package subagents

import (
	"fmt"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
)

// Bounds limits an agent.
type Bounds struct {
	// Model is the model that the agent is to use.
	Model string
	// Parallel is the number of agents that work at once, PerTurn the number that begin in a turn.
	Parallel, PerTurn int
	// Requests limits the model requests.
	Requests int
	// Tokens limits the input that came from no cache, and the output.
	Tokens int
	// Time limits the time, without the time that the agent waits for a user.
	Time time.Duration
	// Cost limits the cost in USD, 0 for no bound.
	Cost float64
	// ResultTokens limits the report that enters the context of the parent.
	ResultTokens int
}

// String describes the bounds of the work, for a user who is asked about it.
func (b Bounds) String() string {
	text := fmt.Sprintf("%s, at most %s, %s tokens, %s", b.Model, humanize.Count(b.Requests, "request"), humanize.Tokens(b.Tokens), humanize.Took(b.Time))
	if b.Cost > 0 {
		text += ", " + humanize.Dollars(b.Cost)
	}
	return text
}

// A subagent is told to finish at this share of a limit, in percent, or at this number of requests
// before the last.
const (
	almost       = 80
	requestsLeft = 5
)

// Texts that an agent reads at its bounds.
const (
	finishSoon = "[You have little left of what this task may take. Finish now: write your report of what you know so far.]"
	finishNow  = "[This is your last reply, and no call in it is run. Write your report now.]"
)

// clock measures the time of an agent without the time that it waits for a user.
type clock struct {
	now func() time.Time

	mu      sync.Mutex
	started time.Time
	waited  time.Duration
	// waits counts the open approval prompts, and since is when the first of them appeared.
	waits int
	since time.Time
}

// waiting notes that a question is put to a user, or that it is settled.
func (c *clock) waiting(waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits {
		if c.waits++; c.waits == 1 {
			c.since = c.now()
		}
		return
	}
	if c.waits--; c.waits == 0 {
		c.waited += c.now().Sub(c.since)
	}
}

// worked returns the time that the agent has worked.
func (c *clock) worked() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	waited := c.waited
	if c.waits > 0 {
		waited += c.now().Sub(c.since)
	}
	return c.now().Sub(c.started) - waited
}

// pacer tells an agent how much it may still do.
type pacer struct {
	Bounds
	clock *clock
	// told is set once the agent was told to finish.
	told bool
	// reached describes the limit that was reached, "" for none.
	reached string
}

// pace is called before each request.
func (p *pacer) pace(s chat.Stats) chat.Pace {
	requests, cost, tokens, worked := s.Requests, s.Cost, fresh(s), p.clock.worked()
	switch {
	case requests+1 >= p.Requests:
		p.reached = fmt.Sprintf("stopped at %s", humanize.Count(p.Requests, "request"))
	case p.Cost > 0 && cost >= p.Cost:
		p.reached = "stopped at " + humanize.Dollars(p.Cost)
	case tokens >= p.Tokens:
		p.reached = "stopped at " + humanize.Tokens(p.Tokens) + " tokens"
	case worked >= p.Time:
		p.reached = "timed out after " + humanize.Took(p.Time)
	}
	near := requests > 0 && requests+requestsLeft >= p.Requests || p.Cost > 0 && cost*100 >= p.Cost*almost || tokens*100 >= p.Tokens*almost || worked*100 >= p.Time*almost
	switch {
	case p.reached != "":
		return chat.Pace{Say: finishNow, Last: true}
	case near && !p.told:
		p.told = true
		return chat.Pace{Say: finishSoon}
	}
	return chat.Pace{}
}

// fresh returns the tokens that count for the limit.
func fresh(s chat.Stats) int { return s.PromptTokens - s.CachedTokens + s.CompletionTokens }
