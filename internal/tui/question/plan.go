package question

import (
	"strings"
	"unicode"

	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
)

// planRows lay out a plan: as Markdown, and as it was written where Markdown would leave
// something of it out.
func planRows(t *style.Theme, plan string, width int) []string {
	plan = style.Reveal(plan).Text
	rows := markdown.New(t).Render(plan, width)
	if !sameLetters(plan, strings.Join(rows, "\n")) {
		return style.WrapText(plan, width)
	}
	var fitting []string
	for _, row := range rows {
		fitting = append(fitting, style.HardWrap(row, width)...)
	}
	return fitting
}

// languageLetters is the longest word that may name the language of a block of code, which
// is not shown.
const languageLetters = 12

// sameLetters reports whether a layout has every letter of a text in Markdown.
func sameLetters(plan, laid string) bool {
	var written strings.Builder
	for line := range strings.Lines(plan) {
		bare := strings.TrimSpace(line)
		if language, fence := strings.CutPrefix(bare, "```"); fence && len(language) <= languageLetters && !strings.ContainsAny(language, " \t") {
			continue
		}
		written.WriteString(line)
	}
	return letters(written.String()) == letters(style.Clean(laid))
}

// letters are those of a text, without what Markdown and a layout put between them.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
}

// planChoices are the answers to a plan.
func (q *Questions) planChoices() []choice {
	out := []choice{{"y", "yes, and ask me before changes (mode ask)", "yes"}}
	if q.body.hidden == 0 && !q.body.cramped {
		out = append(out, choice{"a", "yes, and " + oneLine(q.First().Always).Text, "yes, and edit"})
	}
	return append(out, choice{"n", "not yet: say what to change, or just type it", "not yet"}, choice{"esc", "no, and stop", "stops"})
}
