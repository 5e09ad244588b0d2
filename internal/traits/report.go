package traits

import (
	"strings"

	"agent/internal/pattern"
)

// The form of an agent's report: a line about the agent, a line with the files that it changed,
// and its own words. A report that comes as a message has a title before it.
const (
	ReportTitle = "The agent "
	ReportFiles = "changed: "
)

// NoFiles takes the place of the files in a report that names none.
const NoFiles = "none"

// reported matches a file in a report: its path, and the changed lines or that it is new.
var reported = pattern.New(`^(.+?)(?: new| \+\d+ -\d+)?$`)

// Reported returns the files that the report of an agent lists as changed (D-126), and the lines
// of the report up to these.
func Reported(report string) (files []string, head string) {
	end := 0
	for line := range strings.Lines(report) {
		end += len(line)
		list, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), ReportFiles)
		if !found {
			continue
		}
		if list != NoFiles {
			for item := range strings.SplitSeq(list, ", ") {
				files = append(files, reported.FindStringSubmatch(item)[1])
			}
		}
		return files, report[:end] // later lines are the agent's own words
	}
	return nil, ""
}
