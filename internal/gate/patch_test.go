package gate

import (
	"testing"

	"agent/internal/protect"
	"agent/internal/rules"
	"agent/internal/tools"
)

// A rule allows a patch only if it allows each of its files. A protected file in a patch requires
// approval unless a rule names it (D-60).
func TestRulesHoldForEachFileOfAPatch(t *testing.T) {
	t.Parallel()
	registry := tools.NewRegistry(tools.Default()...)
	does := registry.Traits("apply_patch")
	env := []protect.File{{Path: ".env", Name: ".env", Why: "may hold keys", Protection: protect.NeedsApproval}}
	for _, tt := range []struct {
		rule      string
		paths     []string
		protected []protect.File
		asked     bool
	}{
		{"apply_patch(src/**)", []string{"src/a.go", "src/deep/b.go"}, nil, false},
		{"apply_patch(src/**)", []string{"src/a.go", "other.go"}, nil, true},
		{"apply_patch(*)", []string{"src/a.go", "other.go"}, nil, false},
		{"replace(src/**)", []string{"src/a.go"}, nil, true},
		{"apply_patch(*)", []string{"a.go", ".env"}, env, true},
		{"apply_patch(.env)", []string{".env"}, env, false},
		{"apply_patch(.env)", []string{"a.go", ".env"}, env, true},
	} {
		rule, err := registry.ParseRule(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		consent := consentIn(t, ModeAsk, Policy{Allow: rules.Rules{rule}})
		if got := consent.WouldAsk(Call{Name: "apply_patch", Traits: does, Preview: tools.Preview{Paths: tt.paths, Protected: tt.protected}}); got != tt.asked {
			t.Errorf("%s with %q: asked %v", tt.rule, tt.paths, got)
		}
	}
}
