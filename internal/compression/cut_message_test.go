package compression

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// numbered returns n numbered lines of ten bytes each.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %04d\n", i+1)
	}
	return b.String()
}

// A message that uses more than half of the available tokens keeps its short texts, and whole lines
// from the beginning and the end of its long ones. Images are removed only if that is not enough
// (D-30).
func TestCutMessage(t *testing.T) {
	t.Parallel()
	image := &history.Media{MimeType: "image/png", Data: "AA"}
	file := history.NewInclusion("f.md", numbered(400))
	imageTokens := contextOf(t, 0, conv(H(image))).Tokens[0]
	for _, tc := range []struct {
		name    string
		limit   int
		record  string
		message *history.Content
		has     []string // nil if nothing is cut
		cut     []string // the removed content
	}{
		{"fits", 2 * 4100, "", H(numbered(400)), nil, nil},
		{"no room", 2 * (leastMessage - 1), "", H(numbered(400)), nil, nil},
		{"by whole lines", 4000, "", H("short", numbered(400)), []string{
			`"short"`, "\n[… 2260 bytes, from line 117 to line 342, were left out to fit the context limit; the session has no log, so ask for the part that you need …]\nline 0343\n", "line 0400\n",
		}, []string{"summarised message: line 0001 line 0002 line 0003 line 0004 line 0005 line 0006…"}},
		{"with a record", 4000, "log", H(numbered(400), numbered(390)), []string{`call recall with {"number":7,"offset":`, `call recall with {"number":8,"offset":`}, nil},
		{"a file", 4000, "log", H("see", file), []string{`; the file is f.md; the session log has all of it: call recall with {"number":7`}, []string{"summarised f.md"}},
		{"an image stays", 2*imageTokens + 2*1000, "", H(numbered(400), image), []string{"media}"}, nil},
		{"an image leaves", 1600, "log", H("look", image), []string{`[an image was left out to fit the context limit; the session log has all of it: call recall with {"number":7`}, []string{"summarised image/png"}},
	} {
		entries := conv(H("old"), A("ok"), tc.message)
		c := contextOf(t, tc.limit, entries)
		c.TranscriptPath = tc.record
		after, changed := CutMessage(c, 7)
		if changed != (tc.has != nil) || len(after) != 3 {
			t.Errorf("%s: changed %t: %s", tc.name, changed, showAll(after))
			continue
		}
		if room := tc.limit / 2; changed && (c.Count(after[2]) > room || c.Count(after[2]) < room*3/4 && room < 5000 && tc.cut == nil) {
			t.Errorf("%s: %d tokens of %d are left", tc.name, c.Count(after[2]), room)
		}
		text := show(after[2]) + after[2].Text()
		for _, part := range tc.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in %q", tc.name, part, text)
			}
		}
		if gone := kindsAndSubjects(PrunedBetween(entries, after, LimitCause, testFacts)); tc.cut != nil && !slices.Equal(gone, tc.cut) {
			t.Errorf("%s: gone %q", tc.name, gone)
		}
	}
}
