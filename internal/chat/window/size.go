package window

import (
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tokens"
)

// ProviderReport is a provider's report about one request, in the provider's tokens.
type ProviderReport struct {
	// Prompt is the size of the request. Cached is the part read from the provider's cache, and Written
	// the part written to it.
	Prompt, Cached, Written int
}

// RequestMeter computes the size of the next request, by our own count and in the provider's tokens.
type RequestMeter struct {
	history *history.Service
	limits  *Limits
	heads   *HeadBuilder
	models  Models
	tell    func(Step)

	calibration tokens.Calibration
	toldHead    headKind
	// doubted contains the models whose reports were implausibly small.
	doubted map[string]bool
}

// Tokens returns the size of the next request: head and history as they would be sent, scaled by
// the provider's latest reports (D-07, D-09).
func (m *RequestMeter) Tokens() int { return m.ToProviderTokens(m.Estimate()) }

// Estimate returns the size of the next request by our own count.
func (m *RequestMeter) Estimate() int { return m.heads.overhead() + m.history.TotalTokens() }

// observe processes a provider's report. It learns the scale of tokens from the report, or detects that
// the request was truncated.
func (m *RequestMeter) observe(model string, estimate int, reported ProviderReport) {
	if m.wasCut(model, estimate, reported) {
		m.lowerWindow(estimate, reported)
		return
	}
	m.calibration.Observe(model, estimate, reported.Prompt, reported.Cached)
}

// Calibrate restores the scales from providers' reports in an earlier process, by model (D-09).
func (m *RequestMeter) Calibrate(scales map[string]float64) {
	for model, ratio := range scales {
		m.calibration.Restore(model, ratio)
	}
}

// ToProviderTokens converts a size by our own count to the provider's tokens.
func (m *RequestMeter) ToProviderTokens(estimate int) int {
	return m.calibration.Scale(m.limits.model(), estimate)
}

// unscaled is the inverse of ToProviderTokens. It returns the largest size by our own count that is at most
// tokens of the provider.
func (m *RequestMeter) unscaled(tokens int) int {
	const probe = 1_000_000
	estimate := int(int64(tokens) * probe / int64(max(1, m.ToProviderTokens(probe))))
	for m.ToProviderTokens(estimate) > tokens {
		estimate--
	}
	for m.ToProviderTokens(estimate+1) <= tokens {
		estimate++
	}
	return estimate
}

// leastOutput is the smallest limit of one result in tokens, however small the context window.
const leastOutput = 500

// OutputLimit returns the limit of one tool result in tokens. It is the setting, or if less, a quarter
// of the context window without head and reserve (D-41). It uses our own count, as tools do.
func (m *RequestMeter) OutputLimit() int {
	free := m.unscaled(m.limits.Size()-m.limits.reserve()) - m.heads.overhead()
	return min(settings.ToolOutputMaxTokens.Value(m.limits.settings), max(leastOutput, free/4))
}

// Room returns the number of tokens, by our own count, available for a request without its head.
func (m *RequestMeter) Room() int { return m.unscaled(m.limits.Size() - m.limits.reserve()) }

// headKind holds the facts about a head that tellHead reports.
type headKind struct{ lean, cut bool }

// tellHead reports when the context window becomes too small for the usual head, and when it is large
// enough again.
func (m *RequestMeter) tellHead() {
	m.heads.prepare()
	kind := headKind{lean: m.heads.head.lean, cut: m.heads.head.Cut}
	if kind == m.toldHead {
		return
	}
	m.toldHead = kind
	now := HeadChosen{Lean: kind.lean, Cut: kind.cut, Tokens: m.ToProviderTokens(m.heads.overhead()), Limit: m.limits.Size()}
	for _, tool := range m.heads.head.Tools {
		now.Tools = append(now.Tools, tool.Name)
	}
	m.tell(now)
}
