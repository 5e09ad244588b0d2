package compression

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// TraitsLookup returns the traits that a tool declares, or zero traits for an unknown tool. A nil Facts
// returns zero traits for every tool.
type TraitsLookup func(toolName string) toolspec.Traits

func (f TraitsLookup) of(toolName string) toolspec.Traits {
	if f == nil {
		return toolspec.Traits{}
	}
	return f(toolName)
}

// memoized returns Facts that call f only once for each tool, because a history names the same few
// tools thousands of times.
func (f TraitsLookup) memoized() TraitsLookup {
	known := make(map[string]toolspec.Traits)
	return func(toolName string) toolspec.Traits {
		facts, ok := known[toolName]
		if !ok {
			facts = f.of(toolName)
			known[toolName] = facts
		}
		return facts
	}
}

// listedFiles returns the files that a call lists. It returns false if the list contains anything but
// plain files, because it is then unknown which files the call read (REQ-HD-005.9, D-15).
func listedFiles(call *history.ToolCall, facts toolspec.Traits) ([]string, bool) {
	include, _ := call.Arg("include")
	if list, ok := include.([]any); include != nil && include != "" && (!ok || len(list) > 0) {
		return nil, false
	}
	files := facts.FilesOf(call)
	for _, p := range files {
		if strings.ContainsAny(p, "*?[{") || strings.HasSuffix(p, "/") {
			return nil, false
		}
	}
	return files, len(files) > 0
}

// isPreview reports whether a write call requests only a preview. Some tools, such as ast_edit, then
// succeed without changing the file, so such a call supersedes nothing (D-10). The markers are preview:
// true, dry_run: true and force: false.
func isPreview(call *history.ToolCall) bool {
	is := func(key string, value bool) bool {
		v, ok := call.Arg(key)
		return ok && v == value
	}
	return is("preview", true) || is("dry_run", true) || is("force", false)
}

// fileKey returns a normal form of a path in an entry, so that paths can be compared. A relative path
// is resolved against the workspace in which the entry was recorded (D-44), or against root if the
// entry names none. "." and ".." are removed. fileKey does not access the disk and keeps case
// (REQ-HD-005.5, REQ-HD-005.11).
func fileKey(entry *history.Content, root, p string) string {
	return history.Absolute(cmp.Or(entry.Workspace(), root), p)
}

// HasWrite reports whether entries contain a successful write of a file (D-10). Relative paths are
// resolved against root in entries that name no workspace (D-44). Entries may be nil. The error is the
// first error that entries yields.
func HasWrite(entries iter.Seq2[*history.Content, error], path, root string, facts TraitsLookup) (bool, error) {
	if entries == nil {
		return false, nil
	}
	wanted := fileKey(&history.Content{}, root, path)
	writes := map[string]bool{} // the latest calls, by their ids (D-11)
	for entry, err := range entries {
		if err != nil {
			return false, err
		}
		for _, block := range entry.Blocks {
			switch b := block.(type) {
			case *history.ToolCall:
				declared := facts.of(b.Name)
				writes[b.ID] = declared.WritesFile() && !isPreview(b) && slices.ContainsFunc(declared.FilesOf(b), func(p string) bool { return fileKey(entry, root, p) == wanted })
			case *history.ToolResponse:
				if writes[b.CallID] && b.Error == "" && entry.Metadata[history.MetaUndone] != true {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
