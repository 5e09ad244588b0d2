package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"

	"agent/internal/tui/style"
)

// The parser reads tables, strikethrough and tasks as goldmark's own extensions do.
func TestDialectIsGoldmarks(t *testing.T) {
	t.Parallel()
	ours := New(style.NewTheme(style.TrueColours, style.Palettes[0]))
	theirs := &Renderer{parser: goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser(), theme: ours.theme}
	same := func(t interface{ Fatalf(string, ...any) }, source string) {
		have, want := ours.Render(source, 60), theirs.Render(source, 60)
		if !slices.Equal(have, want) {
			t.Fatalf("%q is\n%s\nand with goldmark's extensions\n%s", source, strings.Join(have, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, source := range []string{
		"| a | b |\n|---|:-:|\n| 1 | 2 |", "a|b\n-|-\n1|2|3\n|4", "text\nmore\na | b\n:- | -:\n1 | 2", "| a |\n|---|---|", "a | b | c\n--|--",
		"| a\\|b | `c\\|d` |\n|---|---|\n| `x\\|y` | \\| |", "| a |\n|---|\n| 1 |\n\nafter", "> | a | b |\n> |---|---|\n> | 1 | 2 |", "- | a | b |\n  |---|---|\n  | 1 | 2 |",
		"|||\n|-|-|", "| a |\n    |---|", "a\n:-:", "a|b\n---", "| a | b\n|---|---|\n| ~~x~~ | **y** |", "\ta | b\n-|-", "| a |\n|:|", "|\n|-|\n|",
		"~a~ ~~b~~ ~~~c~~~ a~b~c ~~ d ~~ ~~e~", "~~a **b~~ c**", "- [ ] a\n- [x] b\n- [X]c\n- [y] d\n- [ ]\n- []\n- a [x]\n1. [x] e", "[ ] a", "- > [x] a", "- [\t] a\n\n  [x] b",
	} {
		same(t, source)
	}
	parts := rapid.SampledFrom([]string{
		"|", "|", "-", "--", ":", " ", "  ", "\t", "\n", "\n", "\n\n", "a", "word", "\\", "\\|", "`", "~", "~~", "*", "**", "- ", "1. ", "> ", "[ ]", "[x]", "[", "] ", "# ", "é", "    ",
		"| a | b |\n", "|---|---|\n", "|:-|-:|\n", "\n- [x] ", "<b>", "\r\n", "\f", "\v", "\u00a0",
	})
	rapid.Check(t, func(t *rapid.T) {
		same(t, strings.Join(rapid.SliceOfN(parts, 0, 40).Draw(t, "parts"), ""))
	})
}
