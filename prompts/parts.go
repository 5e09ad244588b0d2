package prompts

import "strings"

// InstructionsFrom is the beginning of the title of a part of the system prompt with an instruction
// file.
const InstructionsFrom = "# Instructions from "

// A Section is a part of a system prompt. Title is its first line, empty for the first section.
type Section struct{ Title, Text string }

// Sections splits a system prompt at its titles.
func Sections(system string) []Section {
	all := []Section{{}}
	for line := range strings.Lines(system) {
		title := strings.TrimSpace(line)
		if IsPartTitle(title, all[len(all)-1].Title) {
			all = append(all, Section{Title: title})
		}
		all[len(all)-1].Text += line
	}
	return all
}

// NotesTitle is the title of the part with the notes.
const NotesTitle = "# Notes"

// IsPartTitle reports whether a line of a system prompt is the title of a part. within is the title of
// the present part. A title inside an instruction file does not begin a part, because only the notes
// can follow the instructions.
func IsPartTitle(line, within string) bool {
	return strings.HasPrefix(line, InstructionsFrom) || line == NotesTitle ||
		strings.HasPrefix(line, "# ") && !strings.HasPrefix(within, InstructionsFrom)
}
