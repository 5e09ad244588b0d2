package cacheaware

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/history"
	"agent/internal/traits"
)

// Add takes an entry that was appended to the conversation.
func (e *Engine) Add(entry *history.Content) {
	at := len(e.entries)
	e.entries = append(e.entries, entry)
	if entry.Speaker == history.AI {
		if !e.rebuilding {
			e.settle(entry)
		}
		e.useWords(entry)
		e.request++
		e.answered = len(e.units)
	}
	e.addBlocks(at, entry)
}

// addBlocks makes units of the blocks of an entry. Their sizes make up that of the entry
// in the history, whatever its provider attached to it; what is not sent has none.
func (e *Engine) addBlocks(at int, entry *history.Content) {
	counter, empty := e.Counter(), entry.Empty()
	for block, b := range entry.Blocks {
		u := unit{entry: at, block: block}
		if !empty {
			u.tokens = entry.BlockTokens(block, counter)
		}
		if block == 0 && !empty {
			u.tokens += history.EntryTokens
		}
		switch b := b.(type) {
		case *history.Text:
			e.addText(entry.Speaker, b.Text, u)
		case *history.ToolCall:
			e.addCall(b, u)
		case *history.ToolResponse:
			e.addResponse(b, u)
		case *history.Media:
			e.addPicture(u)
		default:
			e.push(u)
		}
	}
}

// push appends a unit and returns its index.
func (e *Engine) push(u unit) int {
	u.full, u.sent, u.used = u.tokens, e.request, -1
	e.units = append(e.units, u)
	e.total += u.tokens
	e.unpruned += u.tokens
	return len(e.units) - 1
}

// addText takes words of a human or of the model. Naming a file is a use of it.
func (e *Engine) addText(speaker history.Speaker, text string, u unit) {
	at := e.push(u)
	e.words.add(text, at, true)
	for _, f := range e.files {
		if f.named(text) {
			f.mentioned = e.request
		}
	}
	if speaker == history.Human {
		e.human = e.request
	}
}

// addCall takes a call: its head, and its long arguments as units of their own.
func (e *Engine) addCall(call *history.ToolCall, u unit) {
	tool, root := e.Tools(call.Name), cmp.Or(e.entries[u.entry].Workspace(), e.Root)
	f := newFact(call, tool, root)
	e.open[call.ID] = f
	long := longArguments(call, tool)
	parts := make([]unit, len(long))
	u.part, u.fact = head, f
	for i, a := range long {
		tokens := min(u.tokens, e.count(a.text)+strings.Count(a.text, "\n")/2+2)
		u.tokens -= tokens
		parts[i] = unit{
			entry: u.entry, block: u.block, at: a.at, part: a.part, fact: f, text: a.text,
			tokens: tokens, left: e.count(pointerFor(a.text)) + 2,
		}
	}
	f.head = e.push(u)
	e.words.add(call.Name+" "+shortParameters(call, long), f.head, true)
	for i, a := range long {
		at := e.push(parts[i])
		e.words.add(a.text, at, false)
		f.take(a, tool, at, root)
	}
}

// addPicture takes an image. What the model saw in it, it has said since.
func (e *Engine) addPicture(u unit) {
	u.part, u.fact = picture, &fact{name: "image", result: -1}
	u.left = e.sizeOf(&history.Text{Text: picturePointer}, u.block)
	e.push(u)
}

// take notes a long argument of the call.
func (f *fact) take(a argumentUnit, tool traits.Traits, at int, root string) {
	switch a.part {
	case oldText:
		f.olds = append(f.olds, at)
		f.editIn(a.at.Parent()).before = a.text
	case newText:
		f.news = append(f.news, at)
		if len(tool.Patch) > 0 || f.inShell {
			f.patch(a.text, root)
		} else {
			f.editIn(a.at.Parent()).after, f.unknown = a.text, f.unknown || standsIn(a.text)
		}
	case body:
		f.bodies = append(f.bodies, at)
		if !standsIn(a.text) {
			f.content = a.text
		}
	default:
		f.args = append(f.args, at)
	}
}

// editIn is the edit whose texts are at a place of the parameters.
func (f *fact) editIn(place jsontext.Pointer) *edit {
	for i := range f.edits {
		if f.edits[i].in == place {
			return &f.edits[i]
		}
	}
	f.edits = append(f.edits, edit{path: f.path(), in: place})
	return &f.edits[len(f.edits)-1]
}

// addResponse takes the answer to the latest call with its id (D-11).
func (e *Engine) addResponse(response *history.ToolResponse, u unit) {
	text := response.Result.Text()
	f := e.open[response.CallID]
	if f == nil {
		e.push(u)
		return
	}
	delete(e.open, response.CallID)
	f.answer(response, shownBy(e.entries[u.entry]))
	if f.source = e.entries[u.entry].Key(); f.source != "" {
		f.key = ""
	}
	if e.entries[u.entry].Metadata[history.MetaUndone] == true {
		f.ok = false // D-48
	}
	u.part, u.fact = result, f
	u.text = text
	if f.act == View {
		u.text = f.content
	}
	u.left, u.numbered = e.sizeOf(response.WithResult(pointerFor(text)), u.block), -1
	f.result = e.push(u)
	e.words.add(text, f.result, false)
	e.note(f)
}

// sizeOf is the size of a block, with that of its entry if it is the first.
func (e *Engine) sizeOf(block history.Block, at int) int {
	size := history.New(history.Tool, block).BlockTokens(0, e.Counter())
	if at == 0 {
		size += history.EntryTokens
	}
	return size
}

// note updates what is known by a call that has been answered.
func (e *Engine) note(f *fact) {
	f.editsBefore = len(e.edits)
	if f.act == Edit && f.ok {
		e.edits = append(e.edits, e.request)
	}
	for _, p := range f.paths {
		e.file(p).note(f, e)
	}
	if f.source != "" && f.ok {
		if earlier := e.bySource[f.source]; earlier != nil {
			earlier.cover(e.request)
		}
		e.bySource[f.source] = f
	}
	if f.key == "" {
		return
	}
	if earlier := e.byKey[f.key]; earlier != nil {
		earlier.cover(e.request)
	}
	e.byKey[f.key] = f
}

func (e *Engine) file(path string) *file {
	f := e.files[path]
	if f == nil {
		f = &file{path: path, touched: -1, mentioned: -1, copy: -1}
		e.files[path] = f
	}
	return f
}

// shortParameters is the head of a call: its parameters without the long ones.
func shortParameters(call *history.ToolCall, long []argumentUnit) string {
	parameters := call.Parameters
	for _, a := range long {
		if shorter, ok := replaceArgument(parameters, a.at, ""); ok {
			parameters = shorter
		}
	}
	return string(parameters)
}
