package offline

import (
	"slices"
	"strconv"

	"agent/internal/compression"
	"agent/internal/compression/cacheaware"
	"agent/internal/settings"
)

// Variant is one way of keeping the context small.
type Variant struct {
	Name string
	// Set are the settings that make it, as key and value.
	Set [][2]string
}

// noneName is the variant that others are compared with.
const noneName = "none"

// Variants lists what a replay compares. "none" sends everything: no pruning, and
// a window that is never full. A density phase that is off by default has a variant
// of its own.
func Variants() []Variant {
	strategy := [2]string{settings.CompressionStrategy.Key(), compression.DefaultName}
	none := Variant{noneName, [][2]string{
		strategy,
		{settings.ContextLimit.Key(), "1000000000"},
		{settings.CompressionThreshold.Key(), "1"},
	}}
	dense := Variant{compression.DefaultName, [][2]string{strategy}}
	var extra []Variant
	for _, phase := range compression.Phases() {
		off := [2]string{settings.DensityKey(phase.Switch.Name), "false"}
		none.Set = append(none.Set, off)
		if !phase.Switch.Default {
			dense.Set = append(dense.Set, off)
			extra = append(extra, withPhase(phase))
		}
	}
	for i, v := range extra {
		extra[i].Set = slices.Concat(dense.Set, v.Set)
	}
	variants := append([]Variant{none, dense}, extra...)
	variants = append(variants, Variant{compression.CacheAwareName, [][2]string{{settings.CompressionStrategy.Key(), compression.CacheAwareName}}})
	return append(variants, Variant{"top-down-truncation", [][2]string{{settings.CompressionStrategy.Key(), "top-down-truncation"}}})
}

// withPhase switches a phase on, with its numbers as they are by default.
func withPhase(phase compression.Phase) Variant {
	v := Variant{
		Name: compression.DefaultName + ", " + phase.Name,
		Set:  [][2]string{{settings.DensityKey(phase.Switch.Name), "true"}},
	}
	for _, n := range phase.Numbers {
		v.Name += " " + strconv.Itoa(n.Default)
		v.Set = append(v.Set, [2]string{settings.DensityKey(n.Name), strconv.Itoa(n.Default)})
	}
	return v
}

// priced reports whether what the variant does depends on the price.
func (v Variant) priced() bool { return v.Name == compression.CacheAwareName }

// everything reports whether the variant sends all that was recorded.
func (v Variant) everything() bool { return v.Name == noneName }

// PriceModel weighs input tokens against a price of 1 for a token.
type PriceModel struct {
	Name string
	cacheaware.Price
	// Against is the price that sending everything is charged at, where it is another.
	Against cacheaware.Price
}

func (m PriceModel) units(s Sent) float64 { return units(m.Price, s) }

// referenceUnits prices a request of the first variant.
func (m PriceModel) referenceUnits(s Sent) float64 {
	if m.Against != (cacheaware.Price{}) {
		return units(m.Against, s)
	}
	return units(m.Price, s)
}

func units(p cacheaware.Price, s Sent) float64 {
	return float64(s.Cached)*p.Read + float64(s.Tokens-s.Cached)*p.Write
}

// PriceModels are the ways providers charge for input. The last is a provider that
// caches only what it is asked to cache, and is not asked.
func PriceModels() []PriceModel {
	usual := cacheaware.Price{Read: 0.1, Write: 1.25}
	full := cacheaware.Price{Read: 1, Write: 1}
	return []PriceModel{
		{Name: "read 0.1 write 1.25", Price: usual},
		{Name: "read 0.1 write 1", Price: cacheaware.Price{Read: 0.1, Write: 1}},
		{Name: "read 0.25 write 1", Price: cacheaware.Price{Read: 0.25, Write: 1}},
		{Name: "read 0.033 write 1", Price: cacheaware.Price{Read: 0.033, Write: 1}},
		{Name: "read 0.02 write 1", Price: cacheaware.Price{Read: 0.02, Write: 1}},
		{Name: "no cache", Price: full},
		{Name: "no cache hint", Price: full, Against: usual},
	}
}
