package subagents

import (
	"fmt"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
)

// Limits holds the limits of a subagent.
type Limits struct {
	// Model is the model for the subagent.
	Model string
	// Parallel is the number of subagents that work at the same time. PerTurn is the number that may start
	// in a turn.
	Parallel, PerTurn int
	// Requests limits the model requests.
	Requests int
	// Tokens limits the sum of uncached input tokens and output tokens.
	Tokens int
	// Time limits the time, except the time in which the subagent waits for a user.
	Time time.Duration
	// Cost limits the cost in USD; 0 means no limit.
	Cost float64
	// ResultTokens limits the report that enters the context of the parent.
	ResultTokens int
}

// String describes the limits, for the approval prompt.
func (b Limits) String() string {
	text := fmt.Sprintf("%s, at most %s, %s tokens, %s", b.Model, humanize.Count(b.Requests, "request"), humanize.Tokens(b.Tokens), humanize.Duration(b.Time))
	if b.Cost > 0 {
		text += ", " + humanize.Dollars(b.Cost)
	}
	return text
}

// A subagent receives finishSoon at this share of a limit, in percent, or this number of requests before
// the last.
const (
	almost       = 80
	requestsLeft = 5
)

// Texts that a subagent reads near its limits.
const (
	finishSoon = "[This task has almost reached its limit. Write your report now, with what you know so far.]"
	finishNow  = "[This is your last reply, and no call in it is run. Write your report now.]"
)

// clock measures the time of a subagent, without the time in which it waits for a user.
type clock struct {
	now func() time.Time

	mu      sync.Mutex
	started time.Time
	waited  time.Duration
	// waits counts the open approval prompts. since is the time at which the first of them appeared.
	waits int
	since time.Time
}

// waiting records that an approval prompt was opened, or that it was answered.
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

func (c *clock) worked() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	waited := c.waited
	if c.waits > 0 {
		waited += c.now().Sub(c.since)
	}
	return c.now().Sub(c.started) - waited
}

// pacer compares the usage of a subagent with its limits before each request.
type pacer struct {
	Limits
	clock *clock
	// told is set once the subagent was asked to finish.
	told bool
	// reached describes the limit that was reached, or "" for none.
	reached string
}

// pace is called before each request. It returns the message to add to the request, and whether the request
// is the last.
func (p *pacer) pace(s chat.Stats) chat.ContinueAdvice {
	requests, cost, tokens, worked := s.Requests, s.Cost, fresh(s), p.clock.worked()
	switch {
	case requests+1 >= p.Requests:
		p.reached = fmt.Sprintf("stopped at %s", humanize.Count(p.Requests, "request"))
	case p.Cost > 0 && cost >= p.Cost:
		p.reached = "stopped at " + humanize.Dollars(p.Cost)
	case tokens >= p.Tokens:
		p.reached = "stopped at " + humanize.Tokens(p.Tokens) + " tokens"
	case worked >= p.Time:
		p.reached = "timed out after " + humanize.Duration(p.Time)
	}
	near := requests > 0 && requests+requestsLeft >= p.Requests || p.Cost > 0 && cost*100 >= p.Cost*almost || tokens*100 >= p.Tokens*almost || worked*100 >= p.Time*almost
	switch {
	case p.reached != "":
		return chat.ContinueAdvice{Say: finishNow, Last: true}
	case near && !p.told:
		p.told = true
		return chat.ContinueAdvice{Say: finishSoon}
	}
	return chat.ContinueAdvice{}
}

// fresh returns the tokens that count for the limit.
func fresh(s chat.Stats) int { return s.PromptTokens - s.CachedTokens + s.CompletionTokens }
