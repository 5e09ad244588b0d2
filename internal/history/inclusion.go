package history

import "strings"

// An inclusion is a file that the user put into a message with @PATH. As text it has three parts,
// with markers on lines of their own:
//
//	--- src/main.go ---
//	package main
//	--- End of content ---
//
// The @ processor writes each inclusion as a Text block of its own that carries the path (D-18).
// Only such a block counts: the output of a command or a pasted text may look the same, and must
// not take the place of a file (D-46). Documents of other programs have only the text, so there
// the markers count too. A marker line inside the file's content cannot be distinguished from a
// marker then (D-19).
const (
	inclusionOpen  = "--- "
	inclusionShut  = " ---"
	inclusionClose = "--- End of content ---"
)

// NewInclusion returns the block that includes content as the file at path.
func NewInclusion(path, content string) *Text {
	return &Text{
		Text:         inclusionOpen + path + inclusionShut + "\n" + content + "\n" + inclusionClose,
		IncludedFile: path,
	}
}

// An Inclusion is one included file within a Text block.
type Inclusion struct {
	// Path is the file as the user named it.
	Path string
	// Start and End bound the inclusion in the block's text, in bytes, with its markers and the
	// line break after them.
	Start, End int
}

// Imported returns t as text from a document of another program, in which only the markers show
// where a file was included.
func (t *Text) Imported() *Text {
	imported := *t
	imported.imported = t.IncludedFile == "" && t.Source == ""
	return &imported
}

// Inclusions returns the files that t includes, in order. A block that carries a path is one
// inclusion from end to end, whatever its text contains. In imported text an inclusion reaches
// from an opening marker line to the next closing one. Another opener before that closer starts
// over, so that the inner one wins. Markers without their counterpart are plain text
// (REQ-HD-006.1, REQ-HD-006.5).
func Inclusions(t *Text) []Inclusion {
	if t.IncludedFile != "" {
		return []Inclusion{{Path: t.IncludedFile, Start: 0, End: len(t.Text)}}
	}
	if !t.imported || !strings.Contains(t.Text, inclusionClose) {
		return nil
	}
	var found []Inclusion
	var open Inclusion // Path is empty while no opener waits for its closer
	for start := 0; start < len(t.Text); {
		end := len(t.Text)
		if i := strings.IndexByte(t.Text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line := strings.TrimSuffix(strings.TrimSuffix(t.Text[start:end], "\n"), "\r")
		if line == inclusionClose {
			if open.Path != "" {
				open.End = end
				found = append(found, open)
			}
			open = Inclusion{}
		} else if path := openerPath(line); path != "" {
			open = Inclusion{Path: path, Start: start}
		}
		start = end
	}
	return found
}

// openerPath returns the path that an opening marker line names, or "".
func openerPath(line string) string {
	rest, ok := strings.CutPrefix(line, inclusionOpen)
	if !ok {
		return ""
	}
	path, ok := strings.CutSuffix(rest, inclusionShut)
	if !ok {
		return ""
	}
	return strings.TrimSpace(path)
}
