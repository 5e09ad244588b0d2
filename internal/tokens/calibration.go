package tokens

import "math"

// The limits of a ratio. A model with a tokenizer of another vendor rarely needs half or twice as many
// tokens. Beyond these limits, the provider counts something else.
const (
	minRatio = 0.5
	maxRatio = 2.0
)

// Calibration corrects estimates by the reports of providers (D-09). For each model it stores the ratio
// reported ÷ estimated of the latest request. The zero value has no ratios and changes nothing. It is
// not safe for concurrent use.
type Calibration struct {
	ratios map[string]float64
}

// Observe compares the estimate of a request, before scaling, with the prompt tokens that the provider
// reported. cached is how many of these the provider read from its cache. It ignores a request without
// a count on either side. It also ignores a report that seems to omit the cached tokens, as some
// servers do, because a ratio from it would lead to an exceeded limit.
func (c *Calibration) Observe(model string, estimated, reported, cached int) {
	if estimated <= 0 || reported <= 0 || reported < estimated && cached > 0 && !c.includesCached(model, estimated, reported, cached) {
		return
	}
	c.Restore(model, float64(reported)/float64(estimated))
}

// includesCached reports whether a count includes the cached tokens. At least nine tenths of it must be
// cached. A count without the cached tokens is rarely that close to their number, and is then about half
// of the size. So the count must also be above half of the estimate.
func (c *Calibration) includesCached(model string, estimated, reported, cached int) bool {
	const aboveHalf = 0.55
	return cached <= reported && 9*reported <= 10*cached && float64(reported) > aboveHalf*max(1, c.ratios[model])*float64(estimated)
}

// Ratio returns the ratio for a model. It returns false if there is none.
func (c *Calibration) Ratio(model string) (ratio float64, observed bool) {
	ratio, observed = c.ratios[model]
	return ratio, observed
}

// Restore sets the ratio for a model from an earlier run, limited to the allowed range.
func (c *Calibration) Restore(model string, ratio float64) {
	if math.IsNaN(ratio) {
		return
	}
	if c.ratios == nil {
		c.ratios = make(map[string]float64)
	}
	c.ratios[model] = min(max(ratio, minRatio), maxRatio)
}

// Scale returns an estimate in tokens, corrected for a model. Without a ratio for the model it
// returns the estimate unchanged.
func (c *Calibration) Scale(model string, estimated int) int {
	ratio, observed := c.ratios[model]
	if !observed {
		return estimated
	}
	return int(math.Round(float64(estimated) * ratio))
}
