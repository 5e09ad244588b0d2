package atcmd

import (
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
)

// TestDensityReadsInclusions covers I-14 and I-15. If a conversation includes a file twice,
// density pruning removes the older inclusion that this package wrote, and nothing else.
func TestDensityReadsInclusions(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"a": "one\n--- End of content ---\ntwo\n", "b": "b"})
	for _, test := range []struct {
		id, first, second string
		pruned            int
	}{
		{"I-14", "look @a", "look @./a", 1},
		{"I-15", "@a", "@b", 0},
	} {
		strategy, err := compression.Get("high-density")
		if err != nil {
			t.Fatal(err)
		}
		result, err := strategy.(compression.Optimizer).Optimize([]*history.Content{
			history.New(history.Human, expand(t, root, test.first).Blocks...),
			history.New(history.AI, &history.Text{Text: "ok"}),
			history.New(history.Human, expand(t, root, test.second).Blocks...),
		}, compression.DensityConfig{Switches: map[string]bool{"fileDedupe": true}, WorkspaceRoot: root})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Metadata.CountOf("duplicate-file"); got != test.pruned || len(result.Removals) > 0 || len(result.Replacements) != test.pruned {
			t.Errorf("%s: %d inclusions pruned, want %d", test.id, got, test.pruned)
		}
		if left := result.Replacements[0]; left != nil && left.Text() != test.first {
			t.Errorf("%s: %q is left of the first message", test.id, left.Text())
		}
	}
}
