package cacheaware

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// conversation contains the entries of a conversation, divided into units, and the changes made to them
// so far.
type conversation struct {
	Options

	entries []*history.Content
	units   []unit
	// open maps the ids of unanswered calls to their facts.
	open  map[string]*fact
	files map[string]*file
	// byKey maps each key to the calls whose output no later call with the key repeats.
	byKey map[string][]*fact
	// searches lists the web searches.
	searches []*fact
	// bySource maps each source to the latest result with its content.
	bySource map[string]*fact
	words    vocabulary
	// request is the number of replies so far, which is also the number of the next request, from 0.
	request int
	// human is the request that first contained the latest human message, or -1 before the first.
	// humanText is the text of that message.
	human     int
	humanText string
	// edits lists, for each applied edit, the first request that contained its result.
	edits []int
	// answered is the number of units before the latest reply. replied is the number of units up to its
	// end.
	answered, replied int
	// total is the present size of the conversation in tokens. unpruned is its size without any
	// pruning.
	total, unpruned int
	// again lists the files that the model requested again since the latest request.
	again []string
}

func (cv *conversation) count(text string) int { return cv.Counter().Count(text) }

// Len returns the number of entries in the conversation.
func (e *Engine) Len() int { return len(e.conversation.entries) }

// Entry returns an entry with the changes applied so far.
func (e *Engine) Entry(i int) *history.Content { return e.conversation.entries[i] }

func (cv *conversation) append(entry *history.Content) {
	at := len(cv.entries)
	cv.entries = append(cv.entries, entry)
	if entry.Speaker == history.AI {
		cv.useWords(entry)
		cv.request++
		cv.answered = len(cv.units)
	}
	cv.addBlocks(at, entry)
	if entry.Speaker == history.AI {
		cv.replied = len(cv.units)
	}
}

// addBlocks makes units from the blocks of an entry. Their sizes add up to the size of the entry in the
// history, including data that its provider attached. The blocks of an entry that is not sent have size
// 0.
func (cv *conversation) addBlocks(at int, entry *history.Content) {
	counter, empty := cv.Counter(), entry.Empty()
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
			cv.addText(entry.Speaker, b.Text, u)
			if b.Source == history.SourceCommand && strings.HasPrefix(b.Text, toolspec.ReportTitle) {
				files, _ := toolspec.ParseReport(b.Text)
				cv.changedByAgent(files, entry)
			}
		case *history.ToolCall:
			cv.addCall(b, u)
		case *history.ToolResponse:
			cv.addResponse(b, u)
		case *history.Media:
			cv.addPicture(u)
		default:
			cv.push(u)
		}
	}
}

func (cv *conversation) push(u unit) int {
	u.full, u.sent, u.used = u.tokens, cv.request, -1
	cv.units = append(cv.units, u)
	cv.total += u.tokens
	cv.unpruned += u.tokens
	return len(cv.units) - 1
}

// addText adds text of a human or of the model. If the text names a file, this counts as a use of the
// file.
func (cv *conversation) addText(speaker history.Speaker, text string, u unit) {
	at := cv.push(u)
	cv.words.add(text, at, true)
	for _, f := range cv.files {
		if history.Names(text, f.path) {
			f.mentioned = cv.request
		}
	}
	if speaker == history.Human {
		cv.human, cv.humanText = cv.request, text
	}
}

// addCall adds a call: its head, and its long arguments as separate units.
func (cv *conversation) addCall(call *history.ToolCall, u unit) {
	tool, root := cv.Tools(call.Name), cmp.Or(cv.entries[u.entry].Workspace(), cv.Root)
	f := newFact(call, tool, root)
	cv.open[call.ID] = f
	long := longArguments(call, tool)
	parts := make([]unit, len(long))
	u.part, u.fact = head, f
	for i, a := range long {
		tokens := min(u.tokens, cv.count(a.text)+strings.Count(a.text, "\n")/2+2)
		u.tokens -= tokens
		parts[i] = unit{
			entry: u.entry, block: u.block, at: a.at, part: a.part, fact: f, text: a.text,
			tokens: tokens, left: cv.count(pointerFor(a.text, cv.anyNumber())) + 2,
		}
	}
	f.asked = namesServer(cv.humanText, call.Name)
	f.head = cv.push(u)
	cv.words.add(call.Name+" "+shortParameters(call, long), f.head, true)
	for i, a := range long {
		at := cv.push(parts[i])
		cv.words.add(a.text, at, false)
		f.take(a, tool, at, root)
	}
}

// addPicture adds an image. An image may be pruned later, because the model's reply describes its
// content.
func (cv *conversation) addPicture(u unit) {
	u.part, u.fact = picture, &fact{name: "image", result: -1}
	u.left = cv.sizeOf(&history.Text{Text: picturePointer(cv.anyNumber())}, u.block)
	cv.push(u)
}

