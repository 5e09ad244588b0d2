package projectcheck

import (
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
)

// The limits of a check's output for the model: the number of lines, and the characters of each
// line.
const (
	mostLines   = 10
	longestLine = 300
)

// The parts of a line that may differ between two runs with the same result: positions, counts and
// times, and the plurals that depend on them.
var (
	numbers = lazyregexp.New(`\b\d+(?:[.,]\d+)*(?:ns|µs|ms|s|m|h)?\b`)
	plurals = lazyregexp.New(`\b(error|warning|problem|issue|failure|file|test|line)s\b`)
)

// newLines returns the first lines that a check prints after the edits but did not print before
// them. all is the number of all such lines. A line in which only positions or counts have changed
// is not new.
func newLines(before, now string) (lines []string, all int) {
	exact, alike := map[string]int{}, map[string]int{}
	for line := range strings.Lines(before) {
		if line = strings.TrimSpace(line); line != "" {
			exact[line]++
			alike[masked(line)]++
		}
	}
	var open []string
	for line := range strings.Lines(now) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case exact[line] > 0:
			exact[line]--
			alike[masked(line)]--
		default:
			open = append(open, line)
		}
	}
	for _, line := range open {
		if key := masked(line); alike[key] > 0 {
			alike[key]--
			continue
		}
		if all++; all <= mostLines {
			lines = append(lines, humanize.Line(line, longestLine))
		}
	}
	return lines, all
}

// masked returns a line without the parts that may differ between runs.
func masked(line string) string {
	return plurals.ReplaceAllString(numbers.ReplaceAllString(line, "0"), "$1")
}
