package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStreamClosesBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		closed     []string
		open       string
	}{
		{"a paragraph closes with a blank line", "one\ntwo\n\nthree", []string{"one\ntwo"}, "three"},
		{"a paragraph without one is open", "one\ntwo\n", nil, "one\ntwo\n"},
		{"a heading closes with its line", "# one\ntwo", []string{"# one"}, "two"},
		{"a fence closes with its fence", "```go\na\n\nb\n```\nc", []string{"```go\na\n\nb\n```"}, "c"},
		{"a fence needs as many", "````\n```\n````\n", []string{"````\n```\n````"}, ""},
		{"a fence of tildes", "~~~\n```\n~~~\nx", []string{"~~~\n```\n~~~"}, "x"},
		{"an open fence is open", "```\na\n\nb\n", nil, "```\na\n\nb\n"},
		{"a fence ends a paragraph", "text\n```\ncode\n```\n", []string{"text", "```\ncode\n```"}, ""},
		{"a list goes on over a blank line when indented", "- a\n\n  more\n\nnext\n", []string{"- a\n\n  more"}, "next\n"},
		{"code inside a list stays there", "1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n\nend\n", []string{"1. a\n   ```\n   x\n\n   y\n   ```\n2. b"}, "end\n"},
		{"a table", "| a |\n|---|\n| b |\n\nx", []string{"| a |\n|---|\n| b |"}, "x"},
		{"inline code is no fence", "```a``` b\n\n", []string{"```a``` b"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s stream
			closed := s.add(tt.text)
			// The last line may be half there: it must not decide anything yet.
			if diff := cmp.Diff(tt.closed, closed); diff != "" {
				t.Errorf("closed blocks (-want +got):\n%s", diff)
			}
			if got := s.open.String(); got != tt.open {
				t.Errorf("open: %q, want %q", got, tt.open)
			}
		})
	}
}

var markdownLines = []string{
	"text", "# head", "```go", "```", "~~~", "- item", "  more", "    deep", "12. item", "", "| a | b |", "|---|---|", "> quote", "---", "\t", "`x`", "日本語",
}

func markdownText() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(markdownLines), 0, 30), func(lines []string) string {
		return strings.Join(lines, "\n")
	})
}

// Blocks do not depend on how the text was cut into deltas, and nothing is lost
// or told twice.
func TestStreamIsIndependentOfDeltas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := markdownText().Draw(t, "text")
		var whole stream
		want := append(whole.add(text), whole.end()...)

		var pieces stream
		var got []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			got = append(got, pieces.add(rest[:n])...)
			rest = rest[n:]
		}
		got = append(got, pieces.end()...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in pieces (-at once +in pieces):\n%s", diff)
		}
		if diff := cmp.Diff(filled(text), filled(strings.Join(got, "\n"))); diff != "" {
			t.Fatalf("lines lost or changed:\n%s", diff)
		}
	})
}

// filled returns the lines of a text that are not blank.
func filled(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestTailFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(markdownText(), rapid.String()).Draw(t, "text")
		width, height := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(0, 6).Draw(t, "height")
		rows := tailRows(text, width, height)
		if len(rows) > height {
			t.Fatalf("%d rows, %d allowed", len(rows), height)
		}
		for _, row := range rows {
			if textWidth(row) > max(2, width) {
				t.Fatalf("%q is wider than %d", row, width)
			}
		}
	})
}

// A block that grows without end costs no more. Not parallel: it counts what is
// allocated.
func TestTailDoesNotReadTheWholeBlock(t *testing.T) {
	text := strings.Repeat("word ", 1<<18)
	if n := testing.AllocsPerRun(3, func() { tailRows(text, 80, 10) }); n > 3000 {
		t.Errorf("%v allocations for ten rows", n)
	}
}

// The tail of a block that grows without end costs the same.
func BenchmarkTail(b *testing.B) {
	text := strings.Repeat("a line of a very long block of code\n", 100_000)
	for b.Loop() {
		tailRows(text, 100, 20)
	}
}
