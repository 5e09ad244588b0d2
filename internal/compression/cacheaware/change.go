package cacheaware

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/history"
	"agent/internal/pattern"
)

// Change is one thing that leaves the context.
type Change struct {
	// Entry is where it is.
	Entry int
	// Kind says what it is, in a few words: "view", "old text", "answer" …
	Kind string
	// Subject names it: a path, or a tool and its key.
	Subject string
	// Paths are the files that it is about.
	Paths []string
	// Why says why it may go.
	Why Why
	// Text is what the answer shows instead, where a file is folded into it or its line
	// numbers leave.
	Text string
	// Tokens is what it frees, less than zero for the copy that a fold makes.
	Tokens int
	// Idle is the number of requests since it was last used.
	Idle int

	unit int
}

// Why says why a unit may go.
type Why string

// The reasons, as records and programs read them.
const (
	Free   Why = "free"
	Cold   Why = "cold"
	Soft   Why = "soft"
	Folded Why = "folded"
	// Hollow is the reason for which a call leaves with its answer.
	Hollow Why = "hollow"
	// Unnumbered is the reason for which the numbers before the lines of a file leave.
	Unnumbered Why = "numbers"
)

type reason struct {
	why          Why
	field, words string
}

// reasons are all, with the names of their counts in records and in words.
var reasons = []reason{
	{Free, "freePruned", "free"},
	{Cold, "coldPruned", "cold"},
	{Soft, "softPruned", "soft"},
	{Folded, "foldedPruned", "folded"},
	{Hollow, "hollowPruned", "hollow"},
	{Unnumbered, "numbersPruned", "without numbers"},
}

// Reason says in words why the change is made.
func (c Change) Reason() string {
	switch c.Why {
	case Free:
		return "nothing is lost with it"
	case Cold:
		return fmt.Sprintf("not used for %d requests", c.Idle)
	case Soft:
		return fmt.Sprintf("not used for %d requests, and a cut is made anyway", c.Idle)
	case Unnumbered:
		return "its lines stay, their numbers leave"
	case Hollow:
		return "nothing but pointers was left of it"
	default:
		if c.Text != "" {
			return "holds the current text of the file now"
		}
		return "one current copy is in its place"
	}
}

// CountsOf counts changes by their reason, for the record.
func CountsOf(changes []Change) history.Counts {
	counts := make(history.Counts, len(reasons))
	for i, r := range reasons {
		counts[i] = history.Count{Kind: history.PruneKind(r.why), Field: r.field, One: r.words, Many: r.words}
		for _, c := range changes {
			if c.Why == r.why {
				counts[i].N++
			}
		}
	}
	return counts
}

// pointerFor is what replaces a unit that showed text. It says no more
// than that: what the text was of is in the call, which never leaves, what to do
// about it in the system prompt, and each pointer is paid for with every request.
func pointerFor(text string) string {
	lines := 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	if lines == 1 {
		return Marker + "1 line]"
	}
	return fmt.Sprintf("%s%d lines]", Marker, lines)
}

// WithPointer returns an answer with a pointer in the place of the text it showed. A failed command
// still says how it ended, once: an error has the exit status in it.
func WithPointer(r *history.ToolResponse) *history.ToolResponse {
	pointer := pointerFor(r.Result.Text())
	if r.ExitCode == nil {
		return r.WithResult(pointer)
	}
	if *r.ExitCode != 0 && r.Error == "" {
		return r.WithResult(fmt.Sprintf("%s, exit %d]", strings.TrimSuffix(pointer, "]"), *r.ExitCode))
	}
	shorter := r.WithResult(pointer)
	if *r.ExitCode == 0 {
		shorter.ExitCode = nil // sent with every answer whose text does not say it
	}
	return shorter
}

// picturePointer is what replaces an image.
const picturePointer = Marker + "an image]"

// Marker is how every pointer begins. Tools that are given one as the text to
// replace refuse it: it is not part of any file.
const Marker = "[pruned: "

// LeftOut is part of every note that is in the middle of an argument which a
// compression has shortened: "[… 1234 bytes left out; …]".
const LeftOut = " left out; the call had them all: "

var leftOut = pattern.New(`(\d+) (bytes|items)` + LeftOut)

// HoldsNote reports whether text holds such a note.
func HoldsNote(text string) bool { return leftOut.MatchString(text) }

