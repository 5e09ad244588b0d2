package settings

import (
	"testing"

	"agent/internal/compression"
)

// D-90: if a setting only affects high-density, setting it selects that strategy, unless another
// strategy is set.
func TestDensitySettingsChooseHighDensity(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		set  [][2]string
		want string
	}{
		{"nothing", nil, compression.CacheAwareName},
		{"a density setting", [][2]string{{DensityKey("recencyPruning"), "true"}}, compression.DefaultName},
		{"and a strategy", [][2]string{{DensityKey("recencyPruning"), "true"}, {"compression-strategy", "one-shot"}}, "one-shot"},
		{"another setting", [][2]string{{"compression.threshold", "0.5"}}, compression.CacheAwareName},
	} {
		s := New(NewRegistry(All(), Choices{CompressionStrategy.Key(): compression.Names()}))
		if err := s.Set(LayerDefault, CompressionStrategy.Key(), compression.CacheAwareName); err != nil {
			t.Fatal(err)
		}
		for _, pair := range tc.set {
			if err := s.Set(LayerFlags, pair[0], pair[1]); err != nil {
				t.Fatal(err)
			}
		}
		if got := CompressionStrategy.Value(s); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
		if len(tc.set) > 0 && CompressionStrategy.Value(New(s.Registry())) != compression.DefaultName {
			t.Errorf("%s: the built-in default has changed", tc.name)
		}
	}
}
