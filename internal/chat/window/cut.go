package window

// leastCut is the smallest prompt, by our own count, that is taken for cut. Below it
// the templates of servers make more of a difference than a cut would.
const leastCut = 2048

// leastWindow is the smallest window that a server is believed to have, in tokens.
const leastWindow = 1024

// Cut: the provider reported Reported tokens of a request of about Tokens. A local
// server took the rest away without a word, as they do: then Limit is the window that
// is believed from now on. It is 0 where the report is more likely to be wrong, since
// the server does not cut or no window is that small.
type Cut struct{ Tokens, Reported, Limit int }

func (Cut) step() {}

// wasCut reports whether a provider cut a request to model that was estimated at so
// many tokens: it reports far less than it was sent, or just what its window holds.
// What it read from its cache some do not report at all.
func (m *measure) wasCut(model string, estimate int, reported Reported) bool {
	const share = 0.75
	expected := min(estimate, m.calibration.Scale(model, estimate))
	if estimate < leastCut || reported.Prompt <= 0 || reported.Cached > 0 {
		return false
	}
	return float64(reported.Prompt) < share*float64(expected) || reported.Prompt == m.Size()
}

// cut takes what a cut teaches: the window, and nothing about how tokens compare. Every
// cut is reported once.
func (m *measure) cut(estimate int, reported Reported) {
	model := m.model()
	if reported.Prompt < leastWindow || m.Cuts != nil && !m.Cuts() {
		if !m.doubted[model] {
			m.doubted[model] = true
			m.Tell(Cut{Tokens: estimate, Reported: reported.Prompt})
		}
		return
	}
	known, learned := m.learned[model]
	m.learn(reported.Prompt)
	if !learned || known.refused != reported.Prompt {
		m.Tell(Cut{Tokens: estimate, Reported: reported.Prompt, Limit: m.Size()})
	}
}
