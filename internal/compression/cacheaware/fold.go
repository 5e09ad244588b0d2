package cacheaware

import (
	"slices"
	"strings"

	"agent/internal/history"
)

// A file that is edited often has many calls in the context: views of the file, the old and new texts
// of the edits, and their results. Folding replaces these by one copy of the file's current text, in
// the newest result that accessed the file. A result that no request has contained yet is kept whole
// before the copy (D-120).

// minFold is the smallest number of tokens that a fold must free.
const minFold = 500

// unseenShare is the smallest share of the replaced calls that a fold must free if the conversation has
// not shown the whole file. The copy adds lines that were not requested, and is kept longer than parts
// of a file. In a live session at 32 000 tokens, a copy of 9 600 tokens replaced parts of 10 200. It
// was made again after the next edit.
const unseenShare = 0.5

// minFoldUnit is the smallest number of tokens that a unit must free to be replaced by a fold.
const minFoldUnit = 20

// A fold replaces the earlier calls on a file by one copy of its current text.
type fold struct {
	file *file
	// units lists the units that become pointers.
	units []int
	// calls lists the calls that are removed with their results, because their arguments are too short
	// to be shortened.
	calls []*fact
	// target is the unit of the result that receives the copy.
	target int
	text   string
	tokens int // size of target after the fold
	saves  int
	// start is the first unit that changes.
	start int
}

// foldedText is the current text of a file, with its size.
type foldedText struct {
	plain  string // the text without its heading
	text   string // the text with its heading
	tokens int
	ok     bool
	// strange is set if the newest view shows lines that are not in the text.
	strange bool
}

// folds lists the folds that are possible now, sorted by file path. A fold must free more than pruning
// its cold and free units alone would. Otherwise the file is no longer needed.
func (rv *review) folds(candidates []candidate) []fold {
	hard := map[int]candidate{}
	for _, c := range candidates {
		if c.hard() {
			hard[c.unit] = c
		}
	}
	var found []fold
	for _, f := range rv.conversation.files {
		if folded, ok := rv.foldOf(f); ok && folded.saves > folded.tokensAlone(rv.conversation, hard) {
			found = append(found, folded)
		}
	}
	slices.SortFunc(found, func(a, b fold) int { return strings.Compare(a.file.path, b.file.path) })
	return found
}

// foldOf returns the fold of a file. It returns false if the current text is uncertain, or if the fold
// would free too few tokens.
func (rv *review) foldOf(f *file) (fold, bool) {
	if len(f.facts) < 2 || !f.known && (f.hash == "" || rv.RequestFacts.Files == nil && rv.RequestFacts.FileTexts[f.hash] == "") {
		return fold{}, false
	}
	newest := f.facts[len(f.facts)-1]
	if newest.ok && newest.wholeView() || newest.path() != f.path {
		return fold{}, false
	}
	if newest.act == EffectEdit && !newest.ok {
		return fold{}, false // the error would be kept in the history without its cause
	}
	target := &rv.conversation.units[newest.result]
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
	if rv.conversation.unseen(target) {
		result.text, result.tokens = rv.conversation.answerText(target)+"\n"+text.text, target.tokens+text.tokens
	}
	result.saves = freed - (result.tokens - target.tokens)
	for _, at := range result.parts() {
		result.start = min(result.start, at)
	}
	least := float64(minFold)
	if !f.known {
		least = max(least, unseenShare*float64(freed))
	}
	return result, float64(result.saves) >= least
}

func (cv *conversation) answerText(u *unit) string {
	if r, ok := cv.entries[u.entry].Blocks[u.block].(*history.ToolResponse); ok {
		return r.Result.Text()
	}
	return ""
}

// trail returns the units and calls that a fold of f replaces, the tokens that they free, and whether
// the file was edited. A file is not folded if one of its calls changes another file too. The texts of
// the call cannot be assigned to one file.
func (rv *review) trail(f *file, newest *fact) (units []int, calls []*fact, freed int, edited bool) {
	for _, done := range f.facts {
		if len(done.paths) > 1 {
			return nil, nil, 0, false
		}
		edited = edited || done.act == EffectEdit && done.ok
		if head := &rv.conversation.units[done.head]; done != newest && head.state != gone && done.short && rv.conversation.request-head.sent >= shortEditAfter && !wantedBack(rv.conversation.entries[head.entry]) {
			calls = append(calls, done)
			freed += rv.conversation.pairTokens(done)
			continue
		}
		parts := slices.Concat(done.olds, done.news, done.bodies)
		if done != newest {
			parts = append(parts, done.result)
		}
		for _, at := range parts {
			u := &rv.conversation.units[at]
			if !u.isShown() || u.saves() < minFoldUnit || u.shortEdit() || rv.conversation.unseen(u) {
				continue
			}
			freed += u.saves()
			units = append(units, at)
		}
	}
	return units, calls, freed, edited
}

// currentText returns the present text of f, from the disk if possible, or otherwise from the
// conversation.
func (rv *review) currentText(f *file) (foldedText, bool) {
	if f.foreign {
		return foldedText{}, false
	}
	if f.folded.ok {
		return f.folded, true
	}
	text, ok := f.currentText(rv.RequestFacts)
	if !ok {
		return foldedText{}, false
	}
	f.folded = foldedText{plain: text, text: foldHeading(f.path) + text, ok: true}
	f.folded.tokens = rv.conversation.count(f.folded.text)
	f.folded.strange = f.seen != nil && !holds(text, f.seen.content)
	return f.folded, true
}

// currentText returns the text of the file, or false if it differs from the text that the conversation
// saw last. A file that another program has changed since is never shown as current.
func (f *file) currentText(m RequestFacts) (string, bool) {
	switch {
	case m.Files != nil:
	case m.FileTexts == nil || f.hash == "" || f.known && history.Digest(f.text) == f.hash:
		return f.text, f.known
	default:
		copied, ok := m.FileTexts[f.hash]
		return copied, ok
	}
	text := m.Files(f.path)
	if f.hash != "" {
		return text, text != "" && history.Digest(text) == f.hash
	}
	return text, text != "" && f.known && strings.TrimSuffix(text, "\n") == strings.TrimSuffix(f.text, "\n")
}

// anyForeign reads the disk once more before the folds from unit at on are applied. It reports whether
// another program has changed one of their files. Such a file is not folded until the conversation
// accesses it.
func (rv *review) anyForeign(folds []fold, at int) bool {
	found := false
	for _, f := range folds {
		if f.start < at {
			continue
		}
		if text, ok := f.file.currentText(rv.RequestFacts); !ok || text != f.file.folded.plain {
			f.file.foreign, found = true, true
		}
	}
	return found
}

// tokensAlone returns the tokens that pruning the fold's candidates would free without the fold. A call
// that is a candidate frees all of its units.
func (f fold) tokensAlone(cv *conversation, candidates map[int]candidate) int {
	freed := 0
	for _, at := range append([]int{f.target}, f.units...) {
		if c, ok := candidates[at]; ok {
			freed += cv.tokensFreed(c)
		}
	}
	for _, call := range f.calls {
		if _, ok := candidates[call.head]; ok {
			freed += cv.pairTokens(call)
			continue
		}
		for _, at := range call.pair() {
			if c, ok := candidates[at]; ok {
				freed += cv.tokensFreed(c)
			}
		}
	}
	return freed
}

// parts lists the units that the fold replaces or removes, except the target.
func (f fold) parts() []int {
	parts := slices.Clone(f.units)
	for _, call := range f.calls {
		parts = append(parts, call.pair()...)
	}
	return parts
}
