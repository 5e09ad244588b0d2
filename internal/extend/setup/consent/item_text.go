package consent

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
)

// shortID is the length of a hash in listings, and the least length of a hash in an answer.
const shortID = 8

// Part is the text of an item for a user who reviews it.
type Part struct {
	Title string
	Lines []string
}

// notCovered states the limits of the user's consent to commands.
const notCovered = "Your answer does not cover other files that these commands load."

// undetermined describes an item whose commands may use unknown files.
const undetermined = "may run files that agent can't determine, so later changes to them need no approval"

// Title returns the title of a question about items.
func Title(items []ReviewedItem) string {
	whose := "this repository"
	if own := slices.DeleteFunc(slices.Clone(items), func(r ReviewedItem) bool { return !r.User }); len(own) == len(items) {
		whose = "your plugins and folders"
	} else if len(own) > 0 {
		whose = "this repository, your plugins and folders"
	}
	return "use the configuration of " + whose + "? " + humanize.Count(len(items), "item")
}

// Parts returns the texts of items for an approval prompt, in as few lines as possible. The files
// of all commands share one line at the end.
func (t *Trust) Parts(items []ReviewedItem) []Part {
	var parts []Part
	var files []string
	for _, r := range items {
		parts, files = append(parts, t.part(r)), append(files, r.Files...)
	}
	switch slices.Sort(files); {
	case len(files) > 0:
		parts = append(parts, Part{Lines: []string{"Your answer covers the present content of " + strings.Join(slices.Compact(files), ", ") + ", and no other file that these commands load."}})
	case runs(items):
		parts = append(parts, Part{Title: notCovered})
	}
	return parts
}

func runs(items []ReviewedItem) bool {
	return slices.ContainsFunc(items, func(r ReviewedItem) bool { return r.runs() })
}

func (t *Trust) part(r ReviewedItem) Part {
	p := Part{Title: strings.ReplaceAll(fmt.Sprintf("%s (%s)", r, t.place(r)), "\n", "␊")}
	if r.State == StateChanged {
		p.Title = "changed: " + p.Title
	}
	if len(r.Variables) > 0 {
		p.Title += " · reads " + strings.Join(r.Variables, ", ")
	}
	lines := r.Effects.Describe()
	if r.Folder != "" && r.Folder != t.Store.Root() {
		lines = append(lines, "in "+t.Store.relative(r.Folder))
	}
	if r.Undetermined {
		lines = append(lines, undetermined)
	}
	for _, line := range append(lines, r.Difference...) {
		// Further lines of a text are indented, so that they do not look like another item.
		p.Lines = append(p.Lines, strings.Split(strings.ReplaceAll(line, "\n", "\n    "), "\n")...)
	}
	if r.Problem != "" {
		p.Lines = append(p.Lines, "can't be approved: "+r.Problem)
	}
	return p
}

func (t *Trust) place(r ReviewedItem) string {
	if r.Line > 0 {
		return fmt.Sprintf("%s:%d", t.short(r.File), r.Line)
	}
	return t.short(r.File)
}

// Describe returns a listing of all items with their states for the user, and records them as shown.
func (t *Trust) Describe() ([]string, error) {
	all, err := t.Review()
	if err != nil {
		return nil, err
	}
	t.noteShown(all)
	var lines []string
	for _, r := range all {
		part := t.part(r)
		lines = append(lines, fmt.Sprintf("%-8s %s  %s", r.State, r.Hash[:min(shortID, len(r.Hash))], strings.TrimPrefix(part.Title, "changed: ")))
		for _, line := range part.Lines {
			lines = append(lines, "    "+line)
		}
		if len(r.Files) > 0 {
			lines = append(lines, "    with "+strings.Join(r.Files, ", ")+" as now")
		}
	}
	for _, line := range t.Ignored {
		lines = append(lines, "ignored  "+line)
	}
	if slices.ContainsFunc(all, func(r ReviewedItem) bool { return r.State.NeedsAnswer() }) {
		if lines = append(lines, ""); runs(all) {
			lines = append(lines, notCovered)
		}
		lines = append(lines, "To approve all items, use trust yes; to approve one, trust yes ITEM (its name or letters). To refuse, use trust no.")
	}
	if len(lines) == 0 {
		lines = []string{"Nothing in this repository needs your approval."}
	}
	return lines, nil
}

// Report holds all items and ignored settings, for scripts.
type Report struct {
	Items   []ReviewedItem `json:"items"`
	Ignored []string       `json:"ignored"`
}

// Report returns the items with their states, and the settings that are ignored.
func (t *Trust) Report() (Report, error) {
	all, err := t.Review()
	return Report{append([]ReviewedItem{}, all...), append([]string{}, t.Ignored...)}, err
}
