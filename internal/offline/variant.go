package offline

import (
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
// a window that is never full.
func Variants() []Variant {
	return []Variant{
		{"none", [][2]string{
			{settings.CompressionStrategy.Key(), compression.DefaultName},
			{settings.DensityReadWritePruning.Key(), "false"},
			{settings.DensityFileDedupe.Key(), "false"},
			{settings.DensityRecencyPruning.Key(), "false"},
			{settings.ContextLimit.Key(), "1000000000"},
			{settings.CompressionThreshold.Key(), "1"},
		}},
		{compression.DefaultName, [][2]string{
			{settings.CompressionStrategy.Key(), compression.DefaultName},
			{settings.DensityRecencyPruning.Key(), "false"},
		}},
		{compression.DefaultName + ", recency 3", [][2]string{
			{settings.CompressionStrategy.Key(), compression.DefaultName},
			{settings.DensityRecencyPruning.Key(), "true"},
			{settings.DensityRecencyRetention.Key(), "3"},
		}},
		{"top-down-truncation", [][2]string{{settings.CompressionStrategy.Key(), "top-down-truncation"}}},
	}
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
