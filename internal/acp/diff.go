package acp

import (
	"strconv"
	"strings"
)

// diffs brings a unified diff into the form of the protocol: for each file what the
// changed regions held and hold.
func diffs(unified string, absolute func(string) string) []diffContent {
	var all []diffContent
	var current *diffContent
	var before, after strings.Builder
	created := false
	end := func() {
		if current == nil {
			return
		}
		if text := before.String(); !created || text != "" {
			current.OldText = &text
		}
		current.NewText = after.String()
		all = append(all, *current)
		current = nil
		before.Reset()
		after.Reset()
	}
	left, right := 0, 0 // lines of the hunk that are still to come
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, `\`):
		case left > 0 && strings.HasPrefix(line, "-"):
			before.WriteString(line[1:])
			left--
		case right > 0 && strings.HasPrefix(line, "+"):
			after.WriteString(line[1:])
			right--
		case left > 0 || right > 0:
			before.WriteString(strings.TrimPrefix(line, " "))
			after.WriteString(strings.TrimPrefix(line, " "))
			left, right = left-1, right-1
		case strings.HasPrefix(line, "--- "):
			end()
			created = headerPath(line) == nowhere
			current = &diffContent{Type: "diff", Path: absolute(headerPath(line))}
		case strings.HasPrefix(line, "+++ ") && current != nil:
			if path := headerPath(line); path != nowhere {
				current.Path = absolute(path)
			}
		case strings.HasPrefix(line, "@@ ") && current != nil:
			left, right = hunkLines(line)
		}
	}
	end()
	return all
}

// nowhere is what a diff calls a file that is not there.
const nowhere = "/dev/null"

// hunkLines reads how many lines of the old and of the new text a hunk has.
func hunkLines(line string) (before, after int) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return 0, 0
	}
	count := func(field string) int {
		_, n, found := strings.Cut(field, ",")
		if !found {
			return 1
		}
		lines, _ := strconv.Atoi(n) // no number counts none
		return lines
	}
	return count(fields[1]), count(fields[2])
}

func headerPath(line string) string {
	path := strings.TrimSpace(line[4:])
	if tab := strings.IndexByte(path, '\t'); tab >= 0 {
		path = path[:tab]
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, "a/"), "b/")
}
