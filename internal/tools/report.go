package tools

import (
	"fmt"
	"strings"

	"agent/internal/tools/outline"
	"agent/internal/tools/textdiff"
)

// report is what the model reads of an edit: what was done, and the changed lines
// as they are now. A new file is not repeated: the call itself holds it.
func (c change) report(d textdiff.Diff, limits Limits) string {
	out := c.done
	switch {
	case c.before == nil:
	case len(d) == 0:
		out += ". Only its line ends changed"
	default:
		out += ". The changed lines now, as NUMBER|TEXT:\n" + shorten(d.Regions(), limits.room(headingBytes+len(c.done)))
	}
	if problem := outline.SyntaxError(c.rel, c.after); problem != "" {
		out += fmt.Sprintf("\n[Note: the file does not parse now: %s]", problem)
	}
	return strings.TrimSuffix(out, "\n")
}
