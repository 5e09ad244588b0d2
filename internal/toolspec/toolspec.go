// Package toolspec defines the declared properties of tools, which approval, rules, density,
// summaries, prompts, commands and the screen use. It contains plain data, and imports only the
// package for words and the one for patches.
package toolspec

import "strings"

// Traits is the declaration of one tool. The zero value declares nothing. Such a tool may have any
// effect, so its calls require approval and run alone, and nothing is known about its answers.
//
// Fields for parameters list all names that a parameter may have in a call. The first name in the call is
// used.
type Traits struct {
	// Reads: calls read files or the state of the program.
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
	// Remembers: calls store notes for later sessions, in files of the user.
	Remembers bool
	// Asks: calls ask the user questions, and have no other effect.
	Asks bool

	// Parallel: calls may run at the same time as others.
	Parallel bool
	// Essential tools are offered even for the smallest context windows, because they are
	// sufficient for a small task.
	Essential bool
	// Unoffered tools are not declared in requests. The model learns their names from other texts
	// and can call them.
	Unoffered bool
	// Rare tools are offered only if a user enables all tools. Models seldom call them, and other
	// tools do the same work.
	Rare bool
	// NeedsRecord tools are offered only if the conversation is recorded.
	NeedsRecord bool
	// Form is the edit format to which the tool belongs, empty for a tool of no or every form. A
	// model is offered the tools of its own form. Calls of the other tools still work.
	Form EditFormat
	// Elsewhere is set for a tool of another program in a recording. Its reads and writes are
	// ignored for REQ-HD-005.
	Elsewhere bool

	// Key is the parameter that distinguishes one call from another in a description: a path, a
	// command, a pattern, a URL. It is empty if there is none.
	Key string
	// File is the parameter for the file that a call shows or changes (REQ-HD-005.2, REQ-HD-005.3).
	File []string
	// Files is the parameter for the list of files that a call shows.
	Files []string
	// Density names the parameters with parts of a call and its answer that density may remove.
	Density

	// Words describes a call on the screen. The first entry whose parameter a call has is used.
	Words []Verbs
}

// Density names the parameters with the parts of a call and its answer that density may remove. Each list
// contains the alternative names of one parameter.
type Density struct {
	// From is the first line to read.
	From []string
	// To is the last line to read.
	To []string
	// Count is the number of lines to read, for a call without To.
	Count []string
	// Headed: an incomplete answer begins with a line in brackets.
	Headed bool
	// Fragment: calls select a part to read by a symbol or a similar name, not by lines.
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
	// Reports: an answer is the report of a subagent, which lists the files that it changed
	// (ParseReport).
	Reports bool
	// Command is a command line: a text, or a list whose last item is a command line.
	Command []string
}

// EditFormat is the way in which a model is trained to edit files.
type EditFormat string

// The edit formats.
const (
	// EditReplace: a text in the file is replaced by another.
	EditReplace EditFormat = "replace"
	// EditPatch: a patch of one or several files is applied.
	EditPatch EditFormat = "patch"
)

// FileNames lists the parameters with which models name a file (REQ-HD-005.4, D-14).
var FileNames = []string{"file_path", "absolute_path", "path"}

// IsHarmless reports whether calls change only the state of the conversation. They then need no
// approval unless a file is protected.
func (t Traits) IsHarmless() bool {
	return (t.Reads || t.Stateful || t.Asks) && !t.Edits && !t.Runs && !t.Network
}

// OnlyUsesNetwork reports whether calls use the network and have no effect on this machine.
func (t Traits) OnlyUsesNetwork() bool { return t.Network && !t.Edits && !t.Runs && !t.Stateful }

// EditsOnly reports whether calls change files and have no other effect.
func (t Traits) EditsOnly() bool { return t.Edits && !t.Runs && !t.Network }

// IsRetrievable reports whether a call can be repeated to get its answer again. A repeated call that
// edits or stores something would have its effect twice, and so might a call of a subagent (D-45,
// D-126).
func (t Traits) IsRetrievable() bool {
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

// String returns the effects of calls as a text for a user.
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
