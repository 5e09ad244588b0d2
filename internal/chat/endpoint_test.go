package chat

import (
	"testing"
	"time"

	"agent/internal/llm/vendor"
)

// Settings of the provider's cache override its known values. The requested lifetime also sets the
// expected one (D-95).
func TestCacheOfAProvider(t *testing.T) {
	t.Parallel()
	marks := vendor.Cache{Kind: vendor.CacheMarks, Reach: 20, Life: 5 * time.Minute}
	hour := marks
	hour.Life = time.Hour
	ends := vendor.Cache{Kind: vendor.CacheMarks, Ends: true, Reach: 80, Life: 30 * time.Minute}
	for _, tt := range []struct {
		known vendor.Cache
		set   map[string]string
		want  vendor.Cache
	}{
		{vendor.Cache{}, nil, vendor.Cache{Kind: vendor.CachePrefix}},
		{vendor.Cache{StepTokens: 64}, nil, vendor.Cache{Kind: vendor.CachePrefix, StepTokens: 64}},
		{vendor.MarkedCache, nil, marks},
		{vendor.MarkedCache, map[string]string{"prompt-cache": "1h"}, hour},
		{vendor.MarkedCache, map[string]string{"prompt-cache": "off"}, vendor.Cache{Kind: vendor.CacheNone}},
		{vendor.Cache{}, map[string]string{"prompt-cache": "5m"}, marks},
		{ends, map[string]string{"prompt-cache": "1h"}, vendor.Cache{Kind: vendor.CacheMarks, Ends: true, Reach: 80, Life: 30 * time.Minute}},
		{vendor.Cache{Kind: vendor.CacheNone}, nil, vendor.Cache{Kind: vendor.CacheNone}},
		{vendor.Cache{}, map[string]string{"cache-kind": "marks", "cache-life": "30m"}, vendor.Cache{Kind: vendor.CacheMarks, Reach: 20, Life: 30 * time.Minute}},
		{vendor.MarkedCache, map[string]string{"cache-kind": "none", "cache-life": "auto"}, vendor.Cache{Kind: vendor.CacheNone, Reach: 20, Life: 5 * time.Minute}},
	} {
		b := newBench(t)
		for key, value := range tt.set {
			b.set(key, value)
		}
		if got := cacheOf(b.config.Settings, tt.known); got != tt.want {
			t.Errorf("%+v, %v: %+v, want %+v", tt.known, tt.set, got, tt.want)
		}
	}
}

// A learned lifetime is stored only if it is the provider's default. A configured or requested
// lifetime replaces it and is not stored.
func TestOnlyTheProvidersLifeIsKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, value string
		kept       bool
	}{
		{"cache-life", "auto", true},
		{"cache-life", "10m", false},
		{"prompt-cache", "1h", false},
	} {
		b := newBench(t)
		b.set(tt.key, tt.value)
		b.at.cache = vendor.Cache{Kind: vendor.CacheMarks, Reach: 20, Life: 20 * time.Minute}
		models{&b.config}.SaveCacheTTL("m", 40*time.Minute)
		if kept := len(b.at.lives) > 0; kept != tt.kept {
			t.Errorf("%s=%s: kept %t", tt.key, tt.value, kept)
		}
	}
}
