package subagents

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/text/lines"
	"agent/internal/text/textdiff"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// Heading returns the first line of a subagent's answer: "agent NAME, ID: STATUS". The result is a single
// line for any status, because the line after it lists the files of the report.
func Heading(agent, id, status string) string {
	return "agent " + agent + ", " + id + ": " + humanize.Line(status, 0)
}

// Figures returns the numbers of requests, calls and tokens of a subagent, and its cost, as text to append
// to a heading.
func Figures(s chat.Stats) string {
	text := fmt.Sprintf(", %s, %s, %s tokens", humanize.Count(s.Requests, "request"), humanize.Count(s.ToolCalls, "call"), humanize.Tokens(s.PromptTokens+s.CompletionTokens))
	if s.Cost > 0 {
		text += ", " + humanize.Dollars(s.Cost)
	}
	return text
}

// BackgroundReport returns the report of a background subagent.
func BackgroundReport(agent, id, title, text string) chat.AgentReport {
	return chat.AgentReport{ID: id, Title: toolspec.ReportTitle + agent + " " + id + " ended: " + title, Text: text}
}

// report returns the answer of a subagent that ended: a heading, the changed files, and its report. The
// whole answer is within the limit.
func (j *job) report(status string, notes []string) tools.Answer {
	text := cmp.Or(strings.TrimSpace(j.said), ReportWithoutText(j.latest))
	if j.call.Model != "" {
		notes = append(notes, "model is ignored: the user chooses the models")
	}
	head := strings.Join(append([]string{j.heading(status), toolspec.ReportFiles + j.changed.String()}, notes...), "\n") + "\n"
	keep := func(text string) (string, error) { return j.team.Keep(j.ID, text) }
	return tools.Answer{Text: FitReport(head, text, j.bounds.ResultTokens, j.team.Tokens, keep), Summary: status}
}

// LatestCalls is the number of calls in a report without a text.
const LatestCalls = 5

// ReportWithoutText returns the report of a subagent that wrote none. The report lists its latest calls.
func ReportWithoutText(calls []string) string {
	if len(calls) == 0 {
		return "It wrote no report."
	}
	return "It wrote no report. Its latest calls:\n- " + strings.Join(calls[max(0, len(calls)-LatestCalls):], "\n- ")
}

const (
	// aboutCut is the number of tokens reserved for the line in the middle of a shortened report.
	aboutCut = 40
	// longToken is a length, in bytes, that few tokens exceed.
	longToken = 16
)

// FitReport returns the heading of an answer followed by a report, in at most most tokens unless the
// heading alone is longer. It shortens a longer report to its beginning and its end, and adds where keep
// stored the full text. It removes control characters from the report, because the model that reads it may
// copy them to a file or a command.
func FitReport(head, text string, most int, count func(string) int, keep func(text string) (where string, err error)) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	most = max(most-count(head), most/4)
	if len(text) <= most || len(text) <= most*longToken && count(text) <= most {
		return head + text
	}
	most = max(1, most-aboutCut)
	for size := min(len(text), most*longToken); ; {
		begin, end := lines.TrimPartialRune(text[:size/2]), strings.ToValidUTF8(text[len(text)-size/2:], "")
		if n := count(begin) + count(end); n > most {
			size = size * most / n
			continue
		}
		left := fmt.Sprintf("\n… %s of the report omitted", humanize.Bytes(int64(len(text)-len(begin)-len(end))))
		if where, err := keep(text); err == nil {
			left += "; full report: " + where
		}
		return head + begin + left + " …\n" + end
	}
}

// changes collects the files that a subagent changed.
type changes struct {
	// files maps the paths to the changed lines; names holds the paths in the order of the first
	// change.
	files map[string]*lineCount
	names []string
}

type lineCount struct {
	added, removed int
	// isNew is set for a file that did not exist. counted is set if the changed lines are known.
	isNew, counted bool
}

// add adds the files that an answer reports as changed. rel returns the path to show for a file.
func (c *changes) add(answer tools.Answer, rel func(abs string) string) {
	paths := map[string]string{} // keyed by the names in a diff
	for _, abs := range answer.Changed {
		path := rel(abs)
		c.file(path)
		paths[humanize.FileName(path)] = path
	}
	for _, diff := range textdiff.Split(answer.Diff) {
		name, isNew := pathOf(diff)
		if name == "" {
			continue
		}
		file := c.file(cmp.Or(paths[name], name))
		added, removed := textdiff.Stat(diff)
		file.added, file.removed, file.counted = file.added+added, file.removed+removed, true
		file.isNew = file.isNew || isNew
	}
}

func (c *changes) file(path string) *lineCount {
	if c.files == nil {
		c.files = map[string]*lineCount{}
	}
	if c.files[path] == nil {
		c.files[path] = &lineCount{}
		c.names = append(c.names, path)
	}
	return c.files[path]
}

// pathOf returns the path of the file in a unified diff, and whether the file is new.
func pathOf(diff string) (path string, isNew bool) {
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		if from, is := strings.CutPrefix(line, "--- "); is {
			path, isNew = from, from == none
		}
		if to, is := strings.CutPrefix(line, "+++ "); is {
			if to != none {
				path = to
			}
			break
		}
	}
	return path, isNew
}

// none is the name in a diff for a file that does not exist.
const none = "/dev/null"

const mostChanged = 40

// String returns the changed files with their lines, as a report lists them.
func (c *changes) String() string {
	var items []string
	for _, path := range c.names[:min(len(c.names), mostChanged)] {
		how := ""
		switch file := c.files[path]; {
		case file.isNew:
			how = "new"
		case file.counted:
			how = fmt.Sprintf("+%d -%d", file.added, file.removed)
		}
		items = append(items, toolspec.ReportedFile(path, how))
	}
	more := ""
	if left := len(c.names) - len(items); left > 0 {
		more = humanize.Count(left, "more file")
	}
	return toolspec.ReportedFiles(items, more)
}
