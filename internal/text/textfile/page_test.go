package textfile

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestReadPageEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ReadPage(ctx, strings.NewReader(strings.Repeat("line\n", 10_000)), Range{First: 9_000, Lines: 1, Bytes: 1000})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// For any text and limits, the number of pages is finite, each page is within the limits, and the
// joined pages are the text.
func TestPagesAreTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bcd", "\n", "\n", "é", "日本", strings.Repeat("x", 90), strings.Repeat("ü", 3000)}), 0, 30).Draw(t, "parts")
		text := strings.Join(parts, "")
		room := rapid.IntRange(8, 300).Draw(t, "bytes")
		var read strings.Builder
		want := Range{First: 1, Column: 1, Lines: rapid.IntRange(1, 20).Draw(t, "lines"), Bytes: room}
		for pages := 0; ; pages++ {
			if pages > 2*len(text)+2 {
				t.Fatalf("reading does not end: %+v", want)
			}
			p, err := ReadPage(context.Background(), strings.NewReader(text), want)
			if err != nil {
				t.Fatal(err)
			}
			if size := len(strings.Join(p.Lines, "\n")); size > room {
				t.Fatalf("a page of %d bytes for %d", size, room)
			}
			read.WriteString(strings.Join(p.Lines, "\n"))
			if p.Rest > 0 {
				want.First, want.Column = p.LastLine(), p.Rest
				continue
			}
			if len(p.Lines) > 0 {
				read.WriteByte('\n')
			}
			if !p.More {
				break
			}
			want.First, want.Column = p.LastLine()+1, 1
		}
		if got := strings.TrimSuffix(read.String(), "\n"); got != strings.TrimSuffix(text, "\n") {
			t.Fatalf("read %q of %q", got, text)
		}
	})
}
