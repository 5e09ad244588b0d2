package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agent/internal/tui/style"
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
		{"an open fence lets its lines go", "```\na\n\nb\nc", []string{"```\na\n\nb\n```"}, "c"},
		{"a fence ends a paragraph", "text\n```\ncode\n```\n", []string{"text", "```\ncode\n```"}, ""},
		{"a list goes on over a blank line when indented", "- a\n\n  more\n\nnext\n", []string{"- a\n\n  more"}, "next\n"},
		{"code inside a list stays there", "1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n\nend\n", []string{"1. a\n   ```\n   x\n\n   y\n   ```", "2. b"}, "end\n"},
		{"a table", "| a |\n|---|\n| b |\n\nx", []string{"| a |\n|---|\n| b |"}, "x"},
		{"inline code is no fence", "```a``` b\n\n", []string{"```a``` b"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s Stream
			closed := s.Add(tt.text)
			// The last line may be incomplete, so it must not decide anything yet.
			var got []string
			for _, piece := range closed {
				got = append(got, piece.Text)
			}
			if diff := cmp.Diff(tt.closed, got); diff != "" {
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

// The output does not depend on how the text was split into deltas, and every part appears exactly
// once.
func TestStreamIsIndependentOfDeltas(t *testing.T) {
	t.Parallel()
	md := New(style.NewTheme(style.NoColors, style.Palettes[0]))
	show := func(pieces []Piece) (rows []string) {
		for _, piece := range pieces {
			if lines := md.RenderPiece(piece, 60); len(lines) > 0 {
				if len(rows) > 0 && !piece.More {
					rows = append(rows, "")
				}
				rows = append(rows, lines...)
			}
		}
		return rows
	}
	rapid.Check(t, func(t *rapid.T) {
		text := markdownText().Draw(t, "text")
		var whole Stream
		want := show(append(whole.Add(text), whole.End()...))

		var pieces Stream
		var got []Piece
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			got = append(got, pieces.Add(rest[:n])...)
			rest = rest[n:]
		}
		got = append(got, pieces.End()...)
		if diff := cmp.Diff(want, show(got)); diff != "" {
			t.Fatalf("in pieces (-at once +in pieces):\n%s", diff)
		}
	})
}

// The lines of a growing block of code, and the items of a growing list, are printed as soon as
// they cannot change.
func TestStreamLetsFinishedLinesGo(t *testing.T) {
	t.Parallel()
	var s Stream
	if got := s.Add("```go\na\nb\nc"); len(got) != 1 || got[0].Text != "```go\na\nb\n```" || got[0].More {
		t.Fatalf("got %+v", got)
	}
	if got := s.Add("\nd\n```\n"); len(got) != 1 || got[0].Text != "```go\nc\nd\n```" || !got[0].More {
		t.Fatalf("got %+v", got)
	}
	if got := s.Add("1. one\n1. two\n   more\n1. three"); len(got) != 1 || got[0].Text != "1. one" {
		t.Fatalf("got %+v", got)
	}
	if got := append(s.Add("\n"), s.End()...); len(got) != 2 || got[0].First != 2 || got[1].First != 3 || !got[1].More {
		t.Fatalf("got %+v", got)
	}
}

// The rows of a long table are printed one by one, with the column widths of its first rows. The
// output does not depend on when they arrived.
func TestStreamLetsRowsGo(t *testing.T) {
	t.Parallel()
	md := plainMarkdown()
	text := "| number | what it is |\n|---|---|\n"
	for i := range 40 {
		text += fmt.Sprintf("| %d | some words of row %d%s |\n", i, i, strings.Repeat(" and more", i/10*8))
	}
	text += "\nafter\n"
	var s Stream
	var rows []string
	left := 0
	for i := range text {
		for _, piece := range s.Add(text[i : i+1]) {
			rows = append(rows, md.RenderPiece(piece, 60)...)
			left++
		}
	}
	if left < 25 {
		t.Errorf("the table left in %d pieces", left)
	}
	var whole Stream
	var want []string
	for _, piece := range append(whole.Add(text), whole.End()...) {
		want = append(want, md.RenderPiece(piece, 60)...)
	}
	for _, piece := range s.End() {
		rows = append(rows, md.RenderPiece(piece, 60)...)
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-at once +row by row):\n%s", diff)
	}
	bar := strings.Index(rows[0], "│")
	for _, row := range rows[2 : len(rows)-1] {
		if strings.Index(strings.Replace(strings.ReplaceAll(row, "┄", "-"), "┼", "│", 1), "│") != bar || style.Width(row) > 60 {
			t.Errorf("out of line: %q", row)
		}
	}
	if n := strings.Count(strings.Join(rows, "\n"), "what it is"); n != 1 {
		t.Errorf("the header is there %d times", n)
	}
}

// An incomplete line decides nothing, so that no heading, rule or table appears briefly.
func TestOpenShowsNoHalfMarks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"some text\n-":             "some text",
		"some text\n---":           "some text",
		"text\n```":                "text",
		"| a | b |":                "| a | b |\n|-|-|",
		"| a | b |\n|--":           "| a | b |\n|-|-|",
		"| a | b |\n|---|---|\n| ": "| a | b |\n|---|---|",
		"#":                        "",
	} {
		var s Stream
		s.Add(text)
		if got, _ := s.OpenPiece(); got.Text != want {
			t.Errorf("%q is shown as %q, want %q", text, got.Text, want)
		}
		if end := s.End(); len(end) == 0 || !strings.Contains(text, strings.TrimSuffix(end[len(end)-1].Text, "```")) {
			t.Errorf("%q ends as %+v", text, end)
		}
	}
}
