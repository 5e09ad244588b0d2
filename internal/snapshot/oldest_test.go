package snapshot

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"
)

// dropOldest removes the oldest entries first, and only as many as needed. An entry that cannot be
// removed still counts.
func TestDropOldest(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, tc := range []struct {
		most, left int64
		gone       []string
	}{
		{60, 60, nil}, {59, 50, []string{"old"}}, {40, 20, []string{"old", "middle"}}, {0, 20, []string{"old", "middle"}},
	} {
		all := []onDisk{{"new", 20, now}, {"old", 10, now.Add(-2 * time.Hour)}, {"middle", 30, now.Add(-time.Hour)}}
		var gone []string
		left := dropOldest(all, 60, tc.most, func(path string) error {
			if path == "new" {
				return errors.New("in use")
			}
			gone = append(gone, path)
			return nil
		})
		if left != tc.left || !slices.Equal(gone, tc.gone) {
			t.Errorf("to %d: %d left without %q", tc.most, left, gone)
		}
	}
}

// A diff reports a change of the mode, with or without a change of the content.
func TestDiffOfModes(t *testing.T) {
	t.Parallel()
	of := func(mode fs.FileMode, text string) version {
		return version{FileState: FileState{Kind: KindFile, Mode: mode}, content: []byte(text)}
	}
	for _, tc := range []struct {
		now, then version
		want      string
	}{
		{of(0o644, "a\n"), of(0o755, "a\n"), "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"},
		{of(0o644, "a\n"), of(0o755, "b\n"), "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
		{of(0o644, "a\n"), of(0, "b\n"), "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
	} {
		if got := diff("f", tc.now, tc.then); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}
