package cacheaware

import (
	"slices"
	"strings"

	"agent/internal/history"
)

// A file that is edited often leaves a trail: its views, the old and new texts of
// the edits, their answers. Folding replaces the trail by one copy of its current
// text in the newest answer that touched it. An answer that no request has carried yet
// stays whole in front of the copy (D-120).

// minFold is how many tokens a fold must free.
const minFold = 500

// minFoldUnit is how many tokens a unit of the trail must free to be part of it.
const minFoldUnit = 20

type fold struct {
	file *file
	// units become pointers.
	units []int
	// calls leave with their answers: their arguments are too short to be shortened.
	calls []*fact
	// target is the answer that holds the text.
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
func (rv *review) folds(candidates []candidate) []fold {
	hard := map[int]candidate{}
	for _, c := range candidates {
		if c.hard() {
			hard[c.unit] = c
		}
	}
	var found []fold
	for _, f := range rv.files {
		if folded, ok := rv.foldOf(f); ok && folded.saves > folded.alone(rv.conversation, hard) {
			found = append(found, folded)
		}
	}
	slices.SortFunc(found, func(a, b fold) int { return strings.Compare(a.file.path, b.file.path) })
	return found
}

func (rv *review) foldOf(f *file) (fold, bool) {
	if len(f.facts) < 2 || !f.known && (f.hash == "" || rv.Moment.Files == nil && rv.Moment.Copies[f.hash] == "") {
		return fold{}, false
	}
	newest := f.facts[len(f.facts)-1]
	if newest.ok && newest.wholeView() || newest.path() != f.path {
		return fold{}, false
	}
	if newest.act == Edit && !newest.ok {
		return fold{}, false // its error would stay behind the copy
	}
	target := &rv.units[newest.result]
	trail, calls, freed, edited := rv.trail(f, newest)
	if !edited || freed < minFold {
		return fold{}, false
	}
	text, ok := rv.currentText(f)
	if !ok || text.strange {
		return fold{}, false
	}
	result := fold{file: f, units: trail, calls: calls, target: newest.result, text: text.text, start: newest.result}
	result.tokens = target.left + text.tokens
	if rv.unseen(target) {
		result.text, result.tokens = rv.answerText(target)+"\n"+text.text, target.tokens+text.tokens
	}
	result.saves = freed - (result.tokens - target.tokens)
	for _, at := range result.parts() {
		result.start = min(result.start, at)
	}
	return result, result.saves >= minFold
}

// answerText returns the text of an answer as it is now.
func (cv *conversation) answerText(u *unit) string {
	if r, ok := cv.entries[u.entry].Blocks[u.block].(*history.ToolResponse); ok {
		return r.Result.Text()
	}
	return ""
}

// trail returns the units that a fold of f replaces, what they free, and whether
// the file was edited. A call that changes another file too is left alone, and
// with it the whole file: its texts cannot be distinguished.
func (rv *review) trail(f *file, newest *fact) (units []int, calls []*fact, freed int, edited bool) {
	for _, done := range f.facts {
		if len(done.paths) > 1 {
			return nil, nil, 0, false
		}
		edited = edited || done.act == Edit && done.ok
		if head := &rv.units[done.head]; done != newest && head.state != gone && done.short && rv.request-head.sent >= shortEditAfter && !wantedBack(rv.entries[head.entry]) {
			calls = append(calls, done)
			freed += rv.pairTokens(done)
			continue
		}
		parts := slices.Concat(done.olds, done.news, done.bodies)
		if done != newest {
			parts = append(parts, done.result)
		}
		for _, at := range parts {
			u := &rv.units[at]
			if !u.isShown() || u.saves() < minFoldUnit || u.shortEdit() || rv.unseen(u) {
				continue
			}
			freed += u.saves()
			units = append(units, at)
		}
	}
	return units, calls, freed, edited
}

// currentText is the text of f now, from the disk where there is one, else as the
// conversation shows it.
func (rv *review) currentText(f *file) (foldedText, bool) {
	if f.foreign {
		return foldedText{}, false
	}
	if f.folded.ok {
		return f.folded, true
	}
	text, ok := f.now(rv.Moment)
	if !ok {
		return foldedText{}, false
	}
	f.folded = foldedText{plain: text, text: foldHeading(f.path) + text, ok: true}
	f.folded.tokens = rv.count(f.folded.text)
	f.folded.strange = f.seen != nil && !holds(text, f.seen.content)
	return f.folded, true
}

// now is the text of the file if it is what the conversation last saw of it: what
// other hands have changed since is never shown as current.
func (f *file) now(m Moment) (string, bool) {
	switch {
	case m.Files != nil:
	case m.Copies == nil || f.hash == "" || f.known && Hash(f.text) == f.hash:
		return f.text, f.known
	default:
		copied, ok := m.Copies[f.hash]
		return copied, ok
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
func (rv *review) anyForeign(folds []fold, at int) bool {
	found := false
	for _, f := range folds {
		if f.start < at {
			continue
		}
		if text, ok := f.file.now(rv.Moment); !ok || text != f.file.folded.plain {
			f.file.foreign, found = true, true
		}
	}
	return found
}

// alone returns what the candidates among the units of the fold free without it. A call that is
// one frees all of its units.
func (f fold) alone(cv *conversation, candidates map[int]candidate) int {
	freed := 0
	for _, at := range append([]int{f.target}, f.units...) {
		if c, ok := candidates[at]; ok {
			freed += cv.frees(c)
		}
	}
	for _, call := range f.calls {
		if _, ok := candidates[call.head]; ok {
			freed += cv.pairTokens(call)
			continue
		}
		for _, at := range call.pair() {
			if c, ok := candidates[at]; ok {
				freed += cv.frees(c)
			}
		}
	}
	return freed
}

// parts lists the units that the fold takes.
func (f fold) parts() []int {
	parts := slices.Clone(f.units)
	for _, call := range f.calls {
		parts = append(parts, call.pair()...)
	}
	return parts
}
