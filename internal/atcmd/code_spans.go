package atcmd

import (
	"sort"
	"strings"
)

// spans holds the [start, end) of parts of a text, in order.
type spans [][2]int

// fences finds the fenced code blocks of a Markdown text. A block that is never closed extends to
// the end.
func code(text string) spans {
	var found spans
	open, start, at := "", 0, 0
	for line := range strings.Lines(text) {
		marker := fenceMarker(line)
		switch {
		case open == "" && marker != "":
			open, start = marker, at
		case open != "" && closes(line, open):
			found = append(found, [2]int{start, at + len(line)})
			open = ""
		case open == "":
			found = append(found, inlineCode(line, at)...)
		}
		at += len(line)
	}
	if open != "" {
		found = append(found, [2]int{start, len(text)})
	}
	return found
}

// inlineCode returns the spans of a line between two equal runs of backticks. at is the offset of
// the line in the text.
func inlineCode(line string, at int) spans {
	var found spans
	start, run := -1, 0
	for i := 0; i < len(line); {
		length := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		switch {
		case length == 0:
			i++
			continue
		case start < 0 && strings.Contains(line[i+length:], strings.Repeat("`", length)):
			start, run = i, length
		case length == run:
			found = append(found, [2]int{at + start, at + i + length})
			start, run = -1, 0
		}
		i += length
	}
	return found
}

// fenceMarker returns the run of backticks or tildes that opens a fence in line,
// or "".
func fenceMarker(line string) string {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return ""
	}
	for _, char := range []string{"`", "~"} {
		run := body[:len(body)-len(strings.TrimLeft(body, char))]
		// Backticks after the run make it a code span within a line.
		if len(run) >= 3 && (char == "~" || !strings.Contains(body[len(run):], char)) {
			return run
		}
	}
	return ""
}

// closes reports whether line ends a fence opened with marker.
func closes(line, marker string) bool {
	run := fenceMarker(line)
	return strings.HasPrefix(run, marker) && strings.TrimSpace(line) == run
}

// endAround returns the end of the span that contains position at, or at if no span contains it.
func (c spans) endAround(at int) int {
	after := sort.Search(len(c), func(i int) bool { return c[i][1] > at })
	if after < len(c) && c[after][0] <= at {
		return c[after][1]
	}
	return at
}
