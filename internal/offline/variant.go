package offline

import (
	"slices"
	"strconv"

	"agent/internal/compression"
	"agent/internal/settings"
)

// Variant is one way of keeping the context small.
type Variant struct {
	Name string
	// Set are the settings that make it, as key and value.
	Set [][2]string
}

// Variants lists what a replay compares. "none" sends everything: no pruning, and
// a window that is never full. A density phase that is off by default has a variant
// of its own.
func Variants() []Variant {
	strategy := [2]string{settings.CompressionStrategy.Key(), compression.DefaultName}
	none := Variant{"none", [][2]string{
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

// PriceModel weighs input tokens against a price of 1 for a token.
type PriceModel struct {
	Name string
	// Read is the price of a token found in the provider's prefix cache, Write of
	// any other.
	Read, Write float64
}

// PriceModels are the ways providers charge for input.
func PriceModels() []PriceModel {
	return []PriceModel{
		{"no cache", 1, 1},
		{"read 0.1 write 1.25", 0.1, 1.25},
		{"read 0.1 write 1", 0.1, 1},
		{"read 0.25 write 1", 0.25, 1},
	}
}