// BytesLeftOut is the number that the first note in text says, 0 where it holds none.
func BytesLeftOut(text string) int {
	if found := leftOut.FindStringSubmatch(text); len(found) > 2 && found[2] == "bytes" {
		if n, err := strconv.Atoi(found[1]); err == nil {
			return n
		}
	}
	return 0
}

// standsIn reports whether text is a pointer, or holds a note: it is not what the call
// said.
func standsIn(text string) bool { return strings.HasPrefix(text, Marker) || HoldsNote(text) }

// foldHeading is before the current text of a file.
func foldHeading(path string) string { return foldBegins + path + foldEnds }

const foldBegins, foldEnds = "[current content of ", ", in place of its earlier versions]\n"

// CopyIn returns the text of a file that a fold put into an answer; false where none did.
func CopyIn(answer *history.ToolResponse) (text string, ok bool) {
	whole := answer.Result.Text()
	at := 0
	if !strings.HasPrefix(whole, foldBegins) {
		at = strings.Index(whole, "\n"+foldBegins) + 1
		if at == 0 {
			return "", false
		}
	}
	_, text, ok = strings.Cut(whole[at:], foldEnds)
	return text, ok
}

// Shown are the blocks that a change takes out of the context and those it leaves: for
// an argument a call with that alone.
func (cv *conversation) Shown(c Change) (gone, left []history.Block) {
	u := &cv.units[c.unit]
	block := cv.entries[c.Entry].Blocks[u.block]
	if c.Why == Hollow {
		answer := &cv.units[u.fact.result]
		return []history.Block{block, cv.entries[answer.entry].Blocks[answer.block]}, nil
	}
	if call, ok := block.(*history.ToolCall); ok {
		return []history.Block{call.WithParameters(quoted(argumentAt(call.Parameters, u.at)))}, []history.Block{call.WithParameters(quoted(pointerFor(u.text)))}
	}
	return []history.Block{block}, []history.Block{cv.instead(c)}
}

// instead is what the block of a change becomes.
func (cv *conversation) instead(c Change) history.Block {
	u := &cv.units[c.unit]
	switch b := cv.entries[c.Entry].Blocks[u.block].(type) {
	case *history.ToolCall:
		parameters, _ := replaceArgument(b.Parameters, u.at, pointerFor(u.text))
		return b.WithParameters(parameters)
	case *history.ToolResponse:
		if c.Text != "" {
			return b.WithResult(c.Text)
		}
		return WithPointer(b)
	case *history.Media:
		return &history.Text{Text: picturePointer}
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

// Applied is what a plan makes of entries, by their index before: those that changed, and
// those that left.
type Applied struct {
	Changed map[int]*history.Content
	Left    []int
}

// Apply makes the changes of a plan.
func (e *Engine) Apply(p Plan) Applied {
	changed, hollow := map[int]*history.Content{}, []int(nil)
	for _, c := range p.Changes {
		if c.Why == Hollow {
			hollow = append(hollow, c.unit)
			continue
		}
		entry := e.entries[c.Entry]
		blocks := slices.Clone(entry.Blocks)
		blocks[e.units[c.unit].block] = e.instead(c)
		e.entries[c.Entry] = entry.WithBlocks(blocks)
		changed[c.Entry] = e.entries[c.Entry]
		e.account.touch(c.unit)
		e.replace(c)
		e.settleSize(c.unit)
	}
	rest, left := e.drop(hollow)
	maps.Copy(changed, rest)
	for _, i := range left {
		delete(changed, i)
	}
	return Applied{changed, left}
}

// drop leaves out calls with their answers, by their heads.
func (e *Engine) drop(heads []int) (changed map[int]*history.Content, left []int) {
	for _, at := range heads {
		e.account.touch(at)
	}
	return e.leaveOut(heads)
}

// settleSize makes the units of a block as large as the block is now: its tokens are not
// quite the sum of those of its parts.
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

// replace notes that a unit is a pointer now, or holds the text of a file.
func (cv *conversation) replace(c Change) {
	u := &cv.units[c.unit]
	cv.total -= c.Tokens
	u.tokens -= c.Tokens
	u.free = c.Why == Free || c.Why == Folded
	u.prunedAt = cv.request
	if c.Why == Unnumbered {
		u.numbered, u.plain = 0, true
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
