package cacheaware

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/base/lazyregexp"
	"agent/internal/history"
)

// A Change is the removal or replacement of one unit of the context.
type Change struct {
	// Entry is the index of the unit's entry.
	Entry int
	// Kind is a short name of the unit: "view", "old text", "answer" …
	Kind string
	// Subject is the path of the unit's file, or otherwise its command, or otherwise the name of its
	// tool.
	Subject string
	// Paths lists the files that the unit is about.
	Paths []string
	// Why is the reason for which the unit may be pruned.
	Why Reason
	// Text is the new text of a result that becomes a folded file or is marked. Otherwise it is empty.
	Text string
	// Tokens is the number of tokens pruned. It is negative for a copy made by a fold, if the copy is
	// larger than the text before.
	Tokens int
	// Idle is the number of requests since the unit was last used.
	Idle int
	// Number is the number of the content in the ledger, which the pointer contains. It is 0 if the
	// model has no tool to recall content.
	Number int

	unit int
}

// Reason is the reason for which a unit may be pruned.
type Reason string

// The reasons, as session logs and programs use them.
const (
	ReasonFree   Reason = "free"
	ReasonUnused Reason = "cold"
	ReasonSoft   Reason = "soft"
	ReasonMerged Reason = "folded"
	// ReasonEmptyCall is the reason of a call that is removed with its result because both consist only
	// of pointers.
	ReasonEmptyCall Reason = "hollow"
	// ReasonMarked is the reason of a view that gets a note that later edits changed its text.
	ReasonMarked Reason = "marked"
)

type reason struct {
	why       Reason
	field     string
	one, many string
}

// reasons lists every reason, with the name of its count in session logs and its description.
var reasons = []reason{
	{ReasonFree, "freePruned", "item no longer needed", "items no longer needed"},
	{ReasonUnused, "coldPruned", "unused item", "unused items"},
	{ReasonSoft, "softPruned", "less used item", "less used items"},
	{ReasonMerged, "foldedPruned", "merged item", "merged items"},
	{ReasonEmptyCall, "hollowPruned", "empty call", "empty calls"},
	{ReasonMarked, "markedPruned", "item marked as outdated", "items marked as outdated"},
}

// Reason describes why the change was made.
func (c Change) Reason() string {
	switch c.Why {
	case ReasonFree:
		return "removed without loss"
	case ReasonUnused:
		return fmt.Sprintf("not used for %d requests", c.Idle)
	case ReasonSoft:
		return fmt.Sprintf("not used for %d requests, removed along with other content", c.Idle)
	case ReasonMarked:
		return "marked as outdated by an edit"
	case ReasonEmptyCall:
		return "only placeholders were left"
	default:
		if c.Text != "" {
			return "replaced by the current text of the file"
		}
		return "merged into one current copy of the file"
	}
}

// countsOf counts changes by their reason, for the session log.
func countsOf(changes []Change) history.PruneCounts {
	counts := make(history.PruneCounts, len(reasons))
	for i, r := range reasons {
		counts[i] = history.PruneCount{Kind: history.PruneKind(r.why), Field: r.field, One: r.one, Many: r.many}
		for _, c := range changes {
			if c.Why == r.why {
				counts[i].N++
			}
		}
	}
	return counts
}

// pointerFor returns the pointer that replaces a text. It contains the number of lines, the texts in
// also, and the number for recall if there is one. The subject of the text is in the call. A longer
// pointer would cost more with every request.
func pointerFor(text string, number int, also ...string) string {
	lines := 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	size := "1 line"
	if lines > 1 {
		size = fmt.Sprintf("%d lines", lines)
	}
	return pointer(size, number, also...)
}

func pointer(what string, number int, also ...string) string {
	parts := append([]string{what}, also...)
	if number > 0 {
		parts = append(parts, fmt.Sprintf("recall %d", number))
	}
	return PlaceholderPrefix + strings.Join(parts, ", ") + "]"
}

var pointerNumber = lazyregexp.New(`\[pruned: [^\]]*, recall (\d+)\]`)

// PlaceholderNumber returns the number in the first pointer of text, or 0 if there is none.
func PlaceholderNumber(text string) int {
	if found := pointerNumber.FindStringSubmatch(text); found != nil {
		if n, err := strconv.Atoi(found[1]); err == nil {
			return n
		}
	}
	return 0
}

