package window

// leastCut is the size of the smallest prompt, by our own count, that wasCut judges. For smaller
// prompts the template of a server may change the count more than a cut would.
const leastCut = 2048

// leastWindow is the size of the smallest window that a server is believed to have, in tokens.
const leastWindow = 1024

// Cut reports that a local server silently cut a request: of about Tokens tokens it counted only
// Reported. Limit is the window that is assumed from now on. It is 0 if the report is more likely
// to be wrong, because the server does not cut or no window is that small.
type Cut struct{ Tokens, Reported, Limit int }

func (Cut) step() {}

// wasCut reports whether a provider cut a request to model. estimate is the size of the request
// by our own count. A provider that cuts reports far fewer tokens than were sent, or exactly the
// size of its window. Some providers do not report tokens read from their cache at all, so a
// report with cached tokens is not judged.
func (m *Measure) wasCut(model string, estimate int, reported Reported) bool {
	const share = 0.75
	expected := min(estimate, m.calibration.Scale(model, estimate))
	if estimate < leastCut || reported.Prompt <= 0 || reported.Cached > 0 {
		return false
	}
	return float64(reported.Prompt) < share*float64(expected) || reported.Prompt == m.limits.Size()
}

// lowerWindow lowers the window to the size that the provider reported. It does not recalibrate the token
// counts. It reports each new size once.
func (m *Measure) lowerWindow(estimate int, reported Reported) {
	model := m.limits.model()
	if reported.Prompt < leastWindow || !m.models.Cuts() {
		if !m.doubted[model] {
			m.doubted[model] = true
			m.tell(Cut{Tokens: estimate, Reported: reported.Prompt})
		}
		return
	}
	known, learned := m.limits.learned[model]
	m.limits.learn(reported.Prompt)
	if !learned || known.Tokens != reported.Prompt {
		m.tell(Cut{Tokens: estimate, Reported: reported.Prompt, Limit: m.limits.Size()})
	}
}
