// Package consent keeps a user's consent to the things that a repository wants to run, connect to
// or allow. Consent covers one content: the item as it is written, and the bytes of the files that
// its command names. An item whose content changes needs consent again. The package reads files,
// starts nothing and asks nobody.
//
// A package that finds such things describes each as an Item. The items are reviewed together at the
// start, Agree or Refuse keeps the user's answer, and May is called before each use of an item:
//
//	store := consent.Open(trustedfile.Locations{Config: …, Home: …, Workspace: …})
//	reviewed, err := store.Review(items)
//	for _, r := range reviewed { // for the question and the listings
//		fmt.Println(r, r.State, r.Effects.Lines(), r.Files)
//	}
//	if err := store.May(item); err != nil { // before each use; reads the files again
//		return err // for the person, with the remedy
//	}
//
// A Trust holds the items and the Store of a workspace for the front ends.
package consent

import (
	"fmt"
	"slices"

	"agent/internal/base/lazyregexp"
	"agent/internal/extend/setup/manifest"
)

// Kind is the kind of an item.
type Kind string

// The kinds.
const (
	// Server is an MCP server to start or to connect to.
	Server Kind = "server"
	// Hook is a program to run at an event.
	Hook Kind = "hook"
	// Grants are the rules by which a skill or command may act without a question.
	Grants Kind = "grants"
	// Allow is a list of rules that allow calls without a question.
	Allow Kind = "allow"
	// Agent is an agent that models give tasks to.
	Agent Kind = "agent"
	// Notes are facts for models that the repository brings.
	Notes Kind = "notes"
)

// Item is one thing that needs consent, as a file has it.
type Item struct {
	Kind Kind `json:"kind"`
	// Name distinguishes the item from others of its kind in the same file: "github",
	// "PreToolUse Bash".
	Name string `json:"name"`
	// File is the absolute path of the file that contains the item.
	File string `json:"file"`
	// Line is the line in File, 0 if it is not known.
	Line int `json:"line,omitempty"`
	// Effects lists everything that a user must see before they agree. Files of the repository
	// that it names belong to the content.
	Effects manifest.List `json:"effects"`
	// Folder is the folder of the project that the item is for, "" for the workspace.
	Folder string `json:"-"`
	// User means that the file is in the user's own folders and not in a repository. Consent then
	// holds in every workspace.
	User bool `json:"-"`
}

// String names the item: "server github".
func (i Item) String() string { return fmt.Sprintf("%s %s", i.Kind, i.Name) }

// State says whether a user has agreed to an item.
type State string

// The states. Only an agreed item is used.
const (
	Agreed  State = "used"
	Waiting State = "waiting"
	// Changed means that the user has answered about an earlier content. The item waits again.
	Changed State = "changed"
	Refused State = "refused"
)

// NeedsAnswer reports whether to ask a user about an item in this state.
func (s State) NeedsAnswer() bool { return s == Waiting || s == Changed }

// Reviewed is an item with its present content and state.
type Reviewed struct {
	State State `json:"state"`
	Item
	// Files lists the files whose bytes belong to the content, relative to the repository.
	Files []string `json:"files,omitempty"`
	// Hash identifies the content.
	Hash string `json:"hash,omitempty"`
	// Variables lists the variables of the environment that the item reads.
	Variables []string `json:"variables,omitempty"`
	// Undetermined means that commands of the item may use files that cannot be determined. Such
	// files do not belong to the content.
	Undetermined bool `json:"undetermined,omitempty"`
	// Content is the content as canonical JSON.
	Content string `json:"-"`
	// Difference lists the changes of a changed item, each a line with + or -.
	Difference []string `json:"difference,omitempty"`
	// Problem is the reason why the content cannot be determined, "" if it can. An item with a
	// problem waits, and nobody can agree to it.
	Problem string `json:"error,omitempty"`
}

func (i Item) runs() bool {
	return slices.ContainsFunc(i.Effects, func(p manifest.Part) bool { return p.Role == manifest.Word || p.Role == manifest.Line })
}

// reads returns the variables of the environment that the item reads, sorted.
func (i Item) reads() []string {
	names := i.Effects.Texts(manifest.Variable)
	for _, p := range i.Effects {
		names = append(names, Variables(p.Text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// variable matches a variable of a shell or of a JSON file: $NAME, ${NAME}, ${NAME:-else}.
var variable = lazyregexp.New(`\$\{?(?:env:)?([A-Za-z_][A-Za-z0-9_]*)`)

// Variables returns the names of the variables in texts, sorted, except the variables that every
// item may use.
func Variables(texts ...string) []string {
	var names []string
	for _, text := range texts {
		for _, found := range variable.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(projectVariables, found[1]) {
				names = append(names, found[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
