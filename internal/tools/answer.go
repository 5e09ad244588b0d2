package tools

import (
	"agent/internal/snapshot"
	"agent/internal/text/lines"
)

// Answer is what came of a call: for the model ([Answer.ForModel]), and for a
// person, that is shown its fields.
type Answer struct {
	// Text is the content, output or report that was asked for; bounded.
	Text string
	// Note says in words what a person sees by other fields, such as the exit code;
	// for the model only.
	Note string
	// Error is why the call failed, empty on success. Text may still hold output.
	Error string
	// Summary says in a few words how much it is, counted before Text was shortened:
	// "4 hits in 2 files", "200000 lines". Empty where Text says it.
	Summary string
	// ExitCode is set when a command ran to its end.
	ExitCode *int
	// Diff is the unified diff of an edit, for the screen. Paths in it are relative to
	// the workspace.
	Diff string
	// Change names what the call changed, for going back; zero where nothing keeps it.
	Change snapshot.Mark
	// Spool is the file that holds the whole output when Text was cut, else empty.
	Spool string
	// Images are pictures that belong to the answer, for a model that takes them; Text
	// says what they are.
	Images []Image
	// Key names what Text is the content of, such as "skill:/path/SKILL.md": newer content
	// of the same key takes its place. Empty for most.
	Key string
	// Shown is what the model knows of a file by this answer, nil for none.
	Shown *Shown
}

// ForModel is what the model reads of the call besides Error.
func (a Answer) ForModel() string {
	if a.Note == "" {
		return a.Text
	}
	return lines.Append(a.Text, a.Note)
}

// Image is a picture in an answer.
type Image struct {
	// MimeType is that of Data, e.g. "image/png".
	MimeType string
	Data     []byte
	// Width and Height are in pixels, 0 where they are not known.
	Width, Height int
}

// Noted returns the answer with another line for the model only.
func (a Answer) Noted(note string) Answer {
	a.Note = lines.Append(a.Note, note)
	return a
}

// failed is the answer to a call that did nothing.
func failed(err error) Answer { return Answer{Error: err.Error()} }

// Shown is what the model knows of a file after an answer.
type Shown struct {
	// Path is absolute.
	Path string
	// From and To are the first and last line that the answer shows, 0 where it shows
	// none or no line whole; Whole says that these are all.
	From, To int
	Whole    bool
	// Content is the file as it is now, nil when it is too large to be held.
	Content []byte
}

// shown is what an answer shows of a file that was read.
func (s *source) shown(from, to int, whole bool) *Shown {
	return &Shown{Path: s.abs, From: from, To: to, Whole: whole, Content: s.whole}
}
