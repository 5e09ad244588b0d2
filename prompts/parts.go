package prompts

import "strings"

// InstructionsFrom begins the title of a part of the system prompt with a file of instructions.
const InstructionsFrom = "# Instructions from "

// BeginsPart reports whether a line of a system prompt is the title of a part, where the part so far
// has the title within. A line of instructions that looks like a title stays with the instructions,
// for they come last, but for the notes.
func BeginsPart(line, within string) bool {
	return strings.HasPrefix(line, InstructionsFrom) || line == "# Notes" ||
		strings.HasPrefix(line, "# ") && !strings.HasPrefix(within, InstructionsFrom)
}
