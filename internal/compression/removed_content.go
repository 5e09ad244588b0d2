package compression

import (
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/compression/cacheaware"
	"agent/internal/history"
)

// The kinds of content that a compression removes from a context. Either something shorter represents
// the content, or nothing does.
const (
	PruneSummarized history.PruneKind = "summarised"
	PruneDropped    history.PruneKind = "dropped"
)

// maxSubject limits the text of a message that is used as its name, in characters.
const maxSubject = 60

// PrunedBetween lists the content that a compression by cause removed from a history, in order: each
// call with its results, each call that was shortened, each result that became a line, and each text.
// It omits the entries, notes and pointers that an earlier compression or density wrote, because the
// content that they replaced is already listed.
func PrunedBetween(before, after []*history.Content, cause string, facts TraitsLookup) []history.Prune {
	d := newDeparture(before, after, cause, facts)
	for i, entry := range before {
		if entry.Metadata[history.MetaSummary] == nil {
			for j, block := range entry.Blocks {
				if !d.stays[block] {
					d.take(history.Ref{Entry: i, Block: j}, block)
				}
			}
		}
	}
	return d.gone
}

// A departure compares a history with the history that replaced it.
type departure struct {
	before []*history.Content
	cause  string
	facts  TraitsLookup
	stays  map[history.Block]bool
	// answers contains the replacements of results in order, by the id of their call. calls contains
	// the replacements of calls.
	answers, calls map[string][]history.Block
	// shortened contains the calls that were replaced by something shorter.
	shortened map[*history.ToolCall]bool
	// message is the new form of the latest message if it was cut. messageAt is the index of its entry.
	message   *history.Content
	messageAt int
	// summary is set if a model's summary represents all content that has no line of its own.
	summary bool
	pairs   map[history.Ref]history.Pair // pairs maps each call to its pair
	callOf  map[history.Ref]history.Pair // callOf maps each answer to its pair
	gone    []history.Prune
}

func newDeparture(before, after []*history.Content, cause string, facts TraitsLookup) *departure {
	d := &departure{
		before: before, cause: cause, facts: facts,
		answers: map[string][]history.Block{}, calls: map[string][]history.Block{}, shortened: map[*history.ToolCall]bool{},
		pairs: map[history.Ref]history.Pair{}, callOf: map[history.Ref]history.Pair{},
	}
	_, d.stays = partsOf(after)
	was, held := partsOf(before)
	for _, entry := range after {
		if was[entry] {
			continue
		}
		d.summary = d.summary || isSummaryOfEntries(entry)
		if entry.Metadata[metaCut] != nil {
			d.message = entry
			_, d.messageAt = outerHumans(before)
		}
		for _, block := range entry.Blocks {
			switch b := block.(type) {
			case *history.ToolResponse:
				d.answers[b.CallID] = append(d.answers[b.CallID], block)
			case *history.ToolCall:
				if !held[block] {
					d.calls[b.ID] = append(d.calls[b.ID], block)
				}
			}
		}
	}
	for _, pair := range history.PairCalls(before).Pairs {
		d.pairs[pair.At] = pair
		for _, at := range pair.Responses {
			d.callOf[at] = pair
		}
	}
	return d
}

// partsOf returns the entries of a history, and their blocks.
func partsOf(all []*history.Content) (entries map[*history.Content]bool, blocks map[history.Block]bool) {
	entries, blocks = make(map[*history.Content]bool, len(all)), make(map[history.Block]bool, 2*len(all))
	for _, entry := range all {
		entries[entry] = true
		for _, block := range entry.Blocks {
			blocks[block] = true
		}
	}
	return entries, blocks
}

// take lists a removed block.
func (d *departure) take(at history.Ref, block history.Block) {
	switch b := block.(type) {
	case *history.Text:
		if strings.TrimSpace(b.Text) != "" {
			d.add(at, subjectOf(d.before[at.Entry], b), d.cutBlock(at), b)
		}
	case *history.Media:
		d.add(at, history.Prune{Subject: b.MimeType}, d.cutBlock(at), b)
	case *history.ToolCall:
		if short := next(d.calls, b.ID); short != nil {
			d.shortened[b] = true
			d.add(at, d.subject(b), short, b)
			return
		}
		gone := []history.Block{b}
		for _, answer := range d.pairs[at].Responses {
			gone = append(gone, d.before[answer.Entry].Blocks[answer.Block])
		}
		d.add(at, d.subject(b), nil, gone...)
	case *history.ToolResponse:
		d.answer(at, b)
	}
}

// cutBlock returns the replacement of a block of the message that was cut. It returns nil if at is not
// in that message.
func (d *departure) cutBlock(at history.Ref) []history.Block {
	if d.message == nil || at.Entry != d.messageAt || at.Block >= len(d.message.Blocks) {
		return nil
	}
	return d.message.Blocks[at.Block : at.Block+1]
}

// answer lists a result that was removed while its call is kept.
func (d *departure) answer(at history.Ref, response *history.ToolResponse) {
	pair, answered := d.callOf[at]
	text := response.Result.Text()
	if answered && !d.stays[pair.Call] && !d.shortened[pair.Call] || isSummary(text, response) || strings.HasPrefix(text, cacheaware.PlaceholderPrefix) {
		return // the result was listed with its call, or pruned earlier
	}
	subject := history.Prune{Subject: response.ToolName}
	if answered {
		subject = d.subject(pair.Call)
	}
	d.add(at, subject, next(d.answers, response.CallID), response)
}

// next removes and returns the first of the blocks with an id. It returns nil if none remains.
func next(blocks map[string][]history.Block, id string) []history.Block {
	left := blocks[id]
	if len(left) == 0 {
		return nil
	}
	blocks[id] = left[1:]
	return left[:1]
}

// add completes a prune, which describes the removed content, and lists it.
func (d *departure) add(at history.Ref, p history.Prune, left []history.Block, gone ...history.Block) {
	p.Kind, p.Reason, p.Entry, p.Gone, p.Left = PruneDropped, "dropped to free tokens ("+d.cause+")", at.Entry, gone, left
	switch {
	case len(left) > 0:
		p.Kind, p.Reason = PruneSummarized, "shortened ("+d.cause+")"
	case d.summary:
		p.Kind, p.Reason = PruneSummarized, "replaced by a summary ("+d.cause+")"
	}
	d.gone = append(d.gone, p)
}

// subject describes a call by its file, or by its tool and the parameter that distinguishes the tool's
// calls.
func (d *departure) subject(call *history.ToolCall) history.Prune {
	p := history.Prune{Subject: call.Name, Paths: namedFiles(call, d.facts)}
	key, facts := d.facts.keyValue(call), d.facts.of(call.Name)
	switch {
	case key == "":
	case facts.ShowsFile() || facts.WritesFile():
		p.Subject = key
	default:
		p.Subject += ": " + key
	}
	return p
}

// subjectOf describes a text of an entry: an included file, a message or a reply.
func subjectOf(entry *history.Content, text *history.Text) history.Prune {
	switch {
	case text.IncludedFile != "":
		return history.Prune{Subject: text.IncludedFile, Paths: []string{text.IncludedFile}}
	case entry.Speaker == history.Human:
		return history.Prune{Subject: "message: " + humanize.Line(text.Text, maxSubject)}
	}
	return history.Prune{Subject: "reply: " + humanize.Line(text.Text, maxSubject)}
}
