package cacheaware

import (
	"strings"

	"agent/internal/history"
)

// Options is what an Engine is made of.
type Options struct {
	// Tools declares the tools of the conversation.
	Tools Tools
	// Root is what relative paths mean; absolute.
	Root string
	// Count counts the tokens of a text, Media those of an image.
	Count func(text string) int
	Media int
}

// Engine follows one conversation and says what may leave it.
type Engine struct {
	Options

	entries []*history.Content
	units   []unit
	facts   []*fact
	// open are the calls that wait for their answer, by id.
	open map[string]*fact
	// first is the first unit of each entry.
	first []int
	files map[string]*file
	// byKey is the latest call with each key.
	byKey map[string]*fact
	words vocabulary
	// request counts the replies so far: the number of the next request.
	request int
	// humans is the latest request that carried a human message first.
	human int
	// edits counts the applied edits.
	edits int
	// total is the size of the conversation as it stands, unpruned as it came.
	total, unpruned int

	account account
}

// New returns an engine for an empty conversation.
func New(o Options) *Engine {
	return &Engine{
		Options: o,
		open:    map[string]*fact{},
		files:   map[string]*file{},
		byKey:   map[string]*fact{},
		words:   vocabulary{},
		human:   -1,
	}
}

// Len is the number of entries the engine was given.
func (e *Engine) Len() int { return len(e.entries) }

// Entry returns an entry as it stands, with the changes applied so far.
func (e *Engine) Entry(i int) *history.Content { return e.entries[i] }

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
	e.first = append(e.first, len(e.units))
	if entry.Speaker == history.AI {
		e.useWords(entry)
		e.request++
	}
	extra := entryCost
	for block, b := range entry.Blocks {
		switch b := b.(type) {
		case *history.Text:
			e.addText(entry.Speaker, b.Text, unit{entry: at, block: block, tokens: e.Count(b.Text) + extra})
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
	tool := e.Tools(call.Name)
	f := newFact(len(e.facts), call, tool, e.Root)
	e.facts = append(e.facts, f)
	e.open[call.ID] = f
	long := longArguments(call, tool)
	short := callCost + extra + e.Count(call.Name) + e.Count(string(call.Parameters))
	for _, a := range long {
		short -= e.argumentTokens(a.text)
	}
	at := e.push(unit{entry: entry, block: block, part: head, tokens: max(short, callCost), fact: f})
	e.words.add(call.Name+" "+shortParameters(call, long), at, true)
	for _, a := range long {
		f.take(a, tool, e.addArgument(a, f, entry, block), e.Root)
	}
}

func (e *Engine) addArgument(a argumentUnit, f *fact, entry, block int) int {
	at := e.push(unit{
		entry: entry, block: block, at: a.at, part: a.part, fact: f, text: a.text,
		tokens: e.argumentTokens(a.text), left: e.Count(pointerFor(a.part, a.text, f)) + 2,
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
		f.edits = append(f.edits, edit{path: f.path(), before: a.text})
	case newText:
		f.news = append(f.news, at)
		switch last := len(f.edits) - 1; {
		case tool.Patch != "":
			f.patch(a.text, root)
		case last >= 0 && f.edits[last].after == "":
			f.edits[last].after = a.text
		}
	case body:
		f.bodies = append(f.bodies, at)
		f.content = a.text
	default:
		f.args = append(f.args, at)
	}
}

// addResponse takes the answer to the latest call with its id (D-11).
func (e *Engine) addResponse(response *history.ToolResponse, entry, block, extra int) {
	text := response.Result.Text()
	u := unit{entry: entry, block: block, part: said, tokens: responseCost + extra + e.Count(text) + e.Count(response.Error)}
	f := e.open[response.CallID]
	if f == nil {
		e.push(u)
		return
	}
	delete(e.open, response.CallID)
	f.answer(response)
	u.part, u.fact = result, f
	u.text = text
	if f.act == View {
		u.text = f.content
	}
	u.left = u.tokens - e.Count(text) + e.Count(pointerFor(result, text, f))
	f.result = e.push(u)
	e.words.add(text, f.result, false)
	e.note(f)
}

// note updates what is known by a call that has been answered.
func (e *Engine) note(f *fact) {
	f.editsBefore = e.edits
	if f.act == Edit && f.ok {
		e.edits++
	}
	for _, p := range f.paths {
		e.file(p).note(f, e)
	}
	if f.key == "" {
		return
	}
	if earlier := e.byKey[f.key]; earlier != nil {
		earlier.covered = true
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

// useWords finds the units that a reply uses: those it quotes in an edit, and
// those of which it holds rare words.
func (e *Engine) useWords(reply *history.Content) {
	seen, count := map[string]bool{}, map[int]int{}
	for _, block := range reply.Blocks {
		switch b := block.(type) {
		case *history.Text:
			e.words.used(b.Text, seen, count)
		case *history.ToolCall:
			e.words.used(string(b.Parameters), seen, count)
			for _, a := range longArguments(b, e.Tools(b.Name)) {
				if a.part == oldText {
					e.useQuote(a.text)
				}
			}
		}
	}
	for at, n := range count {
		if n >= rareWords {
			e.use(at)
		}
	}
}

// useQuote finds the newest unit that shows what an edit quotes.
func (e *Engine) useQuote(text string) {
	if text == "" {
		return
	}
	for at := len(e.units) - 1; at >= 0; at-- {
		u := &e.units[at]
		if u.text != "" && strings.Contains(u.text, text) {
			e.use(at)
			return
		}
	}
}

// use notes that the reply to the request that was sent last used a unit.
func (e *Engine) use(at int) { e.units[at].used = e.request + 1 }

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
