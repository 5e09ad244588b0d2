package toolspec

import (
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// The form of an agent's report: a line about the agent, a line with the files that it changed,
// and its own words. A report that comes as a message has a title before it.
const (
	ReportTitle = "The agent "
	ReportFiles = "changed: "
)

// NoFiles takes the place of the files in a report that names none.
const NoFiles = "none"

// between separates the files of a report.
const between = ", "

// reported matches a file in a report: its path, and the changed lines or that it is new.
var reported = lazyregexp.New(`^(.+?)(?: new| \+\d+ -\d+)?$`)

// uncounted matches the end of a list that does not name all files.
var uncounted = lazyregexp.New(`^\d+ more files?$`)

// ReportedFile returns a file as a report lists it: its path, quoted if it could be taken for
// something else, and how it changed, "" if that is not known.
func ReportedFile(path, how string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` || path == NoFiles || path != strings.TrimSpace(path) || strings.Contains(path+" ", between) ||
		uncounted.MatchString(path) || reported.FindStringSubmatch(path)[1] != path {
		path = quoted
	}
	if how == "" {
		return path
	}
	return path + " " + how
}

// ReportedFiles returns the list of files in a report: items of ReportedFile, and a word about
// files that are not named, "" for none.
func ReportedFiles(items []string, more string) string {
	if more != "" {
		items = append(items[:len(items):len(items)], more)
	}
	if len(items) == 0 {
		return NoFiles
	}
	return strings.Join(items, between)
}

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
			files = filesIn(list)
		}
		return files, report[:end] // later lines are the agent's own text
	}
	return nil, ""
}

// filesIn returns the paths of a list of ReportedFiles.
func filesIn(list string) (files []string) {
	for list != "" {
		quoted, err := strconv.QuotedPrefix(list)
		how, rest, _ := strings.Cut(list[len(quoted):], between)
		if path, _ := strconv.Unquote(quoted); err == nil && quoted[0] == '"' && reported.FindStringSubmatch("x" + how)[1] == "x" {
			files, list = append(files, path), rest
			continue
		}
		var item string
		item, list, _ = strings.Cut(list, between)
		if item != "" && !uncounted.MatchString(item) {
			files = append(files, reported.FindStringSubmatch(item)[1])
		}
	}
	return files
}
