package textdiff

import (
	"strconv"
	"strings"
)

// Split splits a unified diff of several files into one diff for each. A new file begins with git's
// header, or with a pair of file names after a complete hunk. Inside a hunk, a changed line may
// look like such names.
func Split(diff string) (files []string) {
	begin, at := 0, 0
	old, now := 0, 0 // lines that the hunk still needs
	named := false   // the names of the next hunk's file were read, or git's header was
	for line := range strings.Lines(diff) {
		announced := strings.HasPrefix(line, "diff --git ")
		switch {
		case old > 0 || now > 0:
			if line[0] != '+' && line[0] != '\\' {
				old--
			}
			if line[0] != '-' && line[0] != '\\' {
				now--
			}
		case strings.HasPrefix(line, "@@ "):
			was, is := Extents(line)
			old, now = was.Lines, is.Lines
			named = false
		case announced || !named && strings.HasPrefix(line, "--- "):
			if at > begin {
				files = append(files, diff[begin:at])
			}
			begin, named = at, true
		}
		at += len(line)
	}
	if at > begin {
		files = append(files, diff[begin:])
	}
	return files
}

// Extent is the range of lines that a hunk covers: its first line, from 1, and the number of lines.
type Extent struct{ Start, Lines int }

// Extents parses the head of a hunk, "@@ -12,3 +14,5 @@". A number that cannot be parsed is 0.
func Extents(head string) (old, now Extent) {
	fields := strings.Fields(head)
	if len(fields) < 3 {
		return Extent{}, Extent{}
	}
	return extentOf(fields[1]), extentOf(fields[2])
}

func extentOf(field string) Extent {
	start, lines, given := strings.Cut(field[1:], ",")
	e := Extent{Lines: 1}
	if n, err := strconv.Atoi(start); err == nil {
		e.Start = n
	}
	if given {
		e.Lines, _ = strconv.Atoi(lines)
	}
	return e
}

// Stat counts the lines that a unified diff adds and removes.
func Stat(diff string) (added, removed int) {
	for _, file := range Split(diff) {
		_, hunks, _ := strings.Cut("\n"+file, "\n@@")
		for line := range strings.Lines(hunks) {
			switch line[0] {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}
