package markdown

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"agent/internal/tui/style"
)

func plainMarkdown() *Renderer { return New(style.NewTheme(style.NoColors, style.Palettes[0])) }

// Text of any kind fits the width. Only code may be wider.
func TestMarkdownKeepsToTheWidth(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{
		"word", "**bold**", "`code span`", "[link](https://example.com/a/long/path)", "averyveryverylongwordthatdoesnotfit",
		"日本語日本語", "👩‍👩‍👧", " ", "\n", "\n\n", "- ", "  - ", "1. ", "> ", "| a | b |\n|---|---|\n| long cell text | `x` |\n", "# ", "~~gone~~", "\\*", "- [x] ",
	})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(pieces, 0, 20).Draw(t, "pieces"), "")
		width := rapid.IntRange(24, 100).Draw(t, "width")
		for _, line := range New(style.NewTheme(style.Colors16, style.Palettes[0])).Render(source, width) {
			if w := ansi.StringWidth(line); w > width && !strings.HasPrefix(line, "    ") {
				t.Fatalf("%d cells in a width of %d: %q\nfrom %q", w, width, line, source)
			}
			if strings.Contains(line, "\n") {
				t.Fatalf("a line end inside a line: %q", line)
			}
		}
	})
}

// No word of the text is lost.
func TestMarkdownKeepsEveryWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}`), 1, 30).Draw(t, "words")
		prefix := rapid.SampledFrom([]string{"", "- ", "> ", "# ", "3. "}).Draw(t, "prefix")
		lines := plainMarkdown().Render(prefix+strings.Join(words, " "), rapid.IntRange(24, 80).Draw(t, "width"))
		got := strings.FieldsFunc(strings.Join(lines, " "), func(r rune) bool { return !unicode.IsLower(r) })
		if strings.Join(got, " ") != strings.Join(words, " ") {
			t.Fatalf("%q became %q", words, got)
		}
	})
}

func TestMarkdownBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, source, want string }{
		{"a paragraph is wrapped anew", "one\ntwo  \nthree", "one two\nthree"},
		{"emphasis has no marks", "a *b* **c** ~~d~~", "a b c d"},
		{"a heading keeps its marks without colour", "## Two", "## Two"},
		{"escapes", `\*a\* a\b`, `*a* a\b`},
		{"a link says where it goes", "[docs](http://x.y)", "docs (http://x.y)"},
		{"an address that is its own text", "<http://x.y>", "http://x.y"},
		{"an image", "![alt](a.png)", "alt (a.png)"},
		{"a nested list", "- a\n  - b\n- [x] c", "• a\n  • b\n✓ c"},
		{"tasks", "- [x] a task with so many words that it takes two lines\n- [ ] open\n\n1. [ ] first", "✓ a task with so many words that it\n  takes two lines\n○ open\n\n1. ○ first"},
		{"an ordered list starts where it says", "3. a\n4. b", "3. a\n4. b"},
		{"a list in paragraphs", "- a\n\n- b", "• a\n\n• b"},
		{"a quote", "> a\n> b", "│ a b"},
		{"code keeps its form", "```\na\n\n\tb\n```", "  a\n\n      b"},
		{"code of an unknown language", "```nosuch\na\n```", "  a"},
		{"HTML is shown", "<div>\nx\n</div>", "<div>\nx\n</div>"},
		{"characters by their names", "&lt;a&gt; &amp;amp; <br> &quot;&#39;&#x27;&eacute;&nbsp;b &nosuch; & &; \\&amp; `&amp;`", "<a> &amp; <br> \"''é b &nosuch; & &;\n&amp; `&amp;`"},
		{"no name of what a terminal obeys", "&#27;[31m&#x9b;&#10;&Tab;&zwj;&#8238;&#0;", "&#27;[31m&#x9b;&#10;&Tab;&zwj;&#8238;\ufffd"},
		{"a narrow column keeps its words", "| name | what |\n|--|--|\n| recencyPruningRetention | a text of some words that goes on and on |", "name                    │ what\n────────────────────────┼───────────────\nrecencyPruningRetention │ a text of some\n                        │ words that\n                        │ goes on and on"},
		{"a column of numbers leaves its room to the text, and rules part the rows", "| cost per month | what |\n|--:|--|\n| 45.50 | a text of some words and of others |\n| 7 | short |", "   cost per │ what\n      month │\n────────────┼───────────────────────────\n      45.50 │ a text of some words and\n            │ of others\n┄┄┄┄┄┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄\n          7 │ short"},
		{"names in a table", "| a &lt; |\n|--|\n| &amp; |", "a <\n───\n&"},
		{"a rule", "---", strings.Repeat("─", 20)},
		{"a table", "| a | b |\n|--:|:-:|\n| 1 | two |", "a │  b\n──┼────\n1 │ two"},
		{"escape sequences do not get through", "a\x1b[31mb\x1b]0;t\x07c", "abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lines := plainMarkdown().Render(tt.source, 40)
			for i := range lines {
				lines[i] = strings.TrimRight(lines[i], " ")
			}
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A table that is too wide for the window is shown as records.
func TestMarkdownWideTableBecomesRecords(t *testing.T) {
	t.Parallel()
	source := "| one | two | three | four | five | six |\n|" + strings.Repeat("---|", 6) + "\n|" + strings.Repeat(" some longer text |", 6) + "\n"
	got := strings.Join(plainMarkdown().Render(source, 40), "\n")
	if !strings.Contains(got, "one: some longer text\ntwo: some longer text") {
		t.Errorf("got\n%s", got)
	}
}

// In a narrow window, no common word of a table is broken, in any script.
func TestTableKeepsWords(t *testing.T) {
	t.Parallel()
	const source = "| file | what it is for, in a long text | language |\n|---|---|---|\n| internal/tui/view.go | draws what is live on the screen | 日本語 |\n| b.go | short | 中文 and more |\n"
	for _, width := range []int{30, 39, 59, 99} {
		rows := New(style.NewTheme(style.NoColors, style.Palettes[0])).Render(source, width)
		all := strings.Join(rows, "\n")
		for _, word := range []string{"internal/tui/view.go", "日本語", "中文", "screen"} {
			if !strings.Contains(all, word) {
				t.Errorf("%d columns: %q is broken in\n%s", width, word, all)
			}
		}
		if table := strings.Contains(all, "│"); table != (width > 39) {
			t.Errorf("%d columns: a table is %v:\n%s", width, table, all)
		}
	}
}
