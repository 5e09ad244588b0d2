package tui

import (
	"fmt"
	"strconv"
	"strings"
)

// diffStat counts the lines a unified diff adds and removes.
func diffStat(diff string) (added, removed int) {
	for _, line := range diffBody(diff) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

// diffBody is the hunks of a unified diff of one file, without its headers.
func diffBody(diff string) []string {
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "@@") {
			return lines[i:]
		}
	}
	return nil
}

// renderDiff shows a unified diff with line numbers. The signs stay, so that it
// reads without colour. Lines are wrapped to width when it is not zero.
func (t *theme) renderDiff(diff string, width int) []string {
	body := diffBody(clean(diff))
	gutter := len(strconv.Itoa(highestLine(body)))
	oldLine, newLine := 0, 0
	var out []string
	for i, line := range body {
		number, style := "", t.plain
		switch {
		case strings.HasPrefix(line, "@@"):
			oldLine, newLine = hunkStart(line)
			if i > 0 {
				out = append(out, t.hunk.text(strings.Repeat(" ", gutter)+" ⋮"))
			}
			continue
		case strings.HasPrefix(line, "+"):
			number, style = strconv.Itoa(newLine), t.added
			newLine++
		case strings.HasPrefix(line, "-"):
			number, style = strconv.Itoa(oldLine), t.removed
			oldLine++
		case strings.HasPrefix(line, `\`):
			style = t.dim
		default:
			number = strconv.Itoa(newLine)
			oldLine++
			newLine++
		}
		prefix := t.dim.text(fmt.Sprintf("%*s ", gutter, number))
		rows := []string{line}
		if width > 0 {
			rows = hardWrap(line, max(10, width-gutter-1))
		}
		for y, row := range rows {
			if y > 0 {
				prefix = strings.Repeat(" ", gutter+1)
			}
			out = append(out, prefix+style.text(row))
		}
	}
	return out
}

// hunkStart reads the first line numbers from "@@ -12,3 +14,5 @@".
func hunkStart(line string) (oldLine, newLine int) {
	for _, field := range strings.Fields(line) {
		start, _, _ := strings.Cut(field, ",")
		n, err := strconv.Atoi(strings.TrimLeft(start, "+-"))
		switch {
		case err != nil:
		case strings.HasPrefix(field, "-"):
			oldLine = n
		case strings.HasPrefix(field, "+"):
			newLine = n
		}
	}
	return oldLine, newLine
}

// highestLine is the largest line number a diff shows.
func highestLine(body []string) int {
	highest := 1
	for _, line := range body {
		if strings.HasPrefix(line, "@@") {
			oldLine, newLine := hunkStart(line)
			highest = max(highest, oldLine, newLine)
		}
	}
	return highest + len(body)
}
