package window

import (
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tokens"
)

// Reported holds a provider's report of one request, in its own tokens.
type Reported struct {
	// Prompt is the size of the request, Cached the part read from the provider's cache, and
	// Written the part written to it.
	Prompt, Cached, Written int
}

// Measure measures the next request, by our own count and in the provider's tokens.
type Measure struct {
	history *history.Service
	limits  *Limits
	heads   *Heads
	models  Models
	tell    func(Step)

	calibration tokens.Calibration
	toldHead    headKind
	// doubted holds the models whose reports were too small to be true.
	doubted map[string]bool
}

// Tokens returns the size of the next request: head and history as they would be sent, scaled by
// the provider's latest reports (D-07, D-09).
func (m *Measure) Tokens() int { return m.Scaled(m.Estimate()) }

// Estimate returns the size of the next request by our own count.
func (m *Measure) Estimate() int { return m.heads.overhead() + m.history.TotalTokens() }

// observe takes a provider's report, from which it learns the scale of tokens or that the request
// was cut.
func (m *Measure) observe(model string, estimate int, reported Reported) {
	if m.wasCut(model, estimate, reported) {
		m.lowerWindow(estimate, reported)
		return
	}
	m.calibration.Observe(model, estimate, reported.Prompt, reported.Cached)
}

// Calibrate restores the scales that providers' reports gave in an earlier run, by model (D-09).
func (m *Measure) Calibrate(scales map[string]float64) {
	for model, ratio := range scales {
		m.calibration.Restore(model, ratio)
	}
}

// Scaled converts a size by our own count to the provider's tokens.
func (m *Measure) Scaled(estimate int) int {
	return m.calibration.Scale(m.limits.model(), estimate)
}

// unscaled is the inverse of Scaled: it returns the largest size by our own count that is at most
// tokens in the provider's.
func (m *Measure) unscaled(tokens int) int {
	const probe = 1_000_000
	estimate := int(int64(tokens) * probe / int64(max(1, m.Scaled(probe))))
	for m.Scaled(estimate) > tokens {
		estimate--
	}
	for m.Scaled(estimate+1) <= tokens {
		estimate++
	}
	return estimate
}

// leastOutput is the number of tokens that one result may take in any window, however small.
const leastOutput = 500

// OutputLimit returns the number of tokens that one result of a tool may take: the setting, or a
// quarter of the room that the window has besides head and reserve if that is less (D-41). It is
// by our own count, by which tools measure.
func (m *Measure) OutputLimit() int {
	free := m.unscaled(m.limits.Size()-m.limits.reserve()) - m.heads.overhead()
	return min(settings.ToolOutputMaxTokens.Of(m.limits.settings), max(leastOutput, free/4))
}

// Room returns the number of tokens, by our own count, that a request without a head may take.
func (m *Measure) Room() int { return m.unscaled(m.limits.Size() - m.limits.reserve()) }

// headKind holds the facts about a head that a user should know.
type headKind struct{ lean, cut bool }

// tellHead reports when the window has become too small for the usual head, and when it no longer
// is.
func (m *Measure) tellHead() {
	m.heads.prepare()
	kind := headKind{lean: m.heads.head.lean, cut: m.heads.head.Cut}
	if kind == m.toldHead {
		return
	}
	m.toldHead = kind
	now := HeadChosen{Lean: kind.lean, Cut: kind.cut, Tokens: m.Scaled(m.heads.overhead()), Limit: m.limits.Size()}
	for _, tool := range m.heads.head.Tools {
		now.Tools = append(now.Tools, tool.Name)
	}
	m.tell(now)
}