// anyNumber returns a number for content that is still in the context, such that its pointer has the
// size that it would have.
func (cv *conversation) anyNumber() int {
	if cv.Numbered != nil && cv.Numbered() {
		return 999
	}
	return 0
}

// withPointer returns the result of a call with its text replaced by a pointer. It keeps the beginning
// of an agent's report.
func (f *fact) withPointer(r *history.ToolResponse, number int) *history.ToolResponse {
	short := WithPlaceholder(r, number)
	if f.heading == "" {
		return short
	}
	return short.WithResult(f.heading + short.Result.Text())
}

// WithPlaceholder returns a result with its text replaced by a pointer. The result of a failed command
// keeps its exit status, but only once, because an error already contains the status. number is the
// number of the content in the ledger, or 0.
func WithPlaceholder(r *history.ToolResponse, number int) *history.ToolResponse {
	pointer := pointerFor(r.Result.Text(), number)
	if r.ExitCode == nil {
		return r.WithResult(pointer)
	}
	if *r.ExitCode != 0 && r.Error == "" {
		return r.WithResult(pointerFor(r.Result.Text(), number, fmt.Sprintf("exit %d", *r.ExitCode)))
	}
	shorter := r.WithResult(pointer)
	if *r.ExitCode == 0 {
		shorter.ExitCode = nil // 0 is not mentioned, but would be sent with the result
	}
	return shorter
}

// picturePointer returns the text that replaces an image.
func picturePointer(number int) string { return pointer("an image", number) }

// PlaceholderPrefix is the beginning of every pointer. Edit tools refuse an old text that begins with PlaceholderPrefix,
// because no file contains it.
const PlaceholderPrefix = "[pruned: "

// LeftOut is part of the note that a compression puts in the middle of an argument that it has
// shortened: "[… 1234 bytes omitted; …]".
const LeftOut = " left out; the call had them all: "

var leftOut = lazyregexp.New(`(\d+) (bytes|items)` + LeftOut)

// HasOmissionNote reports whether text contains a note with LeftOut.
func HasOmissionNote(text string) bool { return leftOut.MatchString(text) }

// OmittedBytes returns the number of bytes in the first note in text, or 0 if there is none.
func OmittedBytes(text string) int {
	if found := leftOut.FindStringSubmatch(text); len(found) > 2 && found[2] == "bytes" {
		if n, err := strconv.Atoi(found[1]); err == nil {
			return n
		}
	}
	return 0
}

// standsIn reports whether text is a pointer or contains a note, and so is not the original argument.
func standsIn(text string) bool {
	return strings.HasPrefix(text, PlaceholderPrefix) || HasOmissionNote(text)
}

// staleNote precedes a view that later edits changed.
const staleNote = "[as of before the edits below]\n"

// foldHeading returns the line above the current text of a folded file.
func foldHeading(path string) string { return foldBegins + path + foldEnds }

const foldBegins, foldEnds = "[current content of ", ", in place of its earlier versions]\n"

// replacedBlocks returns the blocks that a change removes from the context, and the blocks that replace
// them. The block for an argument is the call with only this argument.
func (cv *conversation) replacedBlocks(c Change) (gone, left []history.Block) {
	u := &cv.units[c.unit]
	block := cv.entries[c.Entry].Blocks[u.block]
	if c.Why == ReasonEmptyCall {
		answer := &cv.units[u.fact.result]
		return []history.Block{block, cv.entries[answer.entry].Blocks[answer.block]}, nil
	}
	if call, ok := block.(*history.ToolCall); ok {
		return []history.Block{call.WithParameters(quoted(argumentAt(call.Parameters, u.at)))}, []history.Block{call.WithParameters(quoted(pointerFor(u.text, c.Number)))}
	}
	return []history.Block{block}, []history.Block{cv.replacementBlock(c)}
}

