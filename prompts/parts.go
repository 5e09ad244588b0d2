package prompts

import "strings"

// InstructionsFrom begins the title of a part of the system prompt with a file of instructions.
const InstructionsFrom = "# Instructions from "

// A Section is a part of a system prompt. Title is its first line, empty for the first section.
type Section struct{ Title, Text string }

// Sections divides a system prompt at its titles.
func Sections(system string) []Section {
	all := []Section{{}}
	for line := range strings.Lines(system) {
		title := strings.TrimSpace(line)
		if BeginsPart(title, all[len(all)-1].Title) {
			all = append(all, Section{Title: title})
		}
		all[len(all)-1].Text += line
	}
	return all
}

// NotesTitle is the title of the part with the notes.
const NotesTitle = "# Notes"

// BeginsPart reports whether a line of a system prompt is the title of a part. within is the title
// of the part so far. A title inside a file of instructions does not begin a part, because after
// the instructions only the notes follow.
func BeginsPart(line, within string) bool {
	return strings.HasPrefix(line, InstructionsFrom) || line == NotesTitle ||
		strings.HasPrefix(line, "# ") && !strings.HasPrefix(within, InstructionsFrom)
}
