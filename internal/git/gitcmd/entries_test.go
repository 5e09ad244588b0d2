package gitcmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The reader of entries accepts the output of git in chunks of any size.
func TestEntriesComeInPieces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var printed strings.Builder
		var want []string
		for range rapid.IntRange(0, 5).Draw(t, "count") {
			entry := rapid.StringMatching(`[a-z\t /é]{0,8}`).Draw(t, "entry")
			printed.WriteString(entry + "\x00")
			want = append(want, entry)
		}
		printed.WriteString(rapid.SampledFrom([]string{"", "not ended"}).Draw(t, "end"))
		var got []string
		entries := Entries{Each: func(entry []byte) { got = append(got, string(entry)) }}
		for rest := printed.String(); rest != ""; {
			size := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			if _, err := entries.Write([]byte(rest[:size])); err != nil {
				t.Fatal(err)
			}
			rest = rest[size:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
