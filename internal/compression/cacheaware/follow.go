package cacheaware

import (
	"slices"
	"strings"

	"agent/internal/history"
)

// Rebuild begins again with a conversation that replaced the previous one. The account keeps its
// totals, because without pruning the conversation would have begun again too.
func (e *Engine) Rebuild(entries []*history.Content) {
	fresh := New(e.conversation.Options)
	fresh.account.Account, fresh.latest, fresh.learned = e.account.Account, e.latest, e.learned
	for path, f := range e.conversation.files {
		if f.pinned {
			fresh.conversation.file(path).pinned = true
		}
	}
	fresh.rebuilding = true
	for _, entry := range entries {
		fresh.Add(entry)
	}
	fresh.rebuilding = false
	fresh.account.bills, fresh.conversation.again = e.account.bills, nil
	*e = *fresh
}

// SetEntries updates the engine with a conversation. It adds the new entries. If the conversation does
// not continue the entries of the engine, it rebuilds.
func (e *Engine) SetEntries(entries []*history.Content) {
	n := len(e.conversation.entries)
	if n > len(entries) || !slices.Equal(e.conversation.entries, entries[:n]) {
		e.Rebuild(entries)
		return
	}
	for _, entry := range entries[n:] {
		e.Add(entry)
	}
}

// Follow applies one step from the log of a conversation. An engine that has followed a whole log
// equals the engine that wrote the log.
func (e *Engine) Follow(step history.Step) {
	switch step.Kind {
	case history.MutationAdded:
		e.Add(step.Entry)
	case history.MutationDensity:
		e.followEdits(step)
	case history.MutationReplaced:
		e.SetEntries(step.Entries)
	case history.MutationPinned:
		e.Pin(step.Path, step.Pinned)
	case history.MutationCleared:
		*e = *New(e.conversation.Options)
	}
}

// followEdits applies recorded replacements. It rebuilds if another strategy made them.
func (e *Engine) followEdits(step history.Step) {
	entries := step.Apply(e.conversation.entries)
	if !isOwnStep(step) {
		e.Rebuild(entries)
		return
	}
	var hollow []int
	for i, before := range e.conversation.entries {
		if edit, ok := step.Edits[before]; ok {
			changed, left := e.conversation.followEdit(i, edit)
			for _, at := range changed {
				e.account.touch(at)
			}
			hollow = append(hollow, left...)
		}
	}
	if slices.ContainsFunc(hollow, func(at int) bool { return e.conversation.units[at].fact.result < 0 }) {
		e.Rebuild(entries) // the recorded answer is damaged
		return
	}
	e.drop(hollow)
	sameBlocks := func(a, b *history.Content) bool { return len(a.Blocks) == len(b.Blocks) }
	if !slices.EqualFunc(e.conversation.entries, entries, sameBlocks) {
		e.Rebuild(entries)
		return
	}
	e.conversation.entries = entries // equal, but SetEntries compares pointers with the recorded entries
}

// followEdit applies the recorded edit of entry i, and returns the units that changed. hollow contains
// the head units of the calls that were removed. followEdit does not remove these.
func (cv *conversation) followEdit(i int, edit history.Edit) (changed, hollow []int) {
	before, after := cv.entries[i], alignBlocks(cv.entries[i], edit.After)
	kinds := slices.DeleteFunc(slices.Clone(edit.Kinds), func(k history.PruneKind) bool { return Reason(k) == ReasonEmptyCall })
	for at := cv.firstOf(i); at < len(cv.units) && cv.units[at].entry == i; at++ {
		u := &cv.units[at]
		if u.state == gone {
			continue
		}
		if after.Blocks[u.block] == nil {
			if u.part == head {
				hollow = append(hollow, at)
			}
			continue
		}
		if c, differs := cv.changeTo(at, before.Blocks[u.block], after.Blocks[u.block]); differs && len(kinds) > 0 {
			c.Why = Reason(kinds[0])
			cv.replace(c)
			changed = append(changed, at)
			kinds = kinds[1:]
		}
	}
	for j, block := range after.Blocks {
		if block == nil {
			after.Blocks[j] = before.Blocks[j]
		}
	}
	cv.entries[i] = after
	for _, at := range changed {
		cv.settleSize(at)
	}
	return changed, hollow
}

// alignBlocks returns the new form of an entry, with nil in place of each removed block: a call, a
// result, or every block if after is nil.
func alignBlocks(before, after *history.Content) *history.Content {
	blocks := make([]history.Block, len(before.Blocks))
	if after == nil {
		return before.WithBlocks(blocks)
	}
	next := 0
	for i, block := range before.Blocks {
		if next < len(after.Blocks) && sameCall(block, after.Blocks[next]) {
			blocks[i] = after.Blocks[next]
			next++
		}
	}
	return after.WithBlocks(blocks)
}

// sameCall reports whether two blocks are forms of the same block. It compares calls and results
// by the id of the call.
func sameCall(before, after history.Block) bool {
	switch b := before.(type) {
	case *history.ToolCall:
		a, ok := after.(*history.ToolCall)
		return ok && a.ID == b.ID
	case *history.ToolResponse:
		a, ok := after.(*history.ToolResponse)
		return ok && a.CallID == b.CallID
	}
	return true
}

// isOwnStep reports whether this package made the replacements of a step: each reason belongs to this
// package, and entries are removed only with an empty call.
func isOwnStep(step history.Step) bool {
	hollow, unexplained := false, false
	for _, edit := range step.Edits {
		unexplained = unexplained || edit.After == nil || len(edit.Kinds) == 0
		for _, kind := range edit.Kinds {
			if !slices.ContainsFunc(reasons, func(r reason) bool { return r.why == Reason(kind) }) {
				return false
			}
			hollow = hollow || Reason(kind) == ReasonEmptyCall
		}
	}
	return hollow || !unexplained
}

// firstOf returns the index of the first unit of an entry, or of the next entry that has units.
func (cv *conversation) firstOf(entry int) int {
	at, _ := slices.BinarySearchFunc(cv.units, entry, func(u unit, entry int) int { return u.entry - entry })
	return at
}

// changeTo compares two forms of the block of a unit, and returns the change that was made to the
// unit, if any.
func (cv *conversation) changeTo(at int, before, after history.Block) (c Change, changed bool) {
	u := &cv.units[at]
	if u.fixed() || before == after {
		return Change{}, false
	}
	c = Change{Tokens: u.saves(), unit: at}
	switch b := before.(type) {
	case *history.ToolCall:
		a, ok := after.(*history.ToolCall)
		changed = ok && argumentAt(b.Parameters, u.at) != argumentAt(a.Parameters, u.at)
	case *history.ToolResponse:
		a, ok := after.(*history.ToolResponse)
		if !ok || u.fact == nil {
			return c, ok && a.Result.Text() != b.Result.Text()
		}
		text := a.Result.Text()
		changed = text != b.Result.Text()
		switch {
		case strings.HasPrefix(text, foldHeading(u.fact.path())):
			c.Text, c.Tokens = text, u.tokens-u.left-cv.count(text)
		case strings.HasPrefix(text, b.Result.Text()+"\n"+foldHeading(u.fact.path())):
			c.Text, c.Tokens = text, -cv.count(text[len(b.Result.Text())+1:])
		case text == staleNote+b.Result.Text():
			c.Text, c.Tokens = text, -cv.count(staleNote)
		}
	case *history.Media:
		_, changed = after.(*history.Text)
	}
	return c, changed
}
