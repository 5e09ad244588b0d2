package team

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/chat"
	"agent/internal/text/lines"
	"agent/internal/text/textdiff"
	"agent/internal/tools"
	"agent/internal/traits"
	"agent/internal/words"
)

// bytesPerToken converts the bound of a report.
const bytesPerToken = 4

// report returns the answer of an agent that ended: a line about it, the changed files, and its
// report within the bound.
func (j *job) report(status string, notes []string) tools.Answer {
	text := strings.TrimSpace(j.said)
	if text == "" {
		text = "It wrote no report."
		if len(j.latest) > 0 {
			text += " Its latest calls:\n- " + strings.Join(j.latest, "\n- ")
		}
	}
	most := j.bounds.ResultTokens * bytesPerToken
	if len(text) > most {
		path, err := j.team.Keep(j.ID, text)
		cut := fmt.Sprintf("\n… %s of the report left out", words.Bytes(int64(len(text)-most)))
		if err == nil {
			cut += "; all of it is in " + path
		}
		text = lines.WholeRunes(text[:most/2]) + cut + " …\n" + strings.ToValidUTF8(text[len(text)-most/2:], "")
	}
	head := []string{j.heading(status), traits.ReportFiles + j.changed.String()}
	if j.call.Model != "" {
		notes = append(notes, "model is ignored: the user chooses the models")
	}
	head = append(head, notes...)
	return tools.Answer{Text: strings.Join(head, "\n") + "\n" + text, Summary: status}
}

// changes collects the files that an agent changed.
type changes struct {
	// files maps the paths to the changed lines; names holds the paths in the order of the first
	// change.
	files map[string]*lineCount
	names []string
}

type lineCount struct {
	added, removed int
	// new is set for a file that did not exist, counted if the lines are known.
	isNew, counted bool
}

// add notes the changes of a call that ended. byCommand holds the paths that a command changed.
func (c *changes) add(e chat.ToolEnded, byCommand []string) {
	for _, path := range byCommand {
		c.file(path)
	}
	for _, diff := range textdiff.Split(e.Answer.Diff) {
		path, isNew := pathOf(diff)
		if path == "" {
			continue
		}
		file := c.file(path)
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

// pathOf returns the path of the file that a unified diff is about, and whether the file is new.
func pathOf(diff string) (path string, isNew bool) {
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		if from, is := strings.CutPrefix(line, "--- "); is {
			isNew = from == "/dev/null"
			path = strings.TrimPrefix(from, "a/")
		}
		if to, is := strings.CutPrefix(line, "+++ "); is {
			if to != "/dev/null" {
				path = strings.TrimPrefix(to, "b/")
			}
			return path, isNew
		}
	}
	return path, isNew
}

// mostChanged bounds the files that a report names.
const mostChanged = 40

// String returns the changed files with their lines, traits.NoFiles for no file.
func (c *changes) String() string {
	if len(c.names) == 0 {
		return traits.NoFiles
	}
	var parts []string
	for _, path := range c.names[:min(len(c.names), mostChanged)] {
		file := c.files[path]
		switch {
		case file.isNew:
			path += " new"
		case file.counted:
			path += fmt.Sprintf(" +%d -%d", file.added, file.removed)
		}
		parts = append(parts, path)
	}
	if more := len(c.names) - mostChanged; more > 0 {
		parts = append(parts, words.Count(more, "more file"))
	}
	return strings.Join(slices.Clip(parts), ", ")
}
