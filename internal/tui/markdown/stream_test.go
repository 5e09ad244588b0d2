package markdown

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
			var s Stream
			closed := s.Add(tt.text)
			// The last line may be half there: it must not decide anything yet.
			if diff := cmp.Diff(tt.closed, closed); diff != "" {
				t.Errorf("closed blocks (-want +got):\n%s", diff)
			}
			if got := s.Open.String(); got != tt.open {
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
		var whole Stream
		want := append(whole.Add(text), whole.End()...)

		var pieces Stream
		var got []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			got = append(got, pieces.Add(rest[:n])...)
			rest = rest[n:]
		}
		got = append(got, pieces.End()...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in pieces (-at once +in pieces):\n%s", diff)
		}
		if diff := cmp.Diff(filledLines(text), filledLines(strings.Join(got, "\n"))); diff != "" {
			t.Fatalf("lines lost or changed:\n%s", diff)
		}
	})
}

// filledLines returns the lines of a text that are not blank.
func filledLines(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
