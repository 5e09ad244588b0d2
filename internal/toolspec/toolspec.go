// Package toolspec holds the properties that a tool declares, in the terms that the rest of the
// program needs: approval, rules, density, summaries, prompts, commands and the screen. It is
// plain data, and imports nothing of the program but words and the form of patches.
package toolspec

import "strings"

// Traits is the declaration of one tool. The zero value declares nothing: such a tool may do
// anything, so a user is asked about its calls, they run alone, and nothing is known of its
// answers.
//
// Parameters are lists of names; the first name that a call has counts.
type Traits struct {
	// Reads: calls look at files or at the state of the program.
	Reads bool
	// Edits: calls change files.
	Edits bool
	// Runs: calls run commands.
	Runs bool
	// Network: calls use the network.
	Network bool
	// Searches: calls search the web with a search service. Network is set, too.
	Searches bool
	// Stateful: calls change the state of the conversation, such as the todo list.
	Stateful bool
	// Remembers: calls keep notes for later sessions, in files of the user.
	Remembers bool
	// Asks: calls ask the user something, and have no other effect.
	Asks bool

	// Parallel: calls may run at the same time as others.
	Parallel bool
	// Essential tools are offered in the smallest windows too, because a small job can be done
	// with these tools alone.
	Essential bool
	// Unoffered tools are not declared in requests: the model learns of them otherwise, and calls
	// them by name.
	Unoffered bool
	// Rare tools are offered only if a user wants all tools: models seldom call them, and other
	// tools do the same work.
	Rare bool
	// NeedsRecord tools are offered only if the conversation is recorded.
	NeedsRecord bool
	// Form is the way of editing that the tool belongs to, empty for a tool of no or every form.
	// A model is offered the tools of its own form; calls of the other tools are answered all the
	// same.
	Form EditFormat
	// Elsewhere is set for a tool of another program that a recording names. Its reads and writes
	// do not count for REQ-HD-005.
	Elsewhere bool

	// Key is the parameter that distinguishes one call from another on a line: a path, a command,
	// a pattern, a URL. It is empty if there is none.
	Key string
	// File names the file that a call shows or changes (REQ-HD-005.2, REQ-HD-005.3).
	File []string
	// Files names the list of files that a call shows.
	Files []string
	// Density names the parts of a call and its answer that density may remove.
	Density

	// Words describe a call on the screen. The first entry whose parameter a call has counts.
	Words []Words
}

// Density names the parts of a call and its answer that density may remove, by the parameters
// that hold them.
type Density struct {
	// From is the first line to read.
	From []string
	// To is the last line to read.
	To []string
	// Count is the number of lines to read, for a call without To.
	Count []string
	// Headed: an incomplete answer begins with a line in brackets.
	Headed bool
	// Fragment: calls name the part to read by a symbol or the like, not by lines.
	Fragment bool
	// Old is the text that an edit replaces.
	Old []string
	// New is the text that an edit inserts.
	New []string
	// List holds several edits, each with Old and New.
	List []string
	// Body is the whole content to write.
	Body []string
	// Patch is a patch in the format of apply_patch.
	Patch []string
	// Reports: an answer is the report of an agent, which lists the files that it changed
	// (Reported).
	Reports bool
	// Command is a command line: a text, or a list whose last item is a command line.
	Command []string
}

// EditFormat is the way in which a model is trained to edit files.
type EditFormat string

// The forms.
const (
	// Replace: a text in the file is replaced by another.
	Replace EditFormat = "replace"
	// Patch: a patch of one or several files is applied.
	Patch EditFormat = "patch"
)

// FileNames lists the parameters in which models name a file (REQ-HD-005.4, D-14).
var FileNames = []string{"file_path", "absolute_path", "path"}

// Harmless reports whether calls change nothing but the state of the conversation, so that nobody
// is asked about them unless a file is protected.
func (t Traits) Harmless() bool {
	return (t.Reads || t.Stateful || t.Asks) && !t.Edits && !t.Runs && !t.Network
}

// OnlyUsesNetwork reports whether calls use the network and do nothing else here.
func (t Traits) OnlyUsesNetwork() bool { return t.Network && !t.Edits && !t.Runs && !t.Stateful }

// EditsOnly reports whether calls change files and do nothing else.
func (t Traits) EditsOnly() bool { return t.Edits && !t.Runs && !t.Network }

// Retrievable reports whether a call can be repeated to get its answer again. A call that edits
// or keeps something would do so twice, and so may the call of an agent (D-45, D-126).
func (t Traits) Retrievable() bool {
	return (t.Reads || t.Runs || t.Network) && !t.Edits && !t.Stateful && !t.Reports
}

// ShowsFile reports whether the answer is the content of the file that the call names
// (REQ-HD-005.2).
func (t Traits) ShowsFile() bool { return t.Reads && len(t.File) > 0 && !t.Elsewhere }

// ShowsFiles reports whether the answer is the content of the files that the call lists.
func (t Traits) ShowsFiles() bool { return t.Reads && len(t.Files) > 0 && !t.Elsewhere }

// WritesFile reports whether a successful call changes the files that it names (REQ-HD-005.3): a
// file in a parameter, or the files of a patch (D-96).
func (t Traits) WritesFile() bool {
	return t.Edits && (len(t.File) > 0 || len(t.Patch) > 0) && !t.Elsewhere
}

// String lists the effects of calls in words for a user.
func (t Traits) String() string {
	var does []string
	for _, trait := range []struct {
		is   bool
		word string
	}{{t.Reads, "read"}, {t.Edits, "edit"}, {t.Runs, "shell"}, {t.Network, "network"}, {t.Stateful, "state"}, {t.Asks, "ask"}} {
		if trait.is {
			does = append(does, trait.word)
		}
	}
	if len(does) == 0 {
		return "unknown"
	}
	return strings.Join(does, ", ")
}
