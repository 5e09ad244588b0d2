package provenance

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/compression"
	"agent/internal/history"
)

// A tracker traces the blocks with the wanted text through the changes of a conversation.
type tracker struct {
	question string
	file     bool
	facts    compression.TraitsLookup
	root     string

	entries []*history.Content
	parts   []*part
	// at maps each block in the context to its part.
	at map[history.Block]*part
	// calls has the latest call for each id.
	calls map[string]*history.ToolCall
	// prunes counts the lines of the ledger, and replies the replies. Both count since the latest
	// clear.
	prunes, replies int
	// upcoming is set while the changes before the next request are applied.
	upcoming bool
}

// A part is a traced block with its origin in the session log. Its present form is nil once the block
// was removed.
type part struct {
	Part
	block  history.Block
	origin history.RecordRef
}

func (t *tracker) follow(s history.Step) {
	before := t.entries
	switch s.Kind {
	case history.MutationAdded:
		t.entries = append(t.entries, s.Entry)
		t.take(s.Entry, fmt.Sprint(s.Seq))
		if s.Entry.Speaker == history.AI {
			t.replies++
		}
		return
	case history.MutationDensity:
		t.entries = s.Apply(before)
		for entry, edit := range s.Edits {
			var after []history.Block
			if edit.After != nil {
				after = edit.After.Blocks
			}
			t.recordChange(entry.Blocks, after, before, s)
		}
	case history.MutationReplaced:
		t.entries = slices.Clip(s.Entries)
		t.recordChange(blocksOf(before), blocksOf(s.Entries), before, s)
		for i, entry := range s.Entries {
			if !slices.Contains(before, entry) {
				t.take(entry, fmt.Sprintf("%d.%d", s.Seq, i+1))
			}
		}
	case history.MutationCleared:
		for _, p := range t.at {
			p.leave(Part{State: StatePruned, Reason: "the conversation was cleared", Back: "/rewind goes back to an earlier state"})
		}
		clear(t.at)
		t.entries, t.prunes, t.replies = nil, 0, 0
	default:
		return
	}
	t.prunes += len(s.Prunes)
}

func blocksOf(entries []*history.Content) (blocks []history.Block) {
	for _, entry := range entries {
		blocks = append(blocks, entry.Blocks...)
	}
	return blocks
}

// take starts to trace the blocks of a new entry that contain the wanted text.
func (t *tracker) take(entry *history.Content, origin string) {
	for _, block := range entry.Blocks {
		if call, ok := block.(*history.ToolCall); ok {
			t.calls[call.ID] = call
		}
		if t.at[block] != nil || !t.isAbout(block) {
			continue
		}
		p := &part{Part: Part{State: StateInContext, What: t.title(entry, block)}, block: block, origin: history.RecordRef{Entry: origin, CallID: history.CallID(block)}}
		t.parts, t.at[block] = append(t.parts, p), p
	}
}

func (t *tracker) isAbout(block history.Block) bool {
	if !t.file {
		return t.holds(block)
	}
	switch b := block.(type) {
	case *history.Text:
		return slices.ContainsFunc(history.Inclusions(b), func(i history.Inclusion) bool { return t.names(i.Path) }) || t.keyNamesFile(b.Key)
	case *history.ToolCall:
		return !t.facts(b.Name).Reads && slices.ContainsFunc(t.facts(b.Name).FilesOf(b), t.names)
	case *history.ToolResponse:
		call := t.calls[b.CallID]
		return call != nil && t.facts(call.Name).Reads && slices.ContainsFunc(t.facts(call.Name).FilesOf(call), t.names)
	}
	return false
}

// keyNamesFile reports whether the key of a text contains the path of the file. Keys of nested
// instructions do.
func (t *tracker) keyNamesFile(key string) bool {
	_, file, ok := strings.Cut(key, ":")
	return ok && t.names(file)
}

func (t *tracker) holds(block history.Block) bool {
	switch b := block.(type) {
	case *history.Text:
		return strings.Contains(b.Text, t.question)
	case *history.Thinking:
		return strings.Contains(b.Thought, t.question)
	case *history.ToolCall:
		for text := range compression.ArgumentTexts(b.Parameters) {
			if strings.Contains(text, t.question) {
				return true
			}
		}
		return strings.Contains(b.Name, t.question) || strings.Contains(string(b.Parameters), t.question)
	case *history.ToolResponse:
		return strings.Contains(b.Result.Text(), t.question) || strings.Contains(b.Error, t.question)
	}
	return false
}

