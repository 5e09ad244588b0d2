// Package patch parses patches in the format of GPT models (apply_patch), and applies them to
// texts. It does not read or write files.
//
//	*** Begin Patch
//	*** Update File: path
//	*** Move to: other
//	@@ a line above the change
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

// Op is the operation of a section on its file.
type Op int

// The operations of sections.
const (
	Add Op = iota
	Delete
	Update
)

// Section is the part of a patch for one file.
type Section struct {
	Op   Op
	Path string
	// MoveTo is the new path of an updated file, or empty if the file is not moved.
	MoveTo string
	// Text is the text of an added file.
	Text string
	// Chunks are the changes of an updated file, in order.
	Chunks []Chunk
	// Line is the line number of the header in the patch, from 1.
	Line int
	// moveLine is the line number of MoveTo.
	moveLine int
}

// Chunk is one change of a text.
type Chunk struct {
	// Anchors are lines of the file above the change. Each is below the previous one.
	Anchors []string
	Lines   []Line
	// AtEnd is set if the old lines are the last lines of the text.
	AtEnd bool
	// Number is the chunk's number in its section, from 1.
	Number int
	// Line is the line number of the chunk's first line in the patch, from 1.
	Line int
}

// Line is a line of a chunk: context, removed or added.
type Line struct {
	Mark Mark
	Text string
	// bare is set for an empty line without a mark.
	bare bool
}

// Mark is the first character of a line of a chunk.
type Mark byte

// The marks.
const (
	Context Mark = ' '
	Removed Mark = '-'
	Added   Mark = '+'
)

// OldLines returns the lines that the chunk expects in the file, context included.
func (c Chunk) OldLines() []string { return c.without(Added) }

// NewLines returns the lines that replace those of OldLines.
func (c Chunk) NewLines() []string { return c.without(Removed) }

func (c Chunk) without(mark Mark) (lines []string) {
	for _, line := range c.Lines {
		if line.Mark != mark {
			lines = append(lines, line.Text)
		}
	}
	return lines
}

// ErrorClass is a class of failures.
type ErrorClass string

// The classes of failures. Callers report failures of files.
const (
	BadFirstLine   ErrorClass = "bad_first_line"
	BadLastLine    ErrorClass = "bad_last_line"
	BadHeader      ErrorClass = "bad_header"
	BadLine        ErrorClass = "bad_line"
	EmptySection   ErrorClass = "empty_section"
	EmptyPatch     ErrorClass = "empty_patch"
	BadFile        ErrorClass = "bad_file"
	TargetExists   ErrorClass = "target_exists"
	NoAnchor       ErrorClass = "no_anchor"
	NoMatch        ErrorClass = "no_match"
	AlreadyApplied ErrorClass = "already_applied"
	NoChange       ErrorClass = "no_change"
)

// Error is the reason why a patch is not applied, as a message for the model.
type Error struct {
	Class  ErrorClass
	Reason string
	// Missing is the cleaned path of a missing file that the patch should change. It is empty for
	// other errors.
	Missing string
}

func (e *Error) Error() string { return e.Reason }

// Errorf returns an error of a class.
func Errorf(class ErrorClass, format string, args ...any) *Error {
	return &Error{Class: class, Reason: fmt.Sprintf(format, args...)}
}

// excerptBytes is the length of the longest line that an error quotes in full.
const excerptBytes = 80

func quoted(line string) string {
	if len(line) > excerptBytes {
		line = strings.ToValidUTF8(line[:excerptBytes], "") + "…"
	}
	return `"` + line + `"`
}

// NewLines returns the lines of a patch without the removed lines. They show the parts of the files
// after the patch.
func NewLines(text string) string {
	var shown strings.Builder
	for line := range strings.Lines(text) {
		if line[0] == '+' || line[0] == ' ' {
			shown.WriteString(line[1:])
		}
	}
	return shown.String()
}

// Headers returns the paths in the headers of a patch, in the form for a title: "old to new" for a
// move. It also accepts a text that Parse refuses.
func Headers(text string) []string {
	var files []string
	for line := range strings.Lines(text) {
		if line[0] == ' ' {
			continue // the line belongs to an update
		}
		if to, moves := cutPrefixFold(moveHeader, line); moves && to != "" && len(files) > 0 {
			files[len(files)-1] += " to " + to
		} else if _, path, ok := header(line, nil); ok && path != "" {
			files = append(files, path)
		}
	}
	return files
}

// Paths returns the paths in a patch, including both paths of a move. Each path is returned once
// and unchanged. For a text that is not a patch it returns nothing.
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
