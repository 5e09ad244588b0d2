package cacheaware

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// part is the role of a unit in its entry.
type part int

const (
	// said is text of a human or the model, or reasoning that is sent in later requests. It never
	// changes.
	said part = iota
	// head is a call without its long arguments. It never changes either.
	head
	// oldText and newText are the two texts of an edit. body is the content of a write.
	oldText
	newText
	body
	// argument is any other long argument.
	argument
	result
	// picture is an image.
	picture
)

// minArgument is the length in bytes above which an argument that no tool declares is a separate unit.
const minArgument = 400

// state is the present form of a unit.
type state int

const (
	whole state = iota
	pruned
	// current: the result of a call contains the current text of a file (fold.go).
	current
	// gone: the call was removed with its result (see empty_calls.go)
	gone
)

// A unit is the smallest part of a context that can change.
type unit struct {
	entry, block int
	// at points to the argument in the parameters of the call, as a JSON pointer.
	at   jsontext.Pointer
	part part
	fact *fact
	// text is the text that the unit shows, without line numbers. It is empty for a pruned unit.
	text string
	// tokens is the present size of the unit. full is its size before any pruning. left is its size when
	// a placeholder replaces it.
	tokens, full, left int
	state              state
	// stale is set once an edit has replaced text in the unit. marked is set once the unit has a note
	// about it.
	stale, marked bool
	// sent is the first request that contains the unit.
	sent int
	// used is the latest request whose reply used the unit, or -1 before the first.
	used int
	// folded is the file whose current text this result contains, from the request foldedAt on.
	folded   *file
	foldedAt int
	// free is set for a pruned unit if nothing was lost by pruning it. prunedAt is the first request
	// without the unit.
	free     bool
	prunedAt int
}

// minSaved is the smallest number of tokens that pruning a unit must free.
const minSaved = 30

// isShown reports whether the unit still contains its original text, or the text of a file.
func (u *unit) isShown() bool { return u.state == whole || u.state == current }

func (u *unit) saves() int { return u.tokens - u.left }

// minEditLines is the smallest number of lines from which an argument of an edit or a write is
// shortened. The model imitates its own earlier calls, and a tool refuses a pointer as an argument.
const minEditLines = 40

// mayGo reports whether a pointer may replace the unit and would free enough tokens.
func (u *unit) mayGo() bool {
	return !u.fixed() && u.isShown() && u.fact != nil && u.saves() >= minSaved && !u.shortEdit()
}

// shortEdit reports whether the unit is an argument of an edit or a write that is too short to be
// shortened. Such a unit is removed only with its whole call.
func (u *unit) shortEdit() bool { return isShortEdit(u.part, u.text) }

func isShortEdit(p part, text string) bool {
	edits := p == oldText || p == newText || p == body
	return edits && strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1 < minEditLines
}

// quotable reports whether an edit may quote the text of the unit.
func (u *unit) quotable() bool {
	switch u.part {
	case newText, body:
		return true
	case result:
		return u.fact.act == EffectView || u.state == current
	default:
		return false
	}
}

func (u *unit) fixed() bool { return u.part == said || u.part == head }

// An argumentUnit is a long argument of a call, found in its JSON.
type argumentUnit struct {
	at   jsontext.Pointer
	part part
	text string
}

// A textArgument is a text among the parameters of a call. It occupies the bytes from start to end.
type textArgument struct {
	at         jsontext.Pointer
	text       string
	start, end int
}

// textArguments yields the texts among the parameters of a call, in their order. It stops where the
// parameters are not valid JSON.
func textArguments(parameters json.RawMessage) iter.Seq[textArgument] {
	return func(yield func(textArgument) bool) {
		for a, named := range members(parameters) {
			if !named && !yield(a) {
				return
			}
		}
	}
}

// members yields the strings among the parameters of a call. named is set for the names of members,
// which precede their values.
func members(parameters json.RawMessage) iter.Seq2[textArgument, bool] {
	return func(yield func(a textArgument, named bool) bool) {
		decoder := jsontext.NewDecoder(bytes.NewReader(parameters), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		for {
			before := int(decoder.InputOffset())
			token, err := decoder.ReadToken()
			if err != nil {
				return
			}
			if token.Kind() != '"' {
				continue
			}
			start := before + bytes.IndexByte(parameters[before:], '"')
			kind, length := decoder.StackIndex(decoder.StackDepth())
			if !yield(textArgument{decoder.StackPointer(), token.String(), start, int(decoder.InputOffset())}, kind == '{' && length%2 == 1) {
				return
			}
		}
	}
}

// countedTexts returns the texts among the parameters of a call that tools use, in their order. If a
// member occurs twice, tools use the last one.
func countedTexts(parameters json.RawMessage) (texts []textArgument) {
	seen := map[jsontext.Pointer]bool{}
	for a, named := range members(parameters) {
		switch {
		case !named:
			texts = append(texts, a)
			continue
		case !seen[a.at]:
			seen[a.at] = true
			continue
		}
		texts = slices.DeleteFunc(texts, func(earlier textArgument) bool { return a.at.Contains(earlier.at) })
	}
	return texts
}

// longArguments returns the units among the arguments of a call, in their order.
func longArguments(call *history.ToolCall, tool toolspec.Traits) []argumentUnit {
	if !bytes.HasPrefix(bytes.TrimSpace(call.Parameters), []byte("{")) {
		return nil
	}
	var units []argumentUnit
	for _, a := range countedTexts(call.Parameters) {
		if what, ok := partOf(a.at, a.text, tool); ok {
			units = append(units, argumentUnit{at: a.at, part: what, text: a.text})
		}
	}
	return units
}

// partOf returns the part for an argument, or false if the argument is not a unit. An argument that the
// tool does not declare must be long.
func partOf(at jsontext.Pointer, text string, tool toolspec.Traits) (part, bool) {
	name := at.LastToken()
	top := strings.Count(string(at), "/") == 1
	listed := slices.ContainsFunc(tool.List, func(list string) bool { return strings.HasPrefix(string(at), "/"+list+"/") })
	switch {
	case !top && !listed:
		// A command may be a list whose last item is the script.
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

// replaceArgument returns parameters with the value at a pointer replaced by text. All other bytes are
// unchanged, so that the cached prefix before the value is kept.
func replaceArgument(parameters json.RawMessage, at jsontext.Pointer, text string) (json.RawMessage, bool) {
	for _, a := range countedTexts(parameters) {
		if a.at == at {
			return bytes.Join([][]byte{parameters[:a.start], quoted(text), parameters[a.end:]}, nil), true
		}
	}
	return parameters, false
}

// argumentAt returns the text at a JSON pointer in parameters, or "" if there is none.
func argumentAt(parameters json.RawMessage, at jsontext.Pointer) string {
	for _, a := range countedTexts(parameters) {
		if a.at == at {
			return a.text
		}
	}
	return ""
}

// mayBeMarked reports whether the unit is a stale view that has no note about it yet, and that no later
// view replaces.
func (u *unit) mayBeMarked() bool {
	return u.stale && !u.marked && u.part == result && u.state == whole && u.mayGo() && !u.fact.covered
}

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
	case EffectView:
		return "view"
	case EffectShell:
		return "output"
	default:
		return "answer"
	}
}

// subject returns the subject of a unit: its path, or otherwise its command, or otherwise its tool.
func (u *unit) subject() string {
	if p := u.fact.path(); p != "" {
		return p
	}
	if u.fact.key != "" && u.fact.act == EffectShell {
		return u.fact.key
	}
	return u.fact.name
}
