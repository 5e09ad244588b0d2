package window

import (
	"agent/internal/history"
	"agent/internal/tokens"
)

// Reported is what a provider said of one request, in its tokens.
type Reported struct {
	// Prompt is the size of the request, Cached the part of it read from the
	// provider's cache and Written the part written to it.
	Prompt, Cached, Written int
}

// measure is what the next request measures, by our own count and the provider's.
type measure struct {
	*Config
	head        countedHead
	toldHead    headKind
	counter     history.Counter
	calibration tokens.Calibration
	learned     map[string]learnedLimit
	// doubted are the models whose reports were too small to be true.
	doubted map[string]bool
}

// Tokens is the size of the next request: head and history as they would be sent,
// scaled by what the provider last reported (D-07, D-09).
func (m *measure) Tokens() int { return m.Scaled(m.Estimate()) }

// Estimate is the size of the next request by our own count.
func (m *measure) Estimate() int { return m.overhead() + m.History.TotalTokens() }

// Observe takes what a provider reported of a request to model, which was estimated
// at so many tokens by our own count (D-09).
func (w *Window) Observe(model string, estimate int, reported Reported) {
	w.latest, w.observed = reported, w.Now()
	if w.request != nil {
		w.request.Prompt, w.request.Cached = reported.Prompt, reported.Cached
	}
	if w.wasCut(model, estimate, reported) {
		w.cut(estimate, reported)
		return
	}
	w.calibration.Observe(model, estimate, reported.Prompt, reported.Cached)
}

// Calibrate uses what providers reported in an earlier run, by model (D-09).
func (m *measure) Calibrate(scales map[string]float64) {
	for model, ratio := range scales {
		m.calibration.Restore(model, ratio)
	}
}

// Scaled is a size by our own count in the provider's tokens.
func (m *measure) Scaled(estimate int) int {
	return m.calibration.Scale(m.model(), estimate)
}

// estimated is the inverse of Scaled: a size in the provider's tokens as one in
// ours. It rounds down, so that what fits by our count fits by theirs.
func (m *measure) estimated(tokens int) int {
	const probe = 1_000_000
	return int(int64(tokens) * probe / int64(max(1, m.Scaled(probe))))
}
