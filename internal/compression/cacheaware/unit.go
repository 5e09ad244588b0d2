package cacheaware

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/history"
	"agent/internal/traits"
)

// part says what a unit is of its entry.
type part int

const (
	// said is text of a human or the model, or reasoning that is sent back: it never changes.
	said part = iota
	// head is a call without its long arguments; it never changes either.
	head
	// oldText and newText are the texts of an edit, body the content of a write.
	oldText
	newText
	body
	// argument is any other long argument.
	argument
	// result is the answer to a call.
	result
	// picture is an image.
	picture
)

// minArgument is how many bytes an argument that no tool declares needs to be a
// unit of its own.
const minArgument = 400

// state says what replaces a unit.
type state int

const (
	whole state = iota
	pruned
	// current: the answer of a call holds the current text of a file (fold.go).
	current
	// gone: the call has left with its answer (hollow.go).
	gone
)

// unit is the smallest thing that can change in a context.
type unit struct {
	entry, block int
	// at points to the argument in the parameters of the call, as a JSON pointer.
	at   jsontext.Pointer
	part part
	fact *fact
	// text is what it shows, without line numbers; of a pruned unit nothing.
	text string
	// tokens is its size now, full before any pruning, and left as a pointer.
	tokens, full, left int
	// numbered is what the line numbers of a view take of it, -1 where nobody has counted;
	// plain says that they have left.
	numbered int
	plain    bool
	state    state
	// sent is the first request that carries it.
	sent int
	// used is the latest request whose reply used it, -1 before the first.
	used int
	// folded is the file whose current text this answer holds, and foldedAt the
	// request since which it does.
	folded   *file
	foldedAt int
	// free says, of a pruned unit, that nothing was lost with it, prunedAt at which
	// request it went.
	free     bool
	prunedAt int
}

// minSaved is how many tokens pruning a unit must free.
const minSaved = 30

// isShown reports whether the unit still shows what it came with, or the text of a file.
func (u *unit) isShown() bool { return u.state == whole || u.state == current }

func (u *unit) saves() int { return u.tokens - u.left }

// minEditLines is how many lines an argument of an edit or a write needs to be shortened. The
// model reads its own calls as examples of how to call, and a tool refuses a pointer.
const minEditLines = 40

// mayGo reports whether a pointer may take the place of the unit, and frees enough.
func (u *unit) mayGo() bool {
	return !u.fixed() && u.isShown() && u.fact != nil && u.saves() >= minSaved && !u.shortEdit()
}

// shortEdit reports whether the unit is an argument of an edit or a write that is too short to
// be shortened. It leaves with its whole call alone.
func (u *unit) shortEdit() bool { return isShortEdit(u.part, u.text) }

func isShortEdit(p part, text string) bool {
	edits := p == oldText || p == newText || p == body
	return edits && strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1 < minEditLines
}

// numbers is how many tokens the line numbers take that a tool put before the lines of a
// file. Edits quote the lines without them.
func (cv *conversation) numbers(u *unit) int {
	if u.part != result || u.fact.act != View || u.state != whole {
		return 0
	}
	if u.numbered < 0 {
		u.numbered = 0
		if r, ok := cv.entries[u.entry].Blocks[u.block].(*history.ToolResponse); ok {
			u.numbered = u.tokens - cv.sizeOf(r.WithResult(withoutNumbers(r.Result.Text())), u.block)
		}
	}
	return u.numbered
}

// quotable reports whether an edit may quote what the unit shows.
func (u *unit) quotable() bool {
	switch u.part {
	case newText, body:
		return true
	case result:
		return u.fact.act == View || u.state == current
	default:
		return false
	}
}

// fixed reports whether the unit can never change.
func (u *unit) fixed() bool { return u.part == said || u.part == head }

// argumentUnit is a long argument of a call, found in its JSON.
type argumentUnit struct {
	at   jsontext.Pointer
	part part
	text string
}

