package toolspec

import (
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// The format of a subagent's report: a line on the subagent, a line with the files that it changed,
// and its own text. A report that is sent as a message has a title before it.
const (
	ReportTitle = "The agent "
	ReportFiles = "changed: "
)

// ReportNoFiles replaces the files in a report without any.
const ReportNoFiles = "none"

// between separates the files of a report.
const between = ", "

// reported matches a file in a report: its path, and the number of changed lines or the word "new".
var reported = lazyregexp.New(`^(.+?)(?: new| \+\d+ -\d+)?$`)

// uncounted matches the end of a list that omits some files.
var uncounted = lazyregexp.New(`^\d+ more files?$`)

// ReportedFile returns a file in the format of a report: its path, and how it changed, "" if that
// is not known. The path is quoted if it would be ambiguous.
func ReportedFile(path, how string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` || path == ReportNoFiles || path != strings.TrimSpace(path) || strings.Contains(path+" ", between) ||
		uncounted.MatchString(path) || reported.FindStringSubmatch(path)[1] != path {
		path = quoted
	}
	if how == "" {
		return path
	}
	return path + " " + how
}

// ReportedFiles returns the list of files in a report. items are results of ReportedFile. more is a
// text on files that are not named, "" for none.
func ReportedFiles(items []string, more string) string {
	if more != "" {
		items = append(items[:len(items):len(items)], more)
	}
	if len(items) == 0 {
		return ReportNoFiles
	}
	return strings.Join(items, between)
}

// ParseReport returns the files that the report of a subagent lists as changed (D-126). head is the
// report up to and including that list.
func ParseReport(report string) (files []string, head string) {
	end := 0
	for line := range strings.Lines(report) {
		end += len(line)
		list, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), ReportFiles)
		if !found {
			continue
		}
		if list != ReportNoFiles {
			files = filesIn(list)
		}
		return files, report[:end] // later lines are the subagent's own text
	}
	return nil, ""
}

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
