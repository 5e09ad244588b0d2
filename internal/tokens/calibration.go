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

// Observe remembers that a request to model, estimated at so many tokens before
// scaling, was reported as so many prompt tokens, of which so many came from the
// provider's cache. A request without a count on either side teaches nothing, nor does
// one that was reported smaller than its estimate and partly cached: some servers
// count only what they had not cached, and a limit that depends on that would be passed.
func (c *Calibration) Observe(model string, estimated, reported, cached int) {
	if estimated <= 0 || reported <= 0 || reported < estimated && cached > 0 {
		return
	}
	c.Restore(model, float64(reported)/float64(estimated))
}

// Ratio is what Observe remembers of a model; false when that is nothing.
func (c *Calibration) Ratio(model string) (ratio float64, observed bool) {
	ratio, observed = c.ratios[model]
	return ratio, observed
}

// Restore remembers a Ratio of an earlier run. One that cannot be is made possible.
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
