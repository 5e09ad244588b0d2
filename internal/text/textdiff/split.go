package textdiff

import (
	"strconv"
	"strings"
)

// Split cuts a unified diff of several files into one for each: where git says so, and at the
// names of a file that follow a whole hunk. A line of a hunk may look like such names.
func Split(diff string) (files []string) {
	begin, at := 0, 0
	old, now := 0, 0 // lines of the hunk that are still to come
	named := false   // the names of the next hunk's file were read, or git has announced them
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
			old, now = hunkLines(line)
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

// hunkLines reads how many lines a hunk has of the old text and of the new one from
// "@@ -12,3 +14,5 @@".
func hunkLines(head string) (old, now int) {
	fields := strings.Fields(head)
	if len(fields) < 3 {
		return 0, 0
	}
	count := func(extent string) int {
		_, number, given := strings.Cut(extent, ",")
		if !given {
			return 1
		}
		n, _ := strconv.Atoi(number) // what is no number counts none
		return n
	}
	return count(fields[1]), count(fields[2])
}