// replacementBlock returns the block with which a change replaces the present block.
func (cv *conversation) replacementBlock(c Change) history.Block {
	u := &cv.units[c.unit]
	switch b := cv.entries[c.Entry].Blocks[u.block].(type) {
	case *history.ToolCall:
		parameters, _ := replaceArgument(b.Parameters, u.at, pointerFor(u.text, c.Number))
		return b.WithParameters(parameters)
	case *history.ToolResponse:
		if c.Text != "" {
			return b.WithResult(c.Text)
		}
		return u.fact.withPointer(b, c.Number)
	case *history.Media:
		return &history.Text{Text: picturePointer(c.Number)}
	default:
		return b
	}
}

func quoted(text string) []byte {
	data, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return []byte(`""`)
	}
	return data
}

// CostOfPlan returns the cost of a plan.
func (e *Engine) CostOfPlan(p Plan) history.PruningCost {
	return history.PruningCost{Paid: p.Paid, Saves: p.Saves, Bank: p.Bank, Back: p.PaybackRequests(), Request: e.conversation.nextRequest()}
}

// Apply applies the changes of a plan. The result has the new form of each changed entry, and the
// indexes of the removed entries. All indexes refer to the entries before the plan.
func (e *Engine) Apply(p Plan) history.DensityResult {
	cut := e.CostOfPlan(p)
	result := history.DensityResult{Metadata: countsOf(p.Changes), Cut: &cut, Prunes: make([]history.Prune, len(p.Changes))}
	for i, c := range p.Changes {
		gone, left := e.conversation.replacedBlocks(c)
		result.Prunes[i] = history.Prune{
			Kind: history.PruneKind(c.Why), Subject: c.Subject, Paths: c.Paths, Reason: c.Kind + ", " + c.Reason(),
			Entry: c.Entry, Gone: gone, Left: left,
		}
	}
	result.Replacements, result.Removals = e.apply(p)
	return result
}

func (e *Engine) apply(p Plan) (changed map[int]*history.Content, left []int) {
	changed, hollow := map[int]*history.Content{}, []int(nil)
	for _, c := range p.Changes {
		if c.Why == ReasonEmptyCall {
			hollow = append(hollow, c.unit)
			continue
		}
		changed[c.Entry] = e.conversation.apply(c)
		e.account.touch(c.unit)
	}
	rest, left := e.drop(hollow)
	maps.Copy(changed, rest)
	for _, i := range left {
		delete(changed, i)
	}
	return changed, left
}

// apply changes a unit and its entry, and returns the entry.
func (cv *conversation) apply(c Change) *history.Content {
	entry := cv.entries[c.Entry]
	blocks := slices.Clone(entry.Blocks)
	blocks[cv.units[c.unit].block] = cv.replacementBlock(c)
	cv.entries[c.Entry] = entry.WithBlocks(blocks)
	cv.replace(c)
	cv.settleSize(c.unit)
	return cv.entries[c.Entry]
}

// drop removes calls with their results. heads contains the indexes of the calls' head units.
func (e *Engine) drop(heads []int) (changed map[int]*history.Content, left []int) {
	for _, at := range heads {
		e.account.touch(at)
	}
	return e.conversation.leaveOut(heads)
}

// settleSize corrects the sizes of the units of a block, so that they add up to the present size of the
// block. The separate counts of the parts do not exactly add up to it.
func (cv *conversation) settleSize(at int) {
	u := &cv.units[at]
	size := cv.sizeOf(cv.entries[u.entry].Blocks[u.block], u.block)
	parts := []int{at}
	if u.part != result && u.part != picture {
		parts = u.fact.call()
	}
	for _, part := range parts {
		size -= cv.units[part].tokens
	}
	cv.units[parts[0]].tokens += size
	cv.total += size
}

// replace records that a unit is now a pointer, is marked, or contains the current text of a file.
func (cv *conversation) replace(c Change) {
	u := &cv.units[c.unit]
	cv.total -= c.Tokens
	u.tokens -= c.Tokens
	u.free = c.Why == ReasonFree || c.Why == ReasonMerged
	u.prunedAt = cv.request
	if c.Why == ReasonMarked {
		u.marked = true
		return
	}
	if c.Text == "" {
		u.state, u.text = pruned, ""
		return
	}
	f := cv.files[u.fact.path()]
	u.state, u.text = current, c.Text
	u.folded, u.foldedAt, f.copy = f, cv.request, c.unit
}
