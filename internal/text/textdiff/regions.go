package textdiff

import (
	"fmt"
	"strings"

	"agent/internal/text/lines"
)

// maxRegionLines bounds how many lines Regions shows.
const maxRegionLines = 100

// maxLineBytes is where Regions cuts a line.
const maxLineBytes = 2000

// Regions writes the changed lines of the new text and those around them, numbered.
func (d Diff) Regions() string {
	var out strings.Builder
	room := maxRegionLines
	for i, h := range d {
		if i > 0 {
			out.WriteString("…\n")
		}
		added := h.added()
		shown := added[:min(len(added), room)]
		out.WriteString(lines.Number(shown, h.to))
		room -= len(shown)
		if len(shown) < len(added) || room == 0 && i+1 < len(d) {
			fmt.Fprintf(&out, "[the rest of %d changed places is not shown]\n", len(d))
			break
		}
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// added returns the lines of the hunk in the new text.
func (h hunk) added() []string {
	var added []string
	for _, line := range h.lines {
		if line.op != '-' {
			added = append(added, lines.Cut(strings.TrimSuffix(line.text, "\n"), maxLineBytes))
		}
	}
	return added
}
