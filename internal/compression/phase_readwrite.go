package compression

import (
	"cmp"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/toolspec"
)

var staleReads = Phase{
	Kind:  "stale-read",
	Field: "readWritePairsPruned",
	One:   "stale read", Many: "stale reads",
	Switch: Switch{
		Name: "readWritePruning", Default: true,
		Help: "prune earlier reads of a file after the file is written",
	},
	run: pruneStaleReads,
}

// pruneStaleReads removes each call that read a file which was written later, with its responses
// (REQ-HD-005). They do not show the file as it is on disk now. The loop runs backward, so the first
// write of a file that it finds is the latest. Every read of the file in an earlier entry is stale. A
// read and a write in the same entry may have run in parallel, so that read stays (D-12).
func pruneStaleReads(v *view, config DensityConfig) {
	first := len(v.prunes)
	writes := writeLog{root: config.WorkspaceRoot, latest: make(map[string]fileWrite), pinned: config.Pinned}
	writes.addReports(v)
	var files []string // reused for all calls, because a history has thousands
	for pair := range history.PairsBackward(v.raw) {
		facts := config.Facts.of(pair.Call.Name)
		switch {
		case facts.WritesFile():
			files = facts.AppendFiles(files[:0], pair.Call)
			writes.add(v, pair, files...)
		case facts.Reports:
			if files = reportedFiles(v.raw, pair); len(files) > 0 {
				writes.add(v, pair, files...)
			}
		case facts.ShowsFiles():
			if paths, concrete := listedFiles(pair.Call, facts); concrete {
				writes.prune(v, pair, paths...)
			}
		case facts.ShowsFile():
			if files = facts.AppendFiles(files[:0], pair.Call); len(files) > 0 {
				writes.prune(v, pair, files...)
			} else {
				v.skipped = append(v.skipped, pair.At.Entry)
			}
		}
	}
	slices.Reverse(v.prunes[first:])
}

// A writeLog contains the latest successful write of each file, by resolved path.
type writeLog struct {
	root   string
	latest map[string]fileWrite
	pinned map[string]bool
}

type fileWrite struct {
	entry int
	tool  string
}

// add records a write of files, unless a later write of the file is recorded. A write changed the file
// only if it was answered without an error (D-10), and was not undone (D-48).
func (w writeLog) add(v *view, pair history.Pair, paths ...string) {
	if len(paths) == 0 {
		v.skipped = append(v.skipped, pair.At.Entry)
	}
	if len(paths) == 0 || isPreview(pair.Call) || !succeeded(v.raw, pair) {
		return
	}
	w.note(v, pair.At.Entry, pair.Call.Name, paths)
}

func (w writeLog) note(v *view, entry int, tool string, paths []string) {
	for _, p := range paths {
		key := fileKey(v.raw[entry], w.root, p)
		if known, ok := w.latest[key]; !ok || known.entry < entry {
			w.latest[key] = fileWrite{entry, tool}
		}
	}
}

func succeeded(entries []*history.Content, pair history.Pair) bool {
	for _, at := range pair.Responses {
		response, ok := entries[at.Entry].Blocks[at.Block].(*history.ToolResponse)
		if !ok || response.Error != "" || entries[at.Entry].Metadata[history.MetaUndone] == true {
			return false
		}
	}
	return len(pair.Responses) > 0
}

// prune removes the read if all the files that it shows were written after it, and the model has seen
// its results.
func (w writeLog) prune(v *view, read history.Pair, paths ...string) {
	if slices.ContainsFunc(read.Responses, func(at history.Ref) bool { return at.Entry >= v.unseen }) {
		return // D-120
	}
	var tool string
	for _, p := range paths {
		key := fileKey(v.raw[read.At.Entry], w.root, p)
		later, ok := w.latest[key]
		if !ok || w.pinned[key] || later.entry <= read.At.Entry {
			return
		}
		tool = later.tool
	}
	v.recordPrune(history.Prune{
		Subject: strings.Join(paths, ", "),
		Paths:   slices.Clone(paths),
		Reason:  "written later by " + tool,
		Entry:   read.At.Entry,
		Gone:    v.remove(append([]history.Ref{read.At}, read.Responses...)...),
	})
}

// addReports records the files that background agents changed and reported in messages.
func (w writeLog) addReports(v *view) {
	for i, entry := range slices.Backward(v.raw) {
		for _, block := range entry.Blocks {
			if text, ok := block.(*history.Text); ok && text.Source == history.SourceCommand && strings.HasPrefix(text.Text, toolspec.ReportTitle) {
				files, _ := toolspec.ParseReport(text.Text)
				w.note(v, i, "agent", files)
			}
		}
	}
}

// reportedFiles returns the files that the answer of an agent lists as changed (D-126).
func reportedFiles(entries []*history.Content, pair history.Pair) (files []string) {
	for _, at := range pair.Responses {
		if response, ok := entries[at.Entry].Blocks[at.Block].(*history.ToolResponse); ok {
			reported, _ := toolspec.ParseReport(cmp.Or(response.Result.Text(), response.Error))
			files = append(files, reported...)
		}
	}
	return files
}
