package history

import "strings"

// An inclusion is a file that the user put into a message with @PATH. As text it has three parts, with
// markers on separate lines:
//
//	--- src/main.go ---
//	package main
//	--- End of content ---
//
// The @ processor writes each inclusion as a separate Text block that contains the path (D-18). Only
// such a block counts, because command output or pasted text may look the same, and must not be taken
// for a file (D-46). Documents of other programs have only the text, so in them the markers count too.
// A marker line inside the file's content then cannot be distinguished from a marker (D-19).
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
	// Path is the path of the file as the user named it.
	Path string
	// Start and End are the byte offsets of the inclusion in the block's text, including its markers
	// and the line break after them.
	Start, End int
}

// Imported returns t as text from a document of another program. Only the markers then show where a
// file was included.
func (t *Text) Imported() *Text {
	imported := *t
	imported.imported = t.IncludedFile == "" && t.Source == ""
	return &imported
}

// Inclusions returns the files that t includes, in order. A block with a path is one inclusion from end
// to end, whatever its text contains. In imported text, an inclusion extends from an opening marker
// line to the next closing one. If another opening marker comes first, the inclusion begins at the later
// marker. Markers without their counterpart are plain text (REQ-HD-006.1, REQ-HD-006.5).
func Inclusions(t *Text) []Inclusion {
	if t.IncludedFile != "" {
		return []Inclusion{{Path: t.IncludedFile, Start: 0, End: len(t.Text)}}
	}
	if !t.imported || !strings.Contains(t.Text, inclusionClose) {
		return nil
	}
	var found []Inclusion
	var open Inclusion // the inclusion that has begun; its Path is empty if none has
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

// openerPath returns the path in an opening marker line, or "".
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
