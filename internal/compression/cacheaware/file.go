package cacheaware

import (
	"slices"
	"strings"
)

// file contains the state of one file as the conversation shows it.
type file struct {
	path string
	// facts lists the answered calls that access the file, in order.
	facts []*fact
	// touched is the latest request that contained the result of a call on the file. mentioned is the
	// latest request with a text that names the file. Both are -1 before the first.
	touched, mentioned int
	pinned             bool
	// changed is set once the session has changed the file.
	changed bool
	// text is the present content of the file. known is set if the conversation alone shows the whole
	// text.
	text  string
	known bool
	// seen is the latest successful call on the file if it was a view. Otherwise it is nil.
	seen *fact
	// hash is the hash of the file when the conversation last saw it, or "" if unknown.
	hash string
	// shown lists the views and written bodies that are in the context.
	shown []*shown
	// copy is the unit with the newest folded text of the file, or -1.
	copy int
	// folded caches the current text until a call accesses the file. foreign is set if another program
	// has changed the file since then.
	folded  foldedText
	foreign bool
}

// shown is a text of a file, or of a part of it, that is in the context.
type shown struct {
	unit int
	text string
}

// follow updates the whole text of the file after a successful call.
func (f *file) follow(done *fact) {
	f.folded, f.foreign, f.hash, f.seen = foldedText{}, false, done.hash, nil
	if done.act == EffectView {
		f.seen = done
	}
	switch {
	case done.act == EffectWrite:
		f.text, f.known = done.content, done.content != ""
	case done.wholeView():
		f.text, f.known = done.content, true
	case done.act == EffectEdit:
		f.known = f.known && !done.unknown && f.applyEdits(done.edits)
		if !f.known {
			f.text = ""
		}
	}
}

// holds reports whether a text of the file contains all lines of a view. It does not if another program
// has changed the file.
func holds(text, view string) bool {
	lines := map[string]bool{"": true}
	for line := range strings.Lines(text) {
		lines[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(view) {
		// A line may have been shown only in part.
		if line = strings.TrimSpace(line); !lines[line] && !strings.Contains(text, line) {
			return false
		}
	}
	return true
}

// applyEdits applies the replacements to the known text. It reports false if one cannot be applied, or
// if none is in this file.
func (f *file) applyEdits(edits []edit) bool {
	applied := 0
	for _, e := range edits {
		if e.path != f.path {
			continue
		}
		if e.before == "" || !strings.Contains(f.text, e.before) {
			return false
		}
		f.text = strings.Replace(f.text, e.before, e.after, 1)
		applied++
	}
	return applied > 0
}

// note records an answered call on the file, and marks the earlier texts that the call makes
// unnecessary (see free).
func (f *file) note(done *fact, cv *conversation) {
	f.touched = cv.request
	f.pinIfMissed(done, cv)
	if done.ok {
		f.changed = f.changed || done.act == EffectEdit || done.act == EffectWrite
		f.cover(done, cv.request)
		f.follow(done)
		f.show(done, cv)
	}
	f.facts = append(f.facts, done)
}

// changedElsewhere ends all views of the file, because an agent has changed the file since (D-126).
func (f *file) changedElsewhere() {
	for _, earlier := range f.facts {
		earlier.covered = true
	}
	f.folded, f.foreign, f.hash, f.seen, f.text, f.known, f.shown = foldedText{}, false, "", nil, "", false, nil
}

// cover marks the earlier calls whose content done also shows.
func (f *file) cover(done *fact, request int) {
	for _, earlier := range f.facts {
		switch {
		case done.fragment: // the answer does not contain which lines changed
		case done.act == EffectWrite:
			earlier.covered = true
		case done.act == EffectView && earlier.act == EffectView:
			if done.lo <= earlier.lo && done.hi >= earlier.hi {
				earlier.reread = request
				earlier.covered = true
			}
		case done.wholeView():
			earlier.covered = true
		}
	}
}

// regret is the number of requests after pruning within which a new request for the content means that
// it should have been kept. A later request counts as a new need. Pinning everything that is ever read
// again made recorded sessions one to five hundredths more expensive.
const regret = 5

// pinIfMissed pins the file when the model views pruned content of it again, or fails to quote such
// content. The content was then still needed.
func (f *file) pinIfMissed(done *fact, cv *conversation) {
	if done.act != EffectView && (done.act != EffectEdit || done.ok) {
		return
	}
	for _, earlier := range f.facts {
		for _, at := range slices.Concat(earlier.olds, earlier.news, earlier.bodies, []int{earlier.result}) {
			u := &cv.units[at]
			overlaps := done.act != EffectView || earlier.act != EffectView || done.lo <= earlier.hi && earlier.lo <= done.hi
			if !u.isShown() && !u.free && overlaps && cv.request-u.prunedAt <= regret {
				f.pinned = true
				cv.again = append(cv.again, f.path)
				return
			}
		}
	}
}

// show updates the list of the file's texts in the context.
func (f *file) show(done *fact, cv *conversation) {
	switch done.act {
	case EffectWrite:
		f.shown = nil
		if len(done.bodies) > 0 {
			f.shown = []*shown{{unit: done.bodies[0], text: done.content}}
		}
	case EffectView:
		if f.repeats(done, cv) || done.result < 0 {
			return
		}
		kept := f.shown[:0]
		for _, s := range f.shown {
			if other := cv.units[s.unit].fact; other == nil || done.lo > other.lo || done.hi < other.hi {
				kept = append(kept, s)
			}
		}
		f.shown = append(kept, &shown{unit: done.result, text: done.content})
	case EffectEdit:
		for _, s := range f.shown {
			for _, change := range done.edits {
				if change.path == f.path && change.before != "" && strings.Contains(s.text, change.before) {
					cv.units[s.unit].stale = true
					done.stale = append(done.stale, s.unit)
				}
			}
		}
	}
}

// repeats looks for a text in the context, not edited since, that contains all of done's content. If it
// finds one, the older text is kept, which costs nothing. The new text becomes a pointer once the model
// has seen it (F5). If one reply has both views, the later one is kept.
func (f *file) repeats(done *fact, cv *conversation) bool {
	if done.result < 0 || done.content == "" {
		return false
	}
	for _, s := range f.shown {
		u := &cv.units[s.unit]
		if u.stale || !u.isShown() || u.sent == cv.request || !strings.Contains(s.text, strings.TrimSuffix(done.content, "\n")) {
			continue
		}
		done.repeats = true
		if u.fact != nil {
			u.fact.covered = false
		}
		return true
	}
	return false
}
