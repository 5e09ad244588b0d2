package acp

import (
	"strconv"
	"strings"
)

// regions are what the changed regions of a file held and hold.
type regions struct {
	path          string
	created       bool
	before, after strings.Builder
}

// diffs brings a unified diff into the form of the protocol: for each file what the
// changed regions held and hold.
func diffs(unified string, absolute func(string) string) (all []diffContent) {
	var files []*regions
	file := &regions{}
	left, right := 0, 0 // lines of the hunk that are still to come
	for line := range strings.Lines(unified) {
		switch sign := line[0]; {
		case sign == '\\':
		case left > 0 || right > 0:
			text := line
			if strings.IndexByte(" +-", sign) >= 0 {
				text = line[1:]
			}
			if sign != '+' {
				file.before.WriteString(text)
				left--
			}
			if sign != '-' {
				file.after.WriteString(text)
				right--
			}
		case strings.HasPrefix(line, "--- "):
			path := headerPath(line)
			file = &regions{path: path, created: path == nowhere}
			files = append(files, file)
		case strings.HasPrefix(line, "+++ ") && headerPath(line) != nowhere:
			file.path = headerPath(line)
		case strings.HasPrefix(line, "@@ "):
			left, right = hunkLines(line)
		}
	}
	for _, file := range files {
		d := diffContent{Type: "diff", Path: absolute(file.path), NewText: file.after.String()}
		if before := file.before.String(); !file.created || before != "" {
			d.OldText = &before
		}
		all = append(all, d)
	}
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
