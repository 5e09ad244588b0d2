package patch

import (
	"fmt"
	"strconv"
	"strings"

	"agent/internal/tui/style"
)

// Stat counts the lines a unified diff adds and removes.
func Stat(diff string) (added, removed int) {
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

// Render shows a unified diff with line numbers. The signs stay, so that it
// reads without colour. Lines are wrapped to width when it is not zero.
func Render(t *style.Theme, diff string, width int) []string {
	body := diffBody(style.Clean(diff))
	gutter := len(strconv.Itoa(highestLine(body)))
	oldLine, newLine := 0, 0
	var out []string
	for i, line := range body {
		number, look := "", t.Plain
		switch {
		case strings.HasPrefix(line, "@@"):
			oldLine, newLine = hunkStart(line)
			if i > 0 {
				out = append(out, t.Hunk.Text(strings.Repeat(" ", gutter)+" ⋮"))
			}
			continue
		case strings.HasPrefix(line, "+"):
			number, look = strconv.Itoa(newLine), t.Added
			newLine++
		case strings.HasPrefix(line, "-"):
			number, look = strconv.Itoa(oldLine), t.Removed
			oldLine++
		case strings.HasPrefix(line, `\`):
			look = t.Dim
		default:
			number = strconv.Itoa(newLine)
			oldLine++
			newLine++
		}
		prefix := t.Dim.Text(fmt.Sprintf("%*s ", gutter, number))
		rows := []string{line}
		if width > 0 {
			rows = style.HardWrap(line, max(10, width-gutter-1))
		}
		for y, row := range rows {
			if y > 0 {
				prefix = strings.Repeat(" ", gutter+1)
			}
			out = append(out, prefix+look.Text(row))
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
