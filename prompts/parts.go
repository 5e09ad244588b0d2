package prompts

import "strings"

// InstructionsFrom begins the title of a part of the system prompt with a file of instructions.
const InstructionsFrom = "# Instructions from "

// BeginsPart reports whether a line of a system prompt is the title of a part. within is the title
// of the part so far. A title inside a file of instructions does not begin a part, because after
// the instructions only the notes follow.
func BeginsPart(line, within string) bool {
	return strings.HasPrefix(line, InstructionsFrom) || line == "# Notes" ||
		strings.HasPrefix(line, "# ") && !strings.HasPrefix(within, InstructionsFrom)
}
