package offline

import (
	"agent/internal/compression"
	"agent/internal/settings"
)

// A Variant is one way of keeping the context small.
type Variant struct {
	Name string
	// Set lists the settings of the variant, as pairs of key and value.
	Set [][2]string
}

// noneName is the name of the variant without pruning, with which the others are compared.
const noneName = "none"

// Strategies returns the default variants of a replay: "none" and each strategy that calls no model.
// "none" sends everything without pruning in a window that is never full.
func Strategies() []Variant {
	none := withStrategy(compression.DefaultName)
	none.Name = noneName
	none.Set = append(none.Set, [2]string{settings.ContextLimit.Key(), "1000000000"}, [2]string{settings.CompressionThreshold.Key(), "1"})
	for _, phase := range compression.Phases() {
		none.Set = append(none.Set, [2]string{settings.DensityKey(phase.Switch.Name), "false"})
	}
	variants := []Variant{none}
	for _, name := range compression.Names() {
		if strategy, err := compression.Get(name); err == nil && !strategy.RequiresLLM() {
			variants = append(variants, withStrategy(name))
		}
	}
	return variants
}

// withStrategy returns the variant with the user's settings and another strategy.
func withStrategy(name string) Variant {
	return Variant{name, [][2]string{{settings.CompressionStrategy.Key(), name}}}
}

func (v Variant) priced() bool { return v.Name == compression.CacheAwareName }

// sendsEverything reports whether the variant sends the whole recording without pruning.
func (v Variant) sendsEverything() bool { return v.Name == noneName }

// A PriceModel weighs input tokens relative to the full price of a token, which is 1.
type PriceModel struct {
	Name string
	compression.Price
	// Against is the price for the variant without pruning, if it differs from Price.
	Against compression.Price
}

func (m PriceModel) units(s SentRequest) float64 { return units(m.Price, s) }

func (m PriceModel) referenceUnits(s SentRequest) float64 {
	if m.Against != (compression.Price{}) {
		return units(m.Against, s)
	}
	return units(m.Price, s)
}

func units(p compression.Price, s SentRequest) float64 {
	return float64(s.Cached)*p.Read + float64(s.Tokens-s.Cached)*p.Write
}

// PriceModels lists the ways in which providers charge for input. In the last, the provider caches only
// on request, and the requests do not ask for it.
func PriceModels() []PriceModel {
	usual := compression.Price{Read: 0.1, Write: 1.25}
	full := compression.Price{Read: 1, Write: 1}
	return []PriceModel{
		{Name: "read 0.1 write 1.25", Price: usual},
		{Name: "read 0.05 write 1.25", Price: compression.Price{Read: 0.05, Write: 1.25}},
		{Name: "read 0.025 write 1.25", Price: compression.Price{Read: 0.025, Write: 1.25}},
		{Name: "read 0.1 write 1", Price: compression.Price{Read: 0.1, Write: 1}},
		{Name: "read 0.25 write 1", Price: compression.Price{Read: 0.25, Write: 1}},
		{Name: "read 0.033 write 1", Price: compression.Price{Read: 0.033, Write: 1}},
		{Name: "read 0.02 write 1", Price: compression.Price{Read: 0.02, Write: 1}},
		{Name: "no cache", Price: full},
		{Name: "no cache hint", Price: full, Against: usual},
	}
}
