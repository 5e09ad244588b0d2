package cacheaware

import (
	"slices"

	"agent/internal/history"
)

// Each request still pays for a call that consists only of pointers: for its name, its path and the
// pointers. After a while such an empty call is removed, together with its result.

// hollowAfter is the number of requests for which an empty call and its result are kept. Between 5 and
// 20 the cost changes by three thousandths. Near the limit of the window, pressedHollowAfter is used
// instead, because each empty call uses up room.
const hollowAfter, pressedHollowAfter = 10, 4

// hollow reports whether a call and its result contain nothing that a request needs. u is the head of
// the call. Arguments that are too short to be shortened count as pruned once they could be pruned. The
// newest call on a file is kept, because a fold needs it. A call is also kept if a provider requires
// its attachment at the same position.
func (rv *review) hollow(u *unit) bool {
	f, after := u.fact, hollowAfter
	switch {
	case u.state == gone || f.result < 0 || f.act == EffectKeep || f.heading != "":
		return false
	case f.short:
		after = shortEditAfter
	case rv.Pressed:
		after = pressedHollowAfter
	}
	answer := &rv.conversation.units[f.result]
	if rv.conversation.request-u.sent < after || answer.state != pruned && !(f.short && rv.dead(f.result, answer)) || !rv.mayLeave(f) {
		return false
	}
	return !slices.ContainsFunc(f.call()[1:], func(at int) bool {
		part := &rv.conversation.units[at]
		return part.state != pruned && !rv.dead(at, part)
	})
}

// shortEditAfter is the smallest number of requests for which the call of an edit is kept if its
// arguments are too short to be shortened.
const shortEditAfter = 2

// mayLeave reports whether a call may be removed with its result: it is not the newest call on a file,
// not one of the newest edits, and has no attachment that a provider requires.
func (rv *review) mayLeave(f *fact) bool {
	if len(f.olds) > 0 && f.ok && len(rv.conversation.edits)-f.editsBefore <= keptEdits {
		return false
	}
	for _, path := range f.paths {
		if facts := rv.conversation.files[path].facts; facts[len(facts)-1] == f {
			return false
		}
	}
	return !wantedBack(rv.conversation.entries[rv.conversation.units[f.head].entry])
}

// dead reports whether a unit of a call could be pruned separately if it were large enough.
func (rv *review) dead(at int, u *unit) bool {
	return !rv.conversation.unseen(u) && (rv.isFree(at, u) ||
		!rv.conversation.pinned(u) && !u.instructs() && float64(rv.conversation.idleRequests(u)) >= rv.patience(u))
}

// wantedBack reports whether a reply has an attachment that its provider requires in later requests.
func wantedBack(reply *history.Content) bool {
	return slices.ContainsFunc(reply.Blocks, func(block history.Block) bool {
		switch b := block.(type) {
		case *history.ToolCall:
			return b.Attached != nil && b.Attached.Wanted
		case *history.Thinking:
			return b.Attached != nil && b.Attached.Wanted
		}
		return false
	})
}

// call lists the units of a call, its head first.
func (f *fact) call() []int {
	return slices.Concat([]int{f.head}, f.olds, f.news, f.bodies, f.args)
}

// pair lists the units of a call, its head first, and the unit of its result.
func (f *fact) pair() []int { return append(f.call(), f.result) }

// pairTokens returns the number of tokens that removing a call and its result frees.
func (cv *conversation) pairTokens(f *fact) int {
	tokens := 0
	for _, at := range f.pair() {
		tokens += cv.units[at].tokens
	}
	for _, at := range []int{f.head, f.result} {
		if u := &cv.units[at]; u.block == 0 && !withoutBlocks(cv.entries[u.entry], map[int]bool{0: true}).Empty() {
			tokens -= history.EntryTokens
		}
	}
	return tokens
}

func withoutBlocks(entry *history.Content, gone map[int]bool) *history.Content {
	var rest []history.Block
	for i, block := range entry.Blocks {
		if !gone[i] {
			rest = append(rest, block)
		}
	}
	return entry.WithBlocks(rest)
}

// leaveOut removes calls with their results. heads contains the indexes of the calls' head units. An
// entry that contains nothing else is removed too. leaveOut returns the new form of the other entries,
// and the indexes of the removed entries.
func (cv *conversation) leaveOut(heads []int) (changed map[int]*history.Content, left []int) {
	out := map[int]map[int]bool{}
	for _, at := range heads {
		for _, part := range cv.units[at].fact.pair() {
			u := &cv.units[part]
			if out[u.entry] == nil {
				out[u.entry] = map[int]bool{}
			}
			out[u.entry][u.block] = true
			if u.state == whole {
				u.free, u.prunedAt = true, cv.request
			}
			cv.leave(u)
		}
	}
	changed = map[int]*history.Content{}
	for entry, blocks := range out {
		rest := withoutBlocks(cv.entries[entry], blocks)
		if rest.Empty() {
			left = append(left, entry)
		} else {
			cv.entries[entry], changed[entry] = rest, rest
		}
		cv.closeUp(entry, blocks, rest.Empty())
	}
	slices.Sort(left)
	cv.renumber(left)
	return changed, left
}

// leave marks a unit as removed.
func (cv *conversation) leave(u *unit) {
	cv.total -= u.tokens
	u.tokens, u.left, u.text, u.state = 0, 0, "", gone
}

// closeUp renumbers the blocks of an entry's units after blocks were removed. If all is set, the rest
// of the entry, which was not sent anyway, is removed too.
func (cv *conversation) closeUp(entry int, blocks map[int]bool, all bool) {
	first := true
	for at := cv.firstOf(entry); at < len(cv.units) && cv.units[at].entry == entry; at++ {
		u := &cv.units[at]
		switch {
		case u.state == gone:
			continue
		case all:
			cv.leave(u)
			continue
		}
		before := 0
		for b := range blocks {
			if b < u.block {
				before++
			}
		}
		if first && blocks[0] {
			u.tokens += history.EntryTokens
			cv.total += history.EntryTokens
		}
		u.block, first = u.block-before, false
	}
}

// renumber renumbers the entries of units after entries were removed. A removed unit then belongs to
// the next entry.
func (cv *conversation) renumber(left []int) {
	if len(left) == 0 {
		return
	}
	for at := range cv.units {
		before, _ := slices.BinarySearch(left, cv.units[at].entry)
		cv.units[at].entry -= before
	}
	kept := make([]*history.Content, 0, len(cv.entries)-len(left))
	for i, entry := range cv.entries {
		if _, leaves := slices.BinarySearch(left, i); !leaves {
			kept = append(kept, entry)
		}
	}
	cv.entries = kept
}
