package cacheaware

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/history"
)

// Tokens a provider spends around the words themselves.
const (
	entryCost    = 4
	callCost     = 8
	responseCost = 8
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
	extra := entryCost
	for block, b := range entry.Blocks {
		switch b := b.(type) {
		case *history.Text:
			e.addText(entry.Speaker, b.Text, unit{entry: at, block: block, tokens: e.textTokens(at, block, b.Text) + extra})
		case *history.ToolCall:
			e.addCall(b, at, block, extra)
		case *history.ToolResponse:
			e.addResponse(b, at, block, extra)
		case *history.Media:
			e.push(unit{entry: at, block: block, tokens: e.Media + extra})
		default:
			continue
		}
		extra = 0
	}
}

// textTokens is the size of the texts of a block. To count a long session anew takes
// longer than to read it.
func (e *Engine) textTokens(entry, block int, texts ...string) (tokens int) {
	if e.Known != nil {
		if tokens, known := e.Known(e.entries[entry], block); known {
			return tokens
		}
	}
	for _, text := range texts {
		tokens += e.Count(text)
	}
	return tokens
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
func (e *Engine) addCall(call *history.ToolCall, entry, block, extra int) {
	tool, root := e.Tools(call.Name), cmp.Or(e.entries[entry].Workspace(), e.Root)
	f := newFact(call, tool, root)
	e.open[call.ID] = f
	long := longArguments(call, tool)
	short := callCost + extra + e.Count(call.Name) + e.Count(string(call.Parameters))
	for _, a := range long {
		short -= e.argumentTokens(a.text)
	}
	at := e.push(unit{entry: entry, block: block, part: head, tokens: max(short, callCost), fact: f})
	e.words.add(call.Name+" "+shortParameters(call, long), at, true)
	for _, a := range long {
		f.take(a, tool, e.addArgument(a, f, entry, block), root)
	}
}

func (e *Engine) addArgument(a argumentUnit, f *fact, entry, block int) int {
	at := e.push(unit{
		entry: entry, block: block, at: a.at, part: a.part, fact: f, text: a.text,
		tokens: e.argumentTokens(a.text), left: e.Count(pointerFor(a.text)) + 2,
	})
	e.words.add(a.text, at, false)
	return at
}

func (e *Engine) argumentTokens(text string) int {
	return e.Count(text) + strings.Count(text, "\n")/2 + 2
}

// take notes a long argument of the call.
func (f *fact) take(a argumentUnit, tool Tool, at int, root string) {
	switch a.part {
	case oldText:
		f.olds = append(f.olds, at)
		f.editIn(a.at.Parent()).before = a.text
	case newText:
		f.news = append(f.news, at)
		if len(tool.Patch) > 0 || f.inShell {
			f.patch(a.text, root)
		} else {
			f.editIn(a.at.Parent()).after = a.text
		}
	case body:
		f.bodies = append(f.bodies, at)
		f.content = a.text
	default:
		f.args = append(f.args, at)
	}
}

// editIn is the edit whose texts stand at a place of the parameters.
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
func (e *Engine) addResponse(response *history.ToolResponse, entry, block, extra int) {
	text := response.Result.Text()
	failed := e.Count(response.Error)
	shown := e.textTokens(entry, block, text, response.Error) - failed
	u := unit{entry: entry, block: block, part: said, tokens: responseCost + extra + shown + failed}
	f := e.open[response.CallID]
	if f == nil {
		e.push(u)
		return
	}
	delete(e.open, response.CallID)
	f.answer(response, shownBy(e.entries[entry]))
	if e.entries[entry].Metadata[history.MetaUndone] == true {
		f.ok = false // D-48
	}
	u.part, u.fact = result, f
	u.text = text
	if f.act == View {
		u.text = f.content
	}
	u.left = u.tokens - shown + e.Count(pointerFor(text))
	f.result = e.push(u)
	e.words.add(text, f.result, false)
	e.note(f)
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
