package todo

import (
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// numbered matches the beginning of a numbered item at the left edge of a text.
var numbered = lazyregexp.New(`^\d{1,3}[.)]\s+`)

// ParseSteps returns the numbered items of a Markdown text as a list of pending tasks. It returns an
// empty list if the text has fewer than two items, or more than a list may contain.
func ParseSteps(markdown string) List {
	var steps List
	fenced := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		mark := numbered.FindStringSubmatch(line)
		if fenced || mark == nil {
			continue
		}
		step := strings.NewReplacer("**", "", "`", "").Replace(strings.TrimSpace(line[len(mark[0]):]))
		if letters := []rune(step); len(letters) > maxContent {
			step = string(letters[:maxContent-1]) + "…"
		}
		steps = append(steps, Item{ID: strconv.Itoa(len(steps) + 1), Content: step, Status: Pending})
	}
	if len(steps) < 2 || steps.Check() != nil {
		return nil
	}
	return steps
}
