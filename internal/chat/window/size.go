package window

// Reported is what a provider said of one request, in its tokens.
type Reported struct {
	// Prompt is the size of the request, Cached the part of it read from the
	// provider's cache and Written the part written to it.
	Prompt, Cached, Written int
}

// Tokens is the size of the next request: head and history as they would be sent,
// scaled by what the provider last reported (D-07, D-09).
func (w *Window) Tokens() int { return w.scaled(w.Estimate()) }

// Estimate is the size of the next request by our own count.
func (w *Window) Estimate() int { return w.overhead() + w.History.TotalTokens() }

// Observe takes what a provider reported of a request to model, which was estimated
// at so many tokens by our own count (D-09).
func (w *Window) Observe(model string, estimate int, reported Reported) {
	w.latest, w.pruning.observed = reported, w.Now()
	if w.pruning.request != nil {
		w.pruning.request.Prompt, w.pruning.request.Cached = reported.Prompt, reported.Cached
	}
	if w.wasCut(model, estimate, reported) {
		w.cut(estimate, reported)
		return
	}
	w.calibration.Observe(model, estimate, reported.Prompt, reported.Cached)
}

// Calibrate uses what providers reported in an earlier run, by model (D-09).
func (w *Window) Calibrate(scales map[string]float64) {
	for model, ratio := range scales {
		w.calibration.Restore(model, ratio)
	}
}

// Scaled is a size by our own count as the provider counts it.
func (w *Window) Scaled(estimate int) int { return w.scaled(estimate) }

// scaled is an estimate in the provider's tokens.
func (w *Window) scaled(estimate int) int {
	return w.calibration.Scale(w.Settings().Model, estimate)
}

// estimated is the inverse of scaled: a size in the provider's tokens as one in
// ours. It rounds down, so that what fits by our count fits by theirs.
func (w *Window) estimated(tokens int) int {
	const probe = 1_000_000
	return int(int64(tokens) * probe / int64(max(1, w.scaled(probe))))
}
