package chat

import (
	"fmt"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// windowState is what a Chat knows about the size of its requests.
type windowState struct {
	system   string
	specs    []llm.ToolSpec
	overhead int
	// systemTokens is the part of overhead that is the system prompt.
	systemTokens int
	counter      history.Counter
	// learned are limits that providers taught by refusing, by model.
	learned map[string]learnedLimit
}

// learnedLimit is a size a provider refused while the window was believed to be
// configured; it holds until somebody configures another.
type learnedLimit struct{ refused, configured int }

// maxReserve caps the share of the window kept for the reply (D-08).
const maxReserve = 16_384

// learn remembers that model refused a request of tokens.
func (w *windowState) learn(model string, refused, configured int) {
	if w.learned == nil {
		w.learned = map[string]learnedLimit{}
	}
	w.learned[model] = learnedLimit{refused, configured}
}

// contextLimit is the model's window in tokens: what the user set, else what is
// known of the model, else a common size; never above what the model refused.
func (c *Chat) contextLimit() int {
	configured := c.configuredLimit()
	if l, ok := c.window.learned[settings.Model.Of(c.Settings)]; ok && l.configured == configured {
		return min(configured, l.refused)
	}
	return configured
}

func (c *Chat) configuredLimit() int {
	if limit, set := settings.ContextLimit.Get(c.Settings); set {
		return limit
	}
	if limit, known := c.ContextLimit(settings.Model.Of(c.Settings)); known {
		return limit
	}
	return DefaultContextLimit
}

// reserve is the part of the window kept free for the reply (D-08).
func (c *Chat) reserve() (int, error) {
	limit := c.contextLimit()
	reserve, set := settings.MaxOutputTokens.Get(c.Settings)
	if !set {
		return min(maxReserve, limit/4), nil
	}
	if reserve >= limit {
		return 0, fmt.Errorf("max-output-tokens (%d) leaves no room in context-limit (%d); lower the first or raise the second", reserve, limit)
	}
	return reserve, nil
}

// Tokens is the size of the next request: system prompt, tool schemas and history
// as they would be sent, scaled by what the provider last reported (D-07, D-09).
// It belongs to the owner goroutine.
func (c *Chat) Tokens() int { return c.scaled(c.overhead() + c.History.TotalTokens()) }

func (c *Chat) scaled(estimate int) int {
	return c.calibration.Scale(settings.Model.Of(c.Settings), estimate)
}

// estimated is the inverse of scaled: a size in the provider's tokens as one in
// ours. It rounds down, so that what fits by our count fits by theirs.
func (c *Chat) estimated(tokens int) int {
	const probe = 1_000_000
	return int(int64(tokens) * probe / int64(max(1, c.scaled(probe))))
}

// overhead is what every request holds besides the history.
func (c *Chat) overhead() int {
	c.prepare()
	return c.window.overhead
}

func (c *Chat) systemPrompt() string {
	c.prepare()
	return c.window.system
}

func (c *Chat) toolSpecs() []llm.ToolSpec {
	c.prepare()
	return c.window.specs
}

// prepare fixes the head of every request once: a head that changed within a
// session would void the provider's prefix cache.
func (c *Chat) prepare() {
	c.useModelCounter()
	if c.window.specs != nil {
		return
	}
	c.window.system = c.System()
	c.window.specs = []llm.ToolSpec{}
	for _, t := range c.Tools.All() {
		c.window.specs = append(c.window.specs, llm.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	c.countHead()
}

func (c *Chat) countHead() {
	c.window.systemTokens = c.window.counter.Count(c.window.system)
	c.window.overhead = c.window.systemTokens
	for _, spec := range c.window.specs {
		c.window.overhead += c.window.counter.Count(spec.Name + spec.Description + string(spec.Schema))
	}
}

// useModelCounter makes the history count with the current model's vocabulary.
func (c *Chat) useModelCounter() {
	counter := c.Counter(settings.Model.Of(c.Settings))
	if counter == c.window.counter {
		return
	}
	c.window.counter = counter
	c.History.SetCounter(counter)
	if c.window.specs != nil {
		c.countHead()
	}
}
