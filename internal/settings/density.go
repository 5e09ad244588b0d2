package settings

import (
	"fmt"
	"strings"

	"agent/internal/compression"
)

// DensityKey returns the key of the setting that a density phase declares under a name.
func DensityKey(name string) string { return "compression.density." + name }

// density returns the settings that density phases declare (REQ-HD-009.1 … REQ-HD-009.4).
func density() []AnySetting {
	var declared []AnySetting
	for _, phase := range compression.Phases() {
		declared = append(declared, densitySwitch(phase.Switch))
		for _, n := range phase.Numbers {
			declared = append(declared, densityNumber(n))
		}
	}
	return declared
}

func densitySwitch(s compression.Switch) Setting[bool] {
	return Declare(DensityKey(s.Name), Bool(), s.Default, s.Help)
}

func densityNumber(n compression.Number) Setting[int] {
	bounds := AtLeast(float64(n.Least), fmt.Sprintf("of at least %d", n.Least))
	return Declare(DensityKey(n.Name), Int(bounds), n.Default, n.Help)
}

// DensityConfig returns the configuration of density from the settings (REQ-HD-009.5). The caller adds
// the workspace and the traits of tools.
func DensityConfig(s *Settings) compression.DensityConfig {
	config := compression.DensityConfig{Switches: make(map[string]bool), Numbers: make(map[string]float64)}
	for _, phase := range compression.Phases() {
		config.Switches[phase.Switch.Name] = densitySwitch(phase.Switch).Value(s)
		for _, n := range phase.Numbers {
			config.Numbers[n.Name] = float64(densityNumber(n).Value(s))
		}
	}
	return config
}

// NoEffectReason returns the reason why a setting has no effect with the current values of the others.
// It returns "" if the setting has an effect.
func NoEffectReason(s *Settings, key string) string {
	if !strings.HasPrefix(key, DensityKey("")) {
		return ""
	}
	name := CompressionStrategy.Value(s)
	strategy, err := compression.Get(name)
	if err != nil {
		return ""
	}
	if _, optimizes := strategy.(compression.Optimizer); optimizes {
		return ""
	}
	return key + " has no effect with the compression strategy " + name
}
