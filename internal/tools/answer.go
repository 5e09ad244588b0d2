package tools

import (
	"agent/internal/history"
	"agent/internal/snapshot"
	"agent/internal/text/lines"
)

// An Answer is the result of a call. The model reads [Answer.ModelText]; the screen shows the
// fields.
type Answer struct {
	// Text is the requested content, output or report, within the limits.
	Text string
	// Note is a text for the model with facts that the screen shows from other fields, such as the
	// exit code.
	Note string
	// Error is the reason for the failure of the call, empty on success. Text may still contain
	// output.
	Error string
	// Summary is the size of the result in a few words, counted before Text was shortened: "4 hits
	// in 2 files", "200000 lines". It is empty if Text already contains the size.
	Summary string
	// ExitCode is set if a command ran to its end.
	ExitCode *int
	// Diff is the unified diff of an edit, for the screen. Its paths are relative to the
	// workspace.
	Diff string
	// Change identifies the change that the call made, so that it can be undone. It is zero if no
	// snapshots are kept.
	Change snapshot.Mark
	// Changed lists the files of Change by their absolute paths, for gates. Edits and commands set
	// it.
	Changed []string
	// Spool is the path of the file with the whole output if Text was cut, empty otherwise.
	Spool string
	// Images holds pictures of the answer, for a model that accepts images; Text describes them.
	Images []Image
	// Searches is the number of searches that a service made for the call. Cost is their known
	// price in USD.
	Searches int
	Cost     float64
	// Key names the source of Text, such as "skill:/path/SKILL.md". Newer content of the same key
	// replaces the older content. Key is empty for most answers.
	Key string
	// Read lists the files that the answer shows, if it shows several. The session log stores them.
	Read []history.View
	// Started is the id of the subagent that the call started in the background, "" for none.
	Started string
	// Declined is set if the call proposed something and the user declined.
	Declined bool
	// View describes the part of a file that the model has seen through this answer, nil if none.
	View *history.View
}

// ModelText returns the text of the answer for the model, without Error.
func (a Answer) ModelText() string {
	if a.Note == "" {
		return a.Text
	}
	return lines.Append(a.Text, a.Note)
}

// An Image is a picture in an answer.
type Image struct {
	// MimeType is the media type of Data, e.g. "image/png".
	MimeType string
	Data     []byte
	// Width and Height are in pixels, 0 if they are not known.
	Width, Height int
}

// WithNote returns the answer with an additional line that only the model reads.
func (a Answer) WithNote(note string) Answer {
	a.Note = lines.Append(a.Note, note)
	return a
}

// failedAnswer returns the answer to a call that failed without any effect.
func failedAnswer(err error) Answer { return Answer{Error: err.Error()} }

// viewOf completes a view of a file. content is nil if the file is too large to be read into
// memory.
func viewOf(path string, content []byte, v history.View) *history.View {
	v.Path = path
	if content != nil {
		v.Hash = history.Digest(content)
	}
	return &v
}