// textArgument is a text among the parameters of a call, which takes the bytes from start
// to end there.
type textArgument struct {
	at         jsontext.Pointer
	text       string
	start, end int
}

// textArguments walks through the texts among the parameters of a call, in their order, as
// far as these are JSON.
func textArguments(parameters json.RawMessage) iter.Seq[textArgument] {
	return func(yield func(textArgument) bool) {
		decoder := jsontext.NewDecoder(bytes.NewReader(parameters), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		for {
			before := int(decoder.InputOffset())
			token, err := decoder.ReadToken()
			if err != nil {
				return
			}
			if kind, length := decoder.StackIndex(decoder.StackDepth()); token.Kind() != '"' || kind == '{' && length%2 == 1 {
				continue // the name of a member is no value
			}
			start := before + bytes.IndexByte(parameters[before:], '"')
			if !yield(textArgument{decoder.StackPointer(), token.String(), start, int(decoder.InputOffset())}) {
				return
			}
		}
	}
}

// longArguments finds the units among the arguments of a call, in the order in
// which they are.
func longArguments(call *history.ToolCall, tool traits.Traits) []argumentUnit {
	if !bytes.HasPrefix(bytes.TrimSpace(call.Parameters), []byte("{")) {
		return nil
	}
	var units []argumentUnit
	for a := range textArguments(call.Parameters) {
		what, ok := partOf(a.at, a.text, tool)
		// A name that is given twice is one argument: the pointer finds the first.
		if ok && !slices.ContainsFunc(units, func(u argumentUnit) bool { return u.at == a.at }) {
			units = append(units, argumentUnit{at: a.at, part: what, text: a.text})
		}
	}
	return units
}

// partOf says what an argument is. Names that a tool does not declare count only
// when they are long.
func partOf(at jsontext.Pointer, text string, tool traits.Traits) (part, bool) {
	name := at.LastToken()
	top := strings.Count(string(at), "/") == 1
	listed := slices.ContainsFunc(tool.List, func(list string) bool { return strings.HasPrefix(string(at), "/"+list+"/") })
	switch {
	case !top && !listed:
		// A command may be a list whose last item is the line.
		parent := at.Parent()
		return newText, slices.Contains(tool.Command, parent.LastToken()) && parent.Parent() == "" && shellPatch(text)
	case slices.Contains(tool.Old, name):
		return oldText, true
	case slices.Contains(tool.New, name):
		return newText, true
	case slices.Contains(tool.Body, name):
		return body, true
	case slices.Contains(tool.Patch, name), slices.Contains(tool.Command, name) && shellPatch(text):
		return newText, true
	default:
		return argument, top && len(text) > minArgument
	}
}

// replaceArgument returns parameters with the value at pointer replaced by text;
// all other bytes stay as they are, so that the prefix before it is kept.
func replaceArgument(parameters json.RawMessage, at jsontext.Pointer, text string) (json.RawMessage, bool) {
	for a := range textArguments(parameters) {
		if a.at == at {
			return bytes.Join([][]byte{parameters[:a.start], quoted(text), parameters[a.end:]}, nil), true
		}
	}
	return parameters, false
}

// argumentAt is the text at a pointer in parameters, "" when there is none.
func argumentAt(parameters json.RawMessage, at jsontext.Pointer) string {
	for a := range textArguments(parameters) {
		if a.at == at {
			return a.text
		}
	}
	return ""
}

// kind names a unit in a few words.
func (u *unit) kind() string {
	switch u.part {
	case oldText:
		return "old text"
	case newText:
		return "new text"
	case body:
		return "written content"
	case argument:
		return "argument"
	case picture:
		return "image"
	}
	switch u.fact.act {
	case View:
		return "view"
	case Shell:
		return "output"
	default:
		return "answer"
	}
}

// subject names what a unit is about: a path, or a tool with its key.
func (u *unit) subject() string {
	if p := u.fact.path(); p != "" {
		return p
	}
	if u.fact.key != "" && u.fact.act == Shell {
		return u.fact.key
	}
	return u.fact.name
}
