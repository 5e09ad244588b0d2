// Package consent keeps the consent of a person to what a repository wants to run, connect to or
// allow. Consent is given to a content: the item as it is written, and the bytes of the files
// that its command names. With another content it is another item. The package reads files,
// starts nothing and asks nobody.
//
// A package that finds such things describes each as an Item. Items are reviewed together at the
// start, the person's answer is kept with Agree or Refuse, and May is called before each start of
// what an item describes:
//
//	store := consent.Open(source.Where{Config: …, Home: …, Workspace: …})
//	for _, r := range store.Review(items) { // for the question and the lists
//		fmt.Println(r, r.State, r.Says, r.Files)
//	}
//	if err := store.May(item); err != nil { // before each start; reads the files again
//		return err // says what to do
//	}
package consent

import (
	"fmt"
	"slices"

	"agent/internal/pattern"
	"agent/internal/setup/effect"
)

// Kind is what an item does once it is agreed to.
type Kind string

// The kinds.
const (
	// Server is an MCP server that is started or connected to.
	Server Kind = "server"
	// Hook is a program that is run at an event.
	Hook Kind = "hook"
	// Grants are what a skill or command may do without a question.
	Grants Kind = "grants"
	// Allow is a list of rules that spare questions.
	Allow Kind = "allow"
)

// Item is one thing that needs consent, as it is written.
type Item struct {
	Kind Kind `json:"kind"`
	// Name distinguishes the item from others of its kind in the same file: "github",
	// "PreToolUse Bash".
	Name string `json:"name"`
	// File is the absolute path of the file that has the item.
	File string `json:"file"`
	// Line is the line in File, 0 if it is not known.
	Line int `json:"line,omitempty"`
	// Effects is all that a person must see and agrees to. Files of the repository that it names
	// belong to the content.
	Effects effect.List `json:"effects"`
	// Folder is the folder of the project that the item is for, "" for the workspace.
	Folder string `json:"-"`
	// User means that the file is in the user's own folders and not in a repository, so that
	// consent holds in every workspace.
	User bool `json:"-"`
}

// String names the item: "server github".
func (i Item) String() string { return fmt.Sprintf("%s %s", i.Kind, i.Name) }

// State is the state of consent to an item.
type State string

// The states. Only an agreed item is used.
const (
	Agreed  State = "used"
	Waiting State = "waiting"
	// Changed means that the person has answered about an earlier content. The item waits.
	Changed State = "changed"
	Refused State = "refused"
)

// Asked reports whether a person is to be asked about an item of this state.
func (s State) Asked() bool { return s == Waiting || s == Changed }

// Reviewed is an item with its content as it is now.
type Reviewed struct {
	State State `json:"state"`
	Item
	// Files are the files whose bytes belong to the content, relative to the repository.
	Files []string `json:"files,omitempty"`
	// Hash identifies the content.
	Hash string `json:"hash,omitempty"`
	// Variables are the names of the variables of the environment that the item reads.
	Variables []string `json:"variables,omitempty"`
	// Undetermined means that commands of the item name files that cannot be determined, so that
	// these do not belong to the content.
	Undetermined bool `json:"undetermined,omitempty"`
	// Content is the content as canonical JSON.
	Content string `json:"-"`
	// Difference has lines with + and - for what has changed in a changed item.
	Difference []string `json:"difference,omitempty"`
	// Problem is why the content cannot be determined, "" if it can. An item with a problem waits
	// and cannot be agreed to.
	Problem string `json:"error,omitempty"`
}

// runs reports whether the item runs anything.
func (i Item) runs() bool {
	return slices.ContainsFunc(i.Effects, func(p effect.Part) bool { return p.Role == effect.Word || p.Role == effect.Line })
}

// reads returns the variables of the environment that the item reads, sorted.
func (i Item) reads() []string {
	names := i.Effects.Texts(effect.Variable)
	for _, p := range i.Effects {
		names = append(names, Variables(p.Text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// variable is one of a shell or of a file of JSON: $NAME, ${NAME}, ${NAME:-else}.
var variable = pattern.New(`\$\{?(?:env:)?([A-Za-z_][A-Za-z0-9_]*)`)

// Variables returns the names of the variables in texts, sorted, without those that every item may
// use.
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
