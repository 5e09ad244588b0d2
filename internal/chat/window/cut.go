package window

// leastCut is the smallest prompt, by our own count, that is taken for cut. Below it
// the templates of servers make more of a difference than a cut would.
const leastCut = 2048

// Cut: the provider reported Limit tokens of a request of about Tokens: it took the
// rest away without a word, as local servers do. Limit is the window that is believed
// from now on.
type Cut struct{ Tokens, Limit int }

func (Cut) step() {}

// wasCut reports whether a provider cut a request to model that was estimated at so
// many tokens: it reports far less than it was sent, or just what its window holds.
// What it read from its cache some do not report at all.
func (w *Window) wasCut(model string, estimate int, reported Reported) bool {
	const share = 0.75
	expected := min(estimate, w.calibration.Scale(model, estimate))
	if estimate < leastCut || reported.Prompt <= 0 || reported.Cached > 0 {
		return false
	}
	return float64(reported.Prompt) < share*float64(expected) || reported.Prompt == w.Size()
}

// cut takes what a cut teaches: the window, and nothing about how tokens compare.
func (w *Window) cut(estimate int, reported Reported) {
	known, learned := w.learned[w.Settings().Model]
	w.learn(reported.Prompt)
	if !learned || known.refused != reported.Prompt {
		w.Tell(Cut{Tokens: estimate, Limit: w.Size()})
	}
}
