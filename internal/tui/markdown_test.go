package tui

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"
)

func plainMarkdown() *markdown { return newMarkdown(newTheme(termenv.Ascii, true)) }

// Prose keeps to the width, whatever it is made of; only code may be longer.
func TestMarkdownKeepsToTheWidth(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{
		"word", "**bold**", "`code span`", "[link](https://example.com/a/long/path)", "averyveryverylongwordthatdoesnotfit",
		"日本語日本語", "👩‍👩‍👧", " ", "\n", "\n\n", "- ", "  - ", "1. ", "> ", "| a | b |\n|---|---|\n| long cell text | `x` |\n", "# ", "~~gone~~", "\\*", "- [x] ",
	})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(pieces, 0, 20).Draw(t, "pieces"), "")
		width := rapid.IntRange(24, 100).Draw(t, "width")
		for _, line := range newMarkdown(newTheme(termenv.ANSI, true)).render(source, width) {
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
		lines := plainMarkdown().render(prefix+strings.Join(words, " "), rapid.IntRange(24, 80).Draw(t, "width"))
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
		{"a nested list", "- a\n  - b\n- [x] c", "• a\n  • b\n• [x] c"},
		{"an ordered list starts where it says", "3. a\n4. b", "3. a\n4. b"},
		{"a list in paragraphs", "- a\n\n- b", "• a\n\n• b"},
		{"a quote", "> a\n> b", "│ a b"},
		{"code keeps its form", "```\na\n\n\tb\n```", "  a\n\n      b"},
		{"code of an unknown language", "```nosuch\na\n```", "  a"},
		{"HTML is shown", "<div>\nx\n</div>", "<div>\nx\n</div>"},
		{"a rule", "---", strings.Repeat("─", 20)},
		{"a table", "| a | b |\n|--:|:-:|\n| 1 | two |", "a │  b\n──┼────\n1 │ two"},
		{"escape sequences do not get through", "a\x1b[31mb\x1b]0;t\x07c", "abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lines := plainMarkdown().render(tt.source, 40)
			for i := range lines {
				lines[i] = strings.TrimRight(lines[i], " ")
			}
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A table that cannot be laid out side by side is shown as records.
func TestMarkdownWideTableBecomesRecords(t *testing.T) {
	t.Parallel()
	source := "| one | two | three | four | five | six |\n|" + strings.Repeat("---|", 6) + "\n|" + strings.Repeat(" some longer text |", 6) + "\n"
	got := strings.Join(plainMarkdown().render(source, 40), "\n")
	if !strings.Contains(got, "one: some longer text\ntwo: some longer text") {
		t.Errorf("got\n%s", got)
	}
}

func TestHighlightPaintsCode(t *testing.T) {
	t.Parallel()
	theme := newTheme(termenv.ANSI, true)
	lines := theme.highlight("func f() {\n\treturn \"x\" // y\n}", "go")
	if len(lines) != 3 || !strings.Contains(lines[0], theme.keyword.text("func")) || !strings.Contains(lines[1], theme.literal.text(`"x"`)) {
		t.Errorf("got %q", lines)
	}
	if got := ansi.Strip(strings.Join(lines, "\n")); got != "func f() {\n    return \"x\" // y\n}" {
		t.Errorf("the code changed: %q", got)
	}
	long := strings.Repeat("x := 1\n", maxHighlight)
	if got := theme.highlight(long, "go"); got[0] != "x := 1" {
		t.Errorf("a great deal of code was highlighted: %q", got[0])
	}
}

// Nothing from outside reaches the terminal but text.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a\tb\r\nc", "\x1b[31mred", "10%\r20%", "\u202eabc", "\xff\x80", "日本\x9b31m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range clean(s) {
			if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || isInvisible(r) {
				t.Fatalf("clean(%q) = %q", s, clean(s))
			}
		}
		if once := clean(s); clean(once) != once {
			t.Fatalf("cleaning %q twice changes it: %q, %q", s, once, clean(once))
		}
	})
}

func TestDiff(t *testing.T) {
	t.Parallel()
	theme := newTheme(termenv.Ascii, true)
	diff := "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n--- two\n+++ zwei\n@@ -98,2 +98,3 @@\n x\n+y\n z\n\\ No newline at end of file\n"
	if added, removed := diffStat(diff); added != 2 || removed != 1 {
		t.Errorf("stat +%d −%d, want +2 −1", added, removed)
	}
	want := "  1  one\n  2 --- two\n  2 +++ zwei\n    ⋮\n 98  x\n 99 +y\n100  z\n    \\ No newline at end of file"
	if got := strings.Join(theme.renderDiff(diff, 0), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
