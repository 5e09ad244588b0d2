package window

// leastCut is the size of the smallest prompt, by our own count, that wasCut checks. For smaller
// prompts, the template of a server may change the count more than a cut would.
const leastCut = 2048

// leastWindow is the smallest plausible context window of a server, in tokens.
const leastWindow = 1024

// Truncation reports that a local server silently truncated a request: it counted only Reported of about
// Tokens tokens. Limit is the context window that is assumed for later requests. Limit is 0 if the
// report is probably wrong, because the server does not truncate or no window is that small.
type Truncation struct{ Tokens, Reported, Limit int }

func (Truncation) step() {}

// wasCut reports whether a provider truncated a request to model. estimate is the size of the request
// by our own count. A provider that truncates reports far fewer tokens than were sent, or exactly its
// context window. Some providers do not report tokens read from their cache, so wasCut ignores reports
// with cached tokens.
func (m *RequestMeter) wasCut(model string, estimate int, reported ProviderReport) bool {
	const share = 0.75
	expected := min(estimate, m.calibration.Scale(model, estimate))
	if estimate < leastCut || reported.Prompt <= 0 || reported.Cached > 0 {
		return false
	}
	return float64(reported.Prompt) < share*float64(expected) || reported.Prompt == m.limits.Size()
}

// lowerWindow lowers the context window to the size that the provider reported. It does not recalibrate
// the token counts. It reports each new size once.
func (m *RequestMeter) lowerWindow(estimate int, reported ProviderReport) {
	model := m.limits.model()
	if reported.Prompt < leastWindow || !m.models.MayTruncate() {
		if !m.doubted[model] {
			m.doubted[model] = true
			m.tell(Truncation{Tokens: estimate, Reported: reported.Prompt})
		}
		return
	}
	known, learned := m.limits.learned[model]
	m.limits.learn(reported.Prompt)
	if !learned || known.Tokens != reported.Prompt {
		m.tell(Truncation{Tokens: estimate, Reported: reported.Prompt, Limit: m.limits.Size()})
	}
}