// take records a long argument of the call.
func (f *fact) take(a argumentUnit, tool toolspec.Traits, at int, root string) {
	f.short = f.short || isShortEdit(a.part, a.text)
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

// editIn returns the edit whose texts are at a position of the parameters. If there is none, it adds
// one.
func (f *fact) editIn(place jsontext.Pointer) *edit {
	for i := range f.edits {
		if f.edits[i].in == place {
			return &f.edits[i]
		}
	}
	f.edits = append(f.edits, edit{path: f.path(), in: place})
	return &f.edits[len(f.edits)-1]
}

// addResponse adds the response to the latest call with its id (D-11).
func (cv *conversation) addResponse(response *history.ToolResponse, u unit) {
	text := response.Result.Text()
	f := cv.open[response.CallID]
	if f == nil {
		cv.push(u)
		return
	}
	delete(cv.open, response.CallID)
	f.answer(response, history.ViewOf(cv.entries[u.entry]))
	if f.source = cv.entries[u.entry].Key(); f.source != "" {
		f.key = ""
	}
	if cv.entries[u.entry].Metadata[history.MetaUndone] == true {
		f.ok = false // D-48
	}
	u.part, u.fact = result, f
	u.text = text
	if f.act == EffectView {
		u.text = f.content
	}
	u.left = cv.sizeOf(f.withPointer(response, cv.anyNumber()), u.block)
	f.result = cv.push(u)
	cv.words.add(text, f.result, false)
	cv.note(f)
}

// sizeOf returns the size of a block in tokens. The size of the first block includes the overhead of
// its entry.
func (cv *conversation) sizeOf(block history.Block, at int) int {
	size := history.New(history.Tool, block).BlockTokens(0, cv.Counter())
	if at == 0 {
		size += history.EntryTokens
	}
	return size
}

// note updates the state of the conversation for an answered call.
func (cv *conversation) note(f *fact) {
	f.editsBefore = len(cv.edits)
	if f.act == EffectEdit && f.ok {
		cv.edits = append(cv.edits, cv.request)
	}
	for _, p := range f.paths {
		cv.file(p).note(f, cv)
	}
	if f.ok {
		cv.changedByAgent(f.changes, cv.entries[cv.units[f.result].entry])
	}
	if f.source != "" && f.ok {
		if earlier := cv.bySource[f.source]; earlier != nil {
			earlier.covered = true
		}
		cv.bySource[f.source] = f
	}
	if f.key != "" && f.shows {
		cv.repeat(f)
	}
	switch {
	case f.searches && f.ok:
		cv.searches = append(cv.searches, f)
	case f.page != "" && f.ok:
		cv.endSearches(f.page)
	}
}

// endSearches ends the web searches that found a page which was just read, because their other excerpts
// are no longer needed.
func (cv *conversation) endSearches(page string) {
	shown := strings.TrimPrefix(page, "https://")
	for _, search := range cv.searches {
		if text := cv.units[search.result].text; strings.Contains(text, "("+shown+")") || strings.Contains(text, "("+shown+", ") {
			search.covered = true
		}
	}
}

// changedByAgent ends the views of files that an agent changed. entry contains its report.
func (cv *conversation) changedByAgent(files []string, entry *history.Content) {
	for _, p := range files {
		cv.file(history.Absolute(cmp.Or(entry.Workspace(), cv.Root), p)).changedElsewhere()
	}
}

// repeat marks the earlier calls with the key of f as covered if f shows at least as much output.
func (cv *conversation) repeat(f *fact) {
	latest := cv.byKey[f.key][:0]
	for _, earlier := range cv.byKey[f.key] {
		if f.cut.holds(earlier.cut) {
			earlier.covered = true
		} else {
			latest = append(latest, earlier)
		}
	}
	cv.byKey[f.key] = append(latest, f)
}

func (cv *conversation) file(path string) *file {
	f := cv.files[path]
	if f == nil {
		f = &file{path: path, touched: -1, mentioned: -1, copy: -1}
		cv.files[path] = f
	}
	return f
}

func shortParameters(call *history.ToolCall, long []argumentUnit) string {
	parameters := call.Parameters
	for _, a := range long {
		if shorter, ok := replaceArgument(parameters, a.at, ""); ok {
			parameters = shorter
		}
	}
	return string(parameters)
}

// namesServer reports whether a text names the server of a tool whose name has the form
// mcp__SERVER__TOOL.
func namesServer(text, tool string) bool {
	parts := strings.SplitN(tool, "__", 3)
	return len(parts) == 3 && parts[1] != "" && strings.Contains(strings.ToLower(text), strings.ToLower(parts[1]))
}

// stumbled reports whether one of several calls of the latest reply failed.
func (cv *conversation) stumbled() bool {
	results, failed := 0, false
	for at := cv.replied; at < len(cv.units); at++ {
		if u := &cv.units[at]; u.part == result {
			results++
			failed = failed || !u.fact.ok
		}
	}
	return results > 1 && failed
}
