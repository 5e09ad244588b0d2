// Package consent stores a user's consent to the items that a repository wants to run, connect to
// or allow. Consent applies to one content: the item as written, and the bytes of the files that
// its command names. An item whose content changes requires consent again. The package reads files,
// starts nothing and does not prompt the user.
//
// A package that finds such items describes each as an Item. The items are reviewed together at the
// start. Agree or Refuse stores the user's answer, and Check is called before each use of an item:
//
//	store := consent.Open(trustedfile.Locations{Config: …, Home: …, Workspace: …})
//	reviewed, err := store.Review(items)
//	for _, r := range reviewed { // for the question and the listings
//		fmt.Println(r, r.State, r.Effects.Lines(), r.Files)
//	}
//	if err := store.Check(item); err != nil { // before each use; reads the files again
//		return err // for the user, with the remedy
//	}
//
// A Trust holds the items and the Store of a workspace for the interfaces.
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
	// KindServer is an MCP server to start or to connect to.
	KindServer Kind = "server"
	// KindHook is a program to run at an event.
	KindHook Kind = "hook"
	// KindGrants are the rules by which a skill or command may act without approval.
	KindGrants Kind = "grants"
	// KindAllow is a list of rules that allow calls without approval.
	KindAllow Kind = "allow"
	// KindAgent is a subagent to which models delegate tasks.
	KindAgent Kind = "agent"
	// KindNotes are facts for models that are stored in the repository.
	KindNotes Kind = "notes"
)

// Item is one item that requires consent, as it is in a file.
type Item struct {
	Kind Kind `json:"kind"`
	// Name distinguishes the item from others of its kind in the same file: "github",
	// "PreToolUse Bash".
	Name string `json:"name"`
	// File is the absolute path of the file that contains the item.
	File string `json:"file"`
	// Line is the line in File, 0 if unknown.
	Line int `json:"line,omitempty"`
	// Effects lists everything that a user must see before they agree, including the content of
	// the repository's files that the item uses.
	Effects manifest.List `json:"effects"`
	// Folder is the folder of the project to which the item belongs, "" for the workspace.
	Folder string `json:"-"`
	// User is set if the file is in the user's own folders, not in a repository. Consent then
	// applies in every workspace.
	User bool `json:"-"`
}

// String returns the kind and the name of the item: "server github".
func (i Item) String() string { return fmt.Sprintf("%s %s", i.Kind, i.Name) }

// State is the state of the user's consent to an item.
type State string

// The states. Only an item in state Agreed is used.
const (
	StateApproved State = "used"
	StateWaiting  State = "waiting"
	// StateChanged means that the user has answered about an earlier version of the item. The item waits for an
	// answer again.
	StateChanged State = "changed"
	StateRefused State = "refused"
)

// NeedsAnswer reports whether an item in this state requires an answer of the user.
func (s State) NeedsAnswer() bool { return s == StateWaiting || s == StateChanged }

// ReviewedItem is an item with its current content and state.
type ReviewedItem struct {
	State State `json:"state"`
	Item
	// Files lists the files whose bytes are part of the content, relative to the repository.
	Files []string `json:"files,omitempty"`
	// Hash identifies the content.
	Hash string `json:"hash,omitempty"`
	// Variables lists the environment variables that the item reads.
	Variables []string `json:"variables,omitempty"`
	// Undetermined is set if commands of the item may use files that cannot be determined. Such
	// files are not part of the content.
	Undetermined bool `json:"undetermined,omitempty"`
	// Content is the content as canonical JSON.
	Content string `json:"-"`
	// Difference lists the changes of a changed item, each a line with + or -.
	Difference []string `json:"difference,omitempty"`
	// Problem is the reason why the content cannot be determined, "" if it can. An item with a
	// problem waits, and cannot be approved.
	Problem string `json:"error,omitempty"`
}

func (i Item) runs() bool {
	return slices.ContainsFunc(i.Effects, func(p manifest.Part) bool { return p.Role == manifest.RoleWord || p.Role == manifest.RoleLine })
}

// reads returns the environment variables that the item reads, sorted.
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

// Variables returns the names of the variables in texts, sorted. It omits the variables that every
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
