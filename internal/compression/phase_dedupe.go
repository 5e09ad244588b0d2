package compression

import (
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

var duplicateFiles = Phase{
	Kind:  "duplicate-file",
	Field: "fileDeduplicationsPruned",
	One:   "duplicate file", Many: "duplicate files",
	Switch: Switch{
		Name: "fileDedupe", Default: true,
		Help: "keep only the latest copy of a file included with @",
	},
	run: dedupeInclusions,
}

// dedupeInclusions strips from human messages the content of each @ inclusion whose file is included
// again later (REQ-HD-006). The loop runs backward, so the first inclusion found of a file is the
// latest and is kept. All others are removed (D-20). The words around an inclusion stay byte for byte
// (D-21).
func dedupeInclusions(v *view, config DensityConfig) {
	first := len(v.prunes)
	seen := make(map[string]bool)
	for i := len(v.raw) - 1; i >= 0; i-- {
		if v.raw[i].Speaker == history.Human {
			dedupeMessage(v, i, func(p string) bool {
				key := fileKey(v.raw[i], config.WorkspaceRoot, p)
				again := seen[key]
				seen[key] = true
				return again && !config.Pinned[key]
			})
		}
	}
	slices.Reverse(v.prunes[first:])
}

// dedupeMessage strips the stale inclusions of entry i. It calls stale once for each inclusion, from
// the last to the first.
func dedupeMessage(v *view, i int, stale func(path string) bool) {
	first := len(v.prunes)
	var stripped history.Ref
	for j, block := range slices.Backward(v.blocks(i)) {
		text, ok := block.(*history.Text)
		if !ok {
			continue
		}
		found := history.Inclusions(text)
		var cuts []history.Inclusion
		for _, inclusion := range slices.Backward(found) {
			if stale(inclusion.Path) {
				cuts = append(cuts, inclusion)
			}
		}
		if len(cuts) == 0 {
			continue
		}
		left, ok := strip(text, cuts, len(found)-len(cuts))
		if !ok {
			continue
		}
		stripped = history.Ref{Entry: i, Block: j}
		v.set(stripped, left)
		for _, cut := range cuts {
			v.recordPrune(duplicate(i, text, cut))
		}
	}
	if len(v.prunes) > first && v.current(i).Empty() {
		leaveStub(v, stripped, v.prunes[first:])
	}
}

func duplicate(entry int, text *history.Text, cut history.Inclusion) history.Prune {
	gone := text
	if cut.Start > 0 || cut.End < len(text.Text) {
		gone = &history.Text{Text: text.Text[cut.Start:cut.End], IncludedFile: cut.Path}
	}
	return history.Prune{
		Subject: cut.Path,
		Paths:   []string{cut.Path},
		Reason:  "included again later",
		Entry:   entry,
		Gone:    []history.Block{gone},
	}
}

// strip returns text without the cuts, which are ordered from last to first, or nil if nothing remains.
// It returns false if the remaining text does not contain exactly the kept inclusions. An unpaired
// opener and an unpaired closer around a cut would then form a pair, so the text must not change
// (REQ-HD-006.5).
func strip(text *history.Text, cuts []history.Inclusion, kept int) (history.Block, bool) {
	var b strings.Builder
	end := 0
	for _, cut := range slices.Backward(cuts) {
		b.WriteString(text.Text[end:cut.Start])
		end = cut.End
	}
	b.WriteString(text.Text[end:])
	if b.Len() == 0 {
		return nil, true
	}
	left := *text
	left.Text = b.String()
	return &left, len(history.Inclusions(&left)) == kept
}

// maxStubPaths limits the length of the file names in a stub, in characters.
const maxStubPaths = 160

// leaveStub keeps a human turn that would become empty: a line with the names of the files replaces the
// first inclusion (D-21).
func leaveStub(v *view, at history.Ref, prunes []history.Prune) {
	var paths []string
	named := make(map[string]bool)
	for _, p := range slices.Backward(prunes) {
		if !named[p.Subject] {
			named[p.Subject] = true
			paths = append(paths, p.Subject)
		}
	}
	blank := ""
	if left, ok := v.blocks(at.Entry)[at.Block].(*history.Text); ok {
		blank = left.Text
	}
	stub := &history.Text{Text: blank + "[" + humanize.Line(strings.Join(paths, ", "), maxStubPaths) + ": included again later]"}
	v.set(at, stub)
	prunes[len(prunes)-1].Left = []history.Block{stub}
}
