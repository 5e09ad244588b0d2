// Package patch reads patches as GPT models write them (apply_patch), and works out what
// they make of a text. It reads and writes no file.
//
//	*** Begin Patch
//	*** Update File: path
//	*** Move to: other
//	@@ a line above, from which on is looked
//	 context
//	-removed
//	+added
//	*** Add File: path
//	+line
//	*** Delete File: path
//	*** End Patch
package patch

import (
	"fmt"
	"slices"
	"strings"
)

// Op is what a section does with its file.
type Op int

// What sections do.
const (
	Add Op = iota
	Delete
	Update
)

// Section is what a patch does with one file.
type Section struct {
	Op   Op
	Path string
	// MoveTo is the new path of an updated file, empty where it stays.
	MoveTo string
	// Text is that of an added file.
	Text string
	// Chunks are the changes of an updated file, in order.
	Chunks []Chunk
	// Line is that of the header in the patch, from 1, and moveLine that of MoveTo.
	Line, moveLine int
}

// Chunk is one change of a text.
type Chunk struct {
	// Anchors are lines below which it is looked for, each below the one before.
	Anchors []string
	Lines   []Line
	// AtEnd says that its old lines are the last of the text.
	AtEnd bool
	// Number counts the chunks of a section and Line is where it begins in the patch, both
	// from 1.
	Number, Line int
}

// Line is a line of a chunk: context, removed or added.
type Line struct {
	Mark Mark
	Text string
	// bare says that it was an empty line without a mark.
	bare bool
}

// Mark is what a line of a chunk begins with.
type Mark byte

// The marks.
const (
	Context Mark = ' '
	Removed Mark = '-'
	Added   Mark = '+'
)

// Old are the lines that the chunk expects, context included.
func (c Chunk) Old() []string { return c.without(Added) }

// New are the lines that take their place.
func (c Chunk) New() []string { return c.without(Removed) }

func (c Chunk) without(mark Mark) (lines []string) {
	for _, line := range c.Lines {
		if line.Mark != mark {
			lines = append(lines, line.Text)
		}
	}
	return lines
}

// Class names a kind of failure.
type Class string

// The classes of failures. Those of files are for callers.
const (
	BadFirstLine   Class = "bad_first_line"
	BadLastLine    Class = "bad_last_line"
	BadHeader      Class = "bad_header"
	BadLine        Class = "bad_line"
	EmptySection   Class = "empty_section"
	EmptyPatch     Class = "empty_patch"
	BadFile        Class = "bad_file"
	TargetExists   Class = "target_exists"
	NoAnchor       Class = "no_anchor"
	NoMatch        Class = "no_match"
	AlreadyApplied Class = "already_applied"
	NoChange       Class = "no_change"
)

// Error is why a patch is not applied, in words for a model.
type Error struct {
	Class  Class
	Reason string
	// Missing is the cleaned path of the file that is to be changed and is not there, empty
	// for other errors.
	Missing string
}

func (e *Error) Error() string { return e.Reason }

// Failed is an error of a class.
func Failed(class Class, format string, args ...any) *Error {
	return &Error{Class: class, Reason: fmt.Sprintf(format, args...)}
}

// excerptBytes is how much of a line is quoted in an error.
const excerptBytes = 80

func quoted(line string) string {
	if len(line) > excerptBytes {
		line = strings.ToValidUTF8(line[:excerptBytes], "") + "…"
	}
	return `"` + line + `"`
}

// Paths returns the files that a patch names, both ends of a move, each once and as it is
// written; none of a text that is no patch.
func Paths(text string) []string {
	sections, err := Parse(text)
	if err != nil {
		return nil
	}
	var paths []string
	for _, s := range sections {
		for _, path := range []string{s.Path, s.MoveTo} {
			if path != "" && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
