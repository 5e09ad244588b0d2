package cacheaware

import (
	"slices"
	"strings"
)

// A file that is edited often leaves a trail: its views, the old and new texts of
// the edits, their answers. Folding replaces the trail by one copy of its current
// text in the newest answer that touched it.

// minFold is how many tokens a fold must free.
const minFold = 500

// minFoldUnit is how many tokens a unit of the trail must free to be part of it.
const minFoldUnit = 20

type fold struct {
	file *file
	// units are what becomes pointers, target is the answer that holds the text.
	units  []int
	target int
	text   string
	tokens int // of target, after
	saves  int
	// start is the first unit that changes.
	start int
}

// foldedText is the current text of a file with its size.
type foldedText struct {
	plain  string // the text itself
	text   string // with its heading
	tokens int
	ok     bool
	// strange says that the newest view shows lines that it lacks.
	strange bool
}

// folds lists the files whose trail can be folded, in the order of their names.
// One that frees less than its cold units do by themselves is none: the file is
// not needed any more.
func (e *Engine) folds(m Moment, candidates []candidate) []fold {
	alone := map[int]int{}
	for _, c := range candidates {
		if c.hard() {
			alone[c.unit] = e.frees(c)
		}
	}
	var found []fold
	for _, f := range e.files {
		if folded, ok := e.foldOf(f, m); ok && folded.gain(alone) > 0 {
			found = append(found, folded)
		}
	}
	slices.SortFunc(found, func(a, b fold) int { return strings.Compare(a.file.path, b.file.path) })
	return found
}

func (e *Engine) foldOf(f *file, m Moment) (fold, bool) {
	if len(f.facts) < 2 || !f.known && (m.Files == nil || f.hash == "") {
		return fold{}, false
	}
	newest := f.facts[len(f.facts)-1]
	if newest.ok && newest.wholeView() || newest.path() != f.path {
		return fold{}, false
	}
	if newest.act == Edit && !newest.ok {
		return fold{}, false // its error would stay behind the copy
	}
	target := &e.units[newest.result]
	trail, freed, edited := e.trail(f, newest)
	if !edited || freed < minFold {
		return fold{}, false
	}
	text, ok := e.currentText(f, m)
	if !ok || text.strange {
		return fold{}, false
	}
	result := fold{file: f, units: trail, target: newest.result, text: text.text, start: newest.result}
	result.tokens = target.left + text.tokens
	result.saves = freed - (result.tokens - target.tokens)
	for _, at := range trail {
		result.start = min(result.start, at)
	}
	return result, result.saves >= minFold
}

// trail returns the units that a fold of f replaces, what they free, and whether
// the file was edited. A call that changes another file too is left alone, and
// with it the whole file: its texts cannot be distinguished.
func (e *Engine) trail(f *file, newest *fact) (units []int, freed int, edited bool) {
	for _, done := range f.facts {
		if len(done.paths) > 1 {
			return nil, 0, false
		}
		edited = edited || done.act == Edit && done.ok
		parts := slices.Concat(done.olds, done.news, done.bodies)
		if done != newest {
			parts = append(parts, done.result)
		}
		for _, at := range parts {
			u := &e.units[at]
			if !u.stands() || u.saves() < minFoldUnit {
				continue
			}
			freed += u.saves()
			units = append(units, at)
		}
	}
	return units, freed, edited
}

// currentText is the text of f now, from the disk where there is one, else as the
// conversation shows it.
func (e *Engine) currentText(f *file, m Moment) (foldedText, bool) {
	if f.foreign {
		return foldedText{}, false
	}
	if f.folded.ok {
		return f.folded, true
	}
	text, ok := f.now(m)
	if !ok {
		return foldedText{}, false
	}
	f.folded = foldedText{plain: text, text: foldHeading(f.path) + text, ok: true}
	f.folded.tokens = e.count(f.folded.text)
	f.folded.strange = f.seen != nil && !holds(text, f.seen.content)
	return f.folded, true
}

// now is the text of the file if it is what the conversation last saw of it: what
// other hands have changed since is never shown as current.
func (f *file) now(m Moment) (string, bool) {
	if m.Files == nil {
		return f.text, f.known
	}
	text := m.Files(f.path)
	if f.hash != "" {
		return text, text != "" && Hash(text) == f.hash
	}
	return text, text != "" && f.known && strings.TrimSuffix(text, "\n") == strings.TrimSuffix(f.text, "\n")
}

// anyForeign looks once more at the disk before folds from a unit on are carried
// out, and reports whether a file was changed by other hands since it was read. Such
// a file is left alone until the conversation touches it.
func (e *Engine) anyForeign(folds []fold, at int, m Moment) bool {
	found := false
	for _, f := range folds {
		if f.start < at {
			continue
		}
		if text, ok := f.file.now(m); !ok || text != f.file.folded.plain {
			f.file.foreign, found = true, true
		}
	}
	return found
}

// gain is what a fold frees beyond what its units would free alone.
func (f fold) gain(alone map[int]int) int {
	gain := f.saves
	for _, at := range f.units {
		gain -= alone[at]
	}
	return gain
}
