// Package traits is what a tool declares of itself, in the words in which the rest of
// the program asks: approval, rules, density, summaries, prompts, commands and the
// screen. It is plain data and imports nothing of the program but words.
package traits

import (
	"encoding/json"
	"strings"
)

// Traits is the declaration of one tool. The zero value declares nothing: such a tool
// may do anything, so a person is asked about its calls, they run alone, and nothing is
// known of its answers.
//
// Parameters are given as lists of names; the first that a call has counts.
type Traits struct {
	// Reads: calls look at files or at what the program keeps.
	Reads bool
	// Edits: calls change files.
	Edits bool
	// Runs: calls run commands.
	Runs bool
	// Reaches: calls use the network.
	Reaches bool
	// Keeps: calls change what the conversation itself keeps, such as the todo list.
	Keeps bool
	// Asks: calls ask the person something; that is their effect.
	Asks bool

	// Beside: calls may run at the same time as others.
	Beside bool
	// Essential tools are offered in the smallest windows too: with them alone a small
	// job can be done.
	Essential bool
	// Unoffered tools are not among those that each request declares: the model learns of
	// them otherwise, and calls them by name.
	Unoffered bool
	// Rare tools are offered only where a person wants all tools: models seldom call them, and
	// others do the same.
	Rare bool
	// NeedsRecord tools are offered only where the conversation is recorded.
	NeedsRecord bool
	// Form is the form of edits that the tool belongs to, empty for a tool of no or every
	// form. A model is offered the tools of its own form; calls of the others are
	// answered all the same.
	Form Form
	// Elsewhere is set for a tool of another program, which a recording names. What it
	// reads and writes does not count for REQ-HD-005.
	Elsewhere bool

	// Key is the parameter that distinguishes one call from another in a line: a path, a
	// command, a pattern, a URL. Empty when there is none.
	Key string
	// File names the file that a call shows or changes (REQ-HD-005.2, REQ-HD-005.3).
	File []string
	// Files names the list of files that a call shows.
	Files []string
	// Density is what density may take out of a call and its answer.
	Density

	// Words say a call on the screen; the first whose parameter a call has count.
	Words []Words
}

// Density is what density may take out of a call and its answer, by the parameters that
// hold it.
type Density struct {
	// From is the first line that is read.
	From []string
	// To is the last line that is read.
	To []string
	// Count is how many lines are read, for a call that has no To.
	Count []string
	// Headed: an answer that is not all that was asked for begins with a line in
	// brackets.
	Headed bool
	// Fragment: what is read is named otherwise than by lines, such as a symbol.
	Fragment bool
	// Old is the text that an edit replaces.
	Old []string
	// New is the text that an edit puts in.
	New []string
	// List holds several edits, each with Old and New.
	List []string
	// Body is the whole content that is written.
	Body []string
	// Patch is in the format of apply_patch.
	Patch []string
	// Command is a command line: a text, or a list whose last item is one.
	Command []string
}

// Form is how a model is trained to edit files.
type Form string

// The forms.
const (
	// Replace: a text in the file is replaced by another.
	Replace Form = "replace"
	// Patch: a patch of one or several files is applied.
	Patch Form = "patch"
)

// FileNames are the parameters by which models name a file (REQ-HD-005.4, D-14).
var FileNames = []string{"file_path", "absolute_path", "path"}

// Harmless reports whether calls change nothing but what the conversation keeps, so that
// nobody is asked about them unless a file is protected.
func (t Traits) Harmless() bool {
	return (t.Reads || t.Keeps || t.Asks) && !t.Edits && !t.Runs && !t.Reaches
}

// EditsOnly reports whether changing files is all that calls do.
func (t Traits) EditsOnly() bool { return t.Edits && !t.Runs && !t.Reaches }

// Retrievable reports whether a call can be made again to have its answer again. What
// edits or keeps something would do it twice (D-45).
func (t Traits) Retrievable() bool {
	return (t.Reads || t.Runs || t.Reaches) && !t.Edits && !t.Keeps
}

// ShowsFile reports whether the answer is the content of the file that the call names
// (REQ-HD-005.2).
func (t Traits) ShowsFile() bool { return t.Reads && len(t.File) > 0 && !t.Elsewhere }

// ShowsFiles reports whether the answer is the content of the files that the call lists.
func (t Traits) ShowsFiles() bool { return t.Reads && len(t.Files) > 0 && !t.Elsewhere }

// WritesFile reports whether success changes the files that the call names
// (REQ-HD-005.3): one by a parameter, or those of a patch (D-96).
func (t Traits) WritesFile() bool {
	return t.Edits && (len(t.File) > 0 || len(t.Patch) > 0) && !t.Elsewhere
}

// FileOf is the file that a call names, "" for none.
func (t Traits) FileOf(arguments json.RawMessage) string {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given) // a call that is no object names no file
	for _, name := range t.File {
		var file string
		if json.Unmarshal(given[name], &file) == nil && file != "" {
			return file
		}
	}
	return ""
}

// FilesOf are all files that a call names.
func (t Traits) FilesOf(arguments json.RawMessage) []string {
	var files []string
	if file := t.FileOf(arguments); file != "" {
		files = append(files, file)
	}
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given)
	for _, name := range t.Files {
		var several []string
		_ = json.Unmarshal(given[name], &several)
		files = append(files, several...)
	}
	return files
}

// String lists what calls do, as people read it.
func (t Traits) String() string {
	var does []string
	for _, trait := range []struct {
		is   bool
		word string
	}{{t.Reads, "read"}, {t.Edits, "edit"}, {t.Runs, "shell"}, {t.Reaches, "network"}, {t.Keeps, "state"}, {t.Asks, "ask"}} {
		if trait.is {
			does = append(does, trait.word)
		}
	}
	if len(does) == 0 {
		return "unknown"
	}
	return strings.Join(does, ", ")
}
