package markdown

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/tui/style"
)

// Settled rows of a paragraph do not change, whatever text follows.
func TestSettledRowsStay(t *testing.T) {
	t.Parallel()
	md := New(style.NewTheme(style.TrueColors, style.Palettes[0]))
	words := rapid.SampledFrom([]string{
		"word ", "other ", "a ", "**", "*", "_", "__", "`", "``", "~~", "[", "](http://x.y)", "]", "<", ">", "!", "\\", "5 * 3 ", "snake_case ", "&amp;", "x<y ",
		"<http://x.y> ", "\"", "日本語", "verylongwordthatdoesnotfitinthewidthofthewindow", ".\n", " ",
	})
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(words, 10, 60).Draw(t, "parts")
		text := "so " + strings.Join(parts, "")
		width := rapid.IntRange(20, 40).Draw(t, "width")
		cut := rapid.IntRange(1, len(text)).Draw(t, "cut")
		if !strings.HasPrefix(strings.ToValidUTF8(text[:cut], "?"), text[:cut]) {
			t.Skip("in the middle of a character")
		}
		var half, whole Stream
		half.Add(text[:cut])
		open, ok := half.OpenPiece()
		if !ok || len(append(whole.Add(text+"\n"), whole.End()...)) != 1 {
			t.Skip("not one block")
		}
		rows := md.RenderPiece(open, width)
		settled := max(0, md.SettledRows(open, rows, width))
		final := md.RenderPiece(Piece{Text: strings.Trim(text, "\n")}, width)
		if settled > len(final) || !slices.Equal(rows[:settled], final[:settled]) {
			t.Fatalf("%d rows were settled of\n%s\nwhich became\n%s", settled, strings.Join(rows, "\n"), strings.Join(final, "\n"))
		}
	})
}

// All rows of a text are settled except the last, up to an open mark.
func TestSettledIsNotTimid(t *testing.T) {
	t.Parallel()
	md := plainMarkdown()
	for text, open := range map[string]int{
		strings.Repeat("plain words flow ", 20):                                      0,
		strings.Repeat("5 * 3 and snake_case ", 20):                                  0,
		"so word word a **a _](http://x.y)***":                                       1,
		strings.Repeat("**bold** and `code` [x] ", 20):                               0,
		strings.Repeat("plain words flow ", 10) + "**" + strings.Repeat("bold ", 60): 16,
		"- " + strings.Repeat("an item ", 5):                                         2,
	} {
		piece := Piece{Text: strings.TrimSpace(text)}
		rows := md.RenderPiece(piece, 20)
		if got, want := md.SettledRows(piece, rows, 20), len(rows)-1-open; got != want {
			t.Errorf("%.30q: %d of %d rows settled, want %d", text, got, len(rows), want)
		}
	}
}
