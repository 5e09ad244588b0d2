package cacheaware

import (
	"slices"
	"strings"
)

// file is what a conversation knows of a file.
type file struct {
	path string
	// facts are the answered calls that touch it, in order.
	facts []*fact
	// touched is the latest request with an event on it, mentioned the latest with
	// a text that names it.
	touched, mentioned int
	pinned             bool
	// changed says that the session has edited or written it.
	changed bool
	// text is its whole content now, if the conversation alone shows it.
	text  string
	known bool
	// seen is the latest call that touched the file, if it was a view and succeeded.
	seen *fact
	// hash is that of the file when the conversation last saw it, empty when nobody
	// noted it.
	hash string
	// shown are views and written bodies that are in the context.
	shown []*shown
	// copy is the unit that holds its newest folded text, or -1.
	copy int
	// folded remembers its current text while nothing touches it; foreign is set
	// when other hands have changed that since.
	folded  foldedText
	foreign bool
}

// shown is a text of a file, or of a part of it, that is in the context.
type shown struct {
	unit   int
	text   string
	edited bool
}

// follow keeps the whole text of the file up to date.
func (f *file) follow(done *fact) {
	f.folded, f.foreign, f.hash, f.seen = foldedText{}, false, done.hash, nil
	if done.act == View {
		f.seen = done
	}
	switch {
	case done.act == Write:
		f.text, f.known = done.content, done.content != ""
	case done.wholeView():
		f.text, f.known = done.content, true
	case done.act == Edit:
		f.known = f.known && !done.unknown && f.applyEdits(done.edits)
		if !f.known {
			f.text = ""
		}
	}
}

// holds reports whether the lines of a view all are in a text of the file. They do
// not when other hands have changed it.
func holds(text, view string) bool {
	lines := map[string]bool{"": true}
	for line := range strings.Lines(text) {
		lines[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(view) {
		// A line may have been shown in part.
		if line = strings.TrimSpace(line); !lines[line] && !strings.Contains(text, line) {
			return false
		}
	}
	return true
}

// applyEdits makes the replacements in the known text. It reports false when one
// of them cannot be followed.
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

// note records an answered call on the file: what it shows, and what it makes
// unnecessary (see free).
func (f *file) note(done *fact, cv *conversation) {
	f.touched = cv.request
	f.heed(done, cv)
	if done.ok {
		f.changed = f.changed || done.act == Edit || done.act == Write
		f.cover(done, cv.request)
		f.follow(done)
		f.show(done, cv)
	}
	f.facts = append(f.facts, done)
}

// cover marks the earlier calls whose content done shows too.
func (f *file) cover(done *fact, request int) {
	for _, earlier := range f.facts {
		switch {
		case done.fragment: // shows lines nobody can tell
		case done.act == Write:
			earlier.cover(request)
		case done.act == View && earlier.act == View:
			if done.lo <= earlier.lo && done.hi >= earlier.hi {
				earlier.reread = request
				earlier.cover(request)
			}
		case done.wholeView():
			earlier.cover(request)
		}
	}
}

// regret is within how many requests after it was pruned asking for a thing means
// that it should have stayed. Later it is a new need: pinning all that is ever read
// again made recorded sessions one to five hundredths dearer.
const regret = 5

// heed pins the file when the model asks for what was pruned of it, or fails to
// quote it: it is needed after all.
func (f *file) heed(done *fact, cv *conversation) {
	if done.act != View && (done.act != Edit || done.ok) {
		return
	}
	for _, earlier := range f.facts {
		for _, at := range slices.Concat(earlier.olds, earlier.news, earlier.bodies, []int{earlier.result}) {
			u := &cv.units[at]
			overlaps := done.act != View || earlier.act != View || done.lo <= earlier.hi && earlier.lo <= done.hi
			if !u.isShown() && !u.free && overlaps && cv.request-u.prunedAt <= regret {
				f.pinned = true
				cv.again = append(cv.again, f.path)
				return
			}
		}
	}
}

// show keeps the list of texts of the file in the context.
func (f *file) show(done *fact, cv *conversation) {
	switch done.act {
	case Write:
		f.shown = nil
		if len(done.bodies) > 0 {
			f.shown = []*shown{{unit: done.bodies[0], text: done.content}}
		}
	case View:
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
	case Edit:
		for _, s := range f.shown {
			for _, change := range done.edits {
				if change.path == f.path && change.before != "" && strings.Contains(s.text, change.before) {
					s.edited = true
				}
			}
		}
	}
}

// repeats finds a text in the context, not edited since, that holds all that done
// shows. The older one then stays, which costs nothing, and the new one becomes a
// reference once the model has seen it (F5). Of two in one reply the later one stays.
func (f *file) repeats(done *fact, cv *conversation) bool {
	if done.result < 0 || done.content == "" {
		return false
	}
	for _, s := range f.shown {
		u := &cv.units[s.unit]
		if s.edited || !u.isShown() || u.sent == cv.request || !strings.Contains(s.text, strings.TrimSuffix(done.content, "\n")) {
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

// named reports whether text names the file by its base name.
func (f *file) named(text string) bool {
	base := f.path[strings.LastIndexByte(f.path, '/')+1:]
	return len(base) >= minName && strings.Contains(text, base)
}

// minName is the shortest base name that counts as naming a file.
const minName = 5
