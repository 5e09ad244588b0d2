package tokens

import "math"

// A model whose tokenizer is not OpenAI's rarely needs half or twice as many
// tokens; a ratio beyond that says that the provider counts something else.
const (
	minRatio = 0.5
	maxRatio = 2.0
)

// Calibration corrects estimates by what providers report (D-09): for each model
// it keeps the ratio reported ÷ estimated of the latest request. The zero value
// knows no model and changes nothing. It belongs to one goroutine.
type Calibration struct {
	ratios map[string]float64
}

// Observe compares the estimate of a request, before scaling, with the prompt tokens that the
// provider reported, some of them from its cache. A request without a count on either side is
// ignored. So is a partly cached request that was reported smaller than its estimate: some
// servers count only the tokens outside of their cache, and a limit that relied on their
// figure would be exceeded.
func (c *Calibration) Observe(model string, estimated, reported, cached int) {
	if estimated <= 0 || reported <= 0 || reported < estimated && cached > 0 {
		return
	}
	c.Restore(model, float64(reported)/float64(estimated))
}

// Ratio returns the ratio that Observe remembers for a model; false when there is none.
func (c *Calibration) Ratio(model string) (ratio float64, observed bool) {
	ratio, observed = c.ratios[model]
	return ratio, observed
}

// Restore sets the Ratio of an earlier run, moved into the possible range.
func (c *Calibration) Restore(model string, ratio float64) {
	if math.IsNaN(ratio) {
		return
	}
	if c.ratios == nil {
		c.ratios = make(map[string]float64)
	}
	c.ratios[model] = min(max(ratio, minRatio), maxRatio)
}

// Scale returns an estimate in tokens corrected for model, or the estimate itself
// as long as no request to model was observed.
func (c *Calibration) Scale(model string, estimated int) int {
	ratio, observed := c.ratios[model]
	if !observed {
		return estimated
	}
	return int(math.Round(float64(estimated) * ratio))
}
