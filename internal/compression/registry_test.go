package compression

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// TestRegistry covers REQ-HD-004.1, REQ-HD-004.2, REQ-HD-004.3, REQ-HD-004.4 and D-05.
func TestRegistry(t *testing.T) {
	t.Parallel()
	names := Names()
	for _, name := range []string{"high-density", "middle-out", "one-shot", "top-down-truncation"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not in %v", name, names)
		}
	}
	for _, name := range names {
		s, err := Get(name)
		if err != nil || s.Name() != name {
			t.Errorf("Get(%q) is %v, %v", name, s, err)
		}
	}
	if DefaultName != "high-density" {
		t.Errorf("the default is %q", DefaultName)
	}
}

// The strategy's own threshold is the last default of REQ-HD-001.10. See also REQ-HD-001.1,
// REQ-HD-001.2, REQ-HD-001.3, REQ-HD-001.4, REQ-HD-004.3, REQ-HD-002.2, BR-THRESH-002,
// BR-THRESH-003.
func TestStrategyProperties(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		trigger  Trigger
		optimize bool
		model    bool
	}{
		"high-density":        {Trigger{TriggerContinuous, 0.85}, true, false},
		"middle-out":          {Trigger{TriggerThreshold, 0.85}, false, true},
		"one-shot":            {Trigger{TriggerThreshold, 0.85}, false, true},
		"top-down-truncation": {Trigger{TriggerThreshold, 0.85}, false, false},
		"cache-aware":         {Trigger{TriggerContinuous, 0.85}, false, false},
	} {
		s, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Trigger() != want.trigger || s.RequiresLLM() != want.model {
			t.Errorf("%s: trigger %v, needs a model %t", name, s.Trigger(), s.RequiresLLM())
		}
		if _, ok := s.(Optimizer); ok != want.optimize {
			t.Errorf("%s optimises: %t", name, ok)
		}
	}
}

// The error contains the valid strategies and the nearest name (ERR-001).
func TestUnknownStrategy(t *testing.T) {
	t.Parallel()
	for name, nearest := range map[string]string{
		"high-densty": "high-density", "HIGH-DENSITY": "high-density", "top-down-truncatoin": "top-down-truncation",
		"": "", "zip": "", "no such thing at all": "",
	} {
		_, err := Get(name)
		var unknown *UnknownStrategyError
		if !errors.As(err, &unknown) || unknown.Name != name {
			t.Errorf("Get(%q): %v", name, err)
			continue
		}
		if offers := strings.Contains(err.Error(), "did you mean "+nearest+"?"); offers != (nearest != "") {
			t.Errorf("%q offers %q: %t", err, nearest, offers)
		}
		for _, valid := range Names() {
			if !strings.Contains(err.Error(), valid) {
				t.Errorf("%q does not name %s", err, valid)
			}
		}
	}
}

// The phases of the requirements come in their order, with the fields of their counts. Other phases
// may follow (REQ-HD-001.8, BR-CONFLICT-002).
func TestPhases(t *testing.T) {
	t.Parallel()
	var order []history.PruneKind
	seen := make(map[string]bool)
	for _, p := range Phases() {
		order = append(order, p.Kind)
		names := []string{string(p.Kind), p.Field, p.Switch.Name}
		for _, n := range p.Numbers {
			names = append(names, n.Name)
			if n.Help == "" || n.Default < n.Least {
				t.Errorf("%s of %s: help %q, default %d, least %d", n.Name, p.Kind, n.Help, n.Default, n.Least)
			}
		}
		for _, name := range names {
			if name == "" || seen[name] {
				t.Errorf("%s: a name is missing or twice: %q", p.Kind, name)
			}
			seen[name] = true
		}
		if p.One == "" || p.Many == "" || p.Switch.Help == "" {
			t.Errorf("%s has no words", p.Kind)
		}
	}
	if want := []history.PruneKind{"stale-read", "duplicate-file", "old-result"}; len(order) < 3 || !slices.Equal(order[:3], want) {
		t.Errorf("phases are %v", order)
	}
	counts := CountsOf(map[history.PruneKind]int{"stale-read": 1, "old-result": 2})
	const want = `{"readWritePairsPruned":1,"fileDeduplicationsPruned":0,"recencyPruned":2`
	if got := asJSON(t, counts); !strings.HasPrefix(got, want) {
		t.Errorf("the counts are %s", got)
	}
}

// TestNormalizeRetention covers REQ-HD-007.4, REQ-HD-013.6, EC-031 and D-22.
func TestNormalizeRetention(t *testing.T) {
	t.Parallel()
	for in, want := range map[float64]int{
		3: 3, 2.9: 2, 1: 1, 0.5: 1, 0: 1, -5: 1, math.Inf(-1): 1, math.Inf(1): math.MaxInt32, 1e300: math.MaxInt32, 100: 100,
	} {
		if got := retention.Normalize(in); got != want {
			t.Errorf("%v gives %d, want %d", in, got, want)
		}
	}
	if got := retention.Normalize(math.NaN()); got != 3 {
		t.Errorf("NaN gives %d", got)
	}
}
