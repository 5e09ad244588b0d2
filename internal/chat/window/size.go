package window

import (
	"agent/internal/history"
	"agent/internal/tokens"
)

// Reported holds a provider's report of one request, in its own tokens.
type Reported struct {
	// Prompt is the size of the request, Cached the part read from the provider's cache, and
	// Written the part written to it.
	Prompt, Cached, Written int
}

// measure holds the size of the next request, by our own count and the provider's.
type measure struct {
	*Config
	head        countedHead
	toldHead    headKind
	counter     history.Counter
	calibration tokens.Calibration
	learned     map[string]learnedLimit
	// doubted holds the models whose reports were too small to be true.
	doubted map[string]bool
}

// Tokens returns the size of the next request: head and history as they would be sent, scaled by
// the provider's latest reports (D-07, D-09).
func (m *measure) Tokens() int { return m.Scaled(m.Estimate()) }

// Estimate returns the size of the next request by our own count.
func (m *measure) Estimate() int { return m.overhead() + m.History.TotalTokens() }

// Observe takes a provider's report of a request to model. estimate is the size of the request by
// our own count (D-09).
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

// Calibrate restores the scales that providers' reports gave in an earlier run, by model (D-09).
func (m *measure) Calibrate(scales map[string]float64) {
	for model, ratio := range scales {
		m.calibration.Restore(model, ratio)
	}
}

// Scaled converts a size by our own count to the provider's tokens.
func (m *measure) Scaled(estimate int) int {
	return m.calibration.Scale(m.model(), estimate)
}

// estimated is the inverse of Scaled: it converts a size in the provider's tokens to our own. It
// rounds down, so that a request that fits by our count fits by theirs.
func (m *measure) estimated(tokens int) int {
	const probe = 1_000_000
	return int(int64(tokens) * probe / int64(max(1, m.Scaled(probe))))
}
