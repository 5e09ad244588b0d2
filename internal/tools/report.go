package tools

import (
	"fmt"
	"path/filepath"
	"strings"
)

// maxRegionLines bounds how much of a changed file an edit answers with.
const maxRegionLines = 100

// report is what the model reads of an edit: what was done, and the changed lines
// as they are now. A new file is not repeated: the call itself holds it.
func (c change) report(d diff, limits Limits) string {
	out := c.done
	switch {
	case c.before == nil:
	case len(d) == 0:
		out += ". Only its line ends changed"
	default:
		out += ". The changed lines now, as NUMBER|TEXT:\n" + cutText(d.regions(), limits.OutputBytes())
	}
	if problem := syntaxProblem(c.rel, c.after); problem != "" {
		out += fmt.Sprintf("\n[Note: the file does not parse now: %s]", problem)
	}
	return strings.TrimSuffix(out, "\n")
}

// regions writes what the hunks hold of the new text, numbered.
func (d diff) regions() string {
	var out strings.Builder
	left := maxRegionLines
	for i, h := range d {
		if i > 0 {
			out.WriteString("…\n")
		}
		lines := h.added()
		shown := lines[:min(len(lines), left)]
		out.WriteString(numberLines(shown, h.to))
		left -= len(shown)
		if len(shown) < len(lines) || left == 0 && i+1 < len(d) {
			fmt.Fprintf(&out, "[the rest of %d changed places is not shown]\n", len(d))
			break
		}
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// added returns the lines of the hunk in the new text.
func (h hunk) added() []string {
	var lines []string
	for _, line := range h.lines {
		if line.op != '-' {
			lines = append(lines, cutLine(strings.TrimSuffix(line.text, "\n"), maxLineBytes))
		}
	}
	return lines
}

// syntaxProblem says why a Go file does not parse, or nothing.
func syntaxProblem(name string, content []byte) string {
	if filepath.Ext(name) != ".go" {
		return ""
	}
	_, _, err := parseGo(content)
	return firstSyntaxError(err)
}