// recordChange records the effect of a change on the traced blocks among before. after are the blocks
// that replace them.
func (t *tracker) recordChange(before, after []history.Block, entries []*history.Content, s history.Step) {
	kept := make(map[history.Block]bool, len(after))
	for _, block := range after {
		kept[block] = true
	}
	for _, block := range before {
		p := t.at[block]
		if p == nil || kept[block] {
			continue
		}
		delete(t.at, block)
		if p.block = formOf(block, after); p.block != nil {
			t.at[p.block] = p
			if !t.file && t.holds(p.block) {
				continue
			}
		}
		gone := Part{State: StatePruned, Reason: "removed, but not by pruning: the provider refused it, or a rewind removed its message", Request: t.replies + 1}
		if r, ok := p.block.(*history.ToolResponse); p.block != nil && (!ok || !compression.IsPlaceholder(r.Result.Text())) {
			gone.State = StateShortened
		}
		if i := t.prune(block, p.origin, entries, s); i >= 0 {
			prune := s.Prunes[i]
			gone.Number, gone.Reason, gone.Cut = t.prunes+i+1, strings.ReplaceAll(string(prune.Kind), "-", " ")+": "+prune.Reason, prune.Cut
			gone.Tokens = prune.Tokens
			gone.Back = fmt.Sprintf("/density restore %d (the model: recall %d)", gone.Number, gone.Number)
			if prune.Cut != nil && prune.Cut.Request > 0 {
				gone.Request = prune.Cut.Request
			}
		}
		gone.Upcoming = t.upcoming
		p.leave(gone)
	}
}

// leave records that the part was removed or shortened. Once the part lacks the text, later changes are
// ignored.
func (p *part) leave(gone Part) {
	if p.State == StatePruned || p.State == StateShortened && gone.State == StateShortened {
		return
	}
	gone.What = p.What
	p.Part = gone
}

// formOf returns the block in after that replaces the given block, or nil. It has the same call id.
func formOf(block history.Block, after []history.Block) history.Block {
	id := history.CallID(block)
	for _, other := range after {
		if id != "" && other.Kind() == block.Kind() && history.CallID(other) == id {
			return other
		}
	}
	return nil
}

// prune returns the index of the prune of a step that removed a block, or -1. A prune of the block
// itself, or of its recorded position, takes precedence. Otherwise prune returns a prune of another
// part of the same entry, for example of an included file.
func (t *tracker) prune(block history.Block, origin history.RecordRef, entries []*history.Content, s history.Step) int {
	i := slices.IndexFunc(s.Prunes, func(p history.Prune) bool {
		return slices.Contains(p.Gone, block) || slices.Contains(p.Recorded, origin)
	})
	if i >= 0 {
		return i
	}
	return slices.IndexFunc(s.Prunes, func(p history.Prune) bool {
		return slices.ContainsFunc(p.Recorded, func(r history.RecordRef) bool { return r.Entry == origin.Entry }) ||
			len(p.Gone) > 0 && p.Entry < len(entries) && slices.Contains(entries[p.Entry].Blocks, block)
	})
}

// stepOf converts a change of the copy to a step.
func (t *tracker) stepOf(m history.Mutation) history.Step {
	s := history.Step{Kind: m.Kind, Entry: m.Entry, Entries: m.Entries, Prunes: m.Gone}
	if m.Kind != history.MutationDensity {
		return s
	}
	s.Prunes, s.Edits = m.Result.Prunes, map[*history.Content]history.Edit{}
	for i := range s.Prunes {
		s.Prunes[i].Cut = m.Result.Cut
	}
	for _, i := range m.Result.Removals {
		s.Edits[t.entries[i]] = history.Edit{}
	}
	for i, after := range m.Result.Replacements {
		s.Edits[t.entries[i]] = history.Edit{After: after}
	}
	return s
}

func (t *tracker) title(entry *history.Content, block history.Block) string {
	const width = 50
	line := func(text string) string {
		return humanize.Line(secret.Redact(fsutil.ShortenPaths(text, t.root)), width)
	}
	switch b := block.(type) {
	case *history.ToolCall:
		return "call: " + line(t.facts(b.Name).Describe(b.Name, b.Arguments()).Title())
	case *history.ToolResponse:
		if call := t.calls[b.CallID]; call != nil {
			return "answer: " + line(t.facts(call.Name).Describe(call.Name, call.Arguments()).Title())
		}
		return "answer: " + b.ToolName
	case *history.Thinking:
		return "thinking: " + line(humanize.FirstLine(b.Thought))
	case *history.Text:
		if included := history.Inclusions(b); len(included) > 0 {
			return "included: " + line(included[0].Path)
		}
		who := "you"
		switch {
		case entry.Speaker == history.AI:
			who = "reply"
		case entry.Metadata[history.MetaSummary] != nil:
			who = "summary"
		case b.Source != "":
			who = string(b.Source)
		}
		return who + ": " + line(humanize.FirstLine(b.Text))
	}
	return block.Kind()
}
