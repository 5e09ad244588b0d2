package compression

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/text/patch"
	"agent/internal/traits"
)

// Facts returns the traits that the named tool declares, or zero traits for an unknown tool. A
// nil Facts knows no tool.
type Facts func(toolName string) traits.Traits

func (f Facts) of(toolName string) traits.Traits {
	if f == nil {
		return traits.Traits{}
	}
	return f(toolName)
}

// remembered returns Facts that ask f only once for each tool: a history names the same few tools
// thousands of times.
func (f Facts) remembered() Facts {
	known := make(map[string]traits.Traits)
	return func(toolName string) traits.Traits {
		facts, ok := known[toolName]
		if !ok {
			facts = f.of(toolName)
			known[toolName] = facts
		}
		return facts
	}
}

// filePath returns the file that a call names, as the model wrote it, or "".
func filePath(call *history.ToolCall) string {
	for _, key := range traits.FileNames {
		if p := call.StringArg(key); p != "" {
			return p
		}
	}
	return ""
}

// writtenPaths returns the files that a call writes if it succeeds, as the model wrote them: the
// file that the call names, or all files of its patch, including both ends of a move and
// deletions (D-96).
func writtenPaths(call *history.ToolCall, facts traits.Traits) []string {
	if p := filePath(call); p != "" && len(facts.File) > 0 {
		return []string{p}
	}
	var paths []string
	for _, parameter := range facts.Patch {
		if text := call.StringArg(parameter); text != "" {
			paths = append(paths, patch.Paths(text)...)
		}
	}
	return paths
}

// manyPaths returns the files that a call lists in "paths". It returns false if the list holds
// anything but plain files, because the call then does not tell which files were read
// (REQ-HD-005.9, D-15).
func manyPaths(call *history.ToolCall) ([]string, bool) {
	include, _ := call.Arg("include")
	if list, ok := include.([]any); include != nil && include != "" && (!ok || len(list) > 0) {
		return nil, false
	}
	listed, _ := call.Arg("paths")
	items, _ := listed.([]any)
	var paths []string
	for _, item := range items {
		p, ok := item.(string)
		switch {
		case !ok || p == "":
			continue
		case strings.ContainsAny(p, "*?[{") || strings.HasSuffix(p, "/"):
			return nil, false
		}
		paths = append(paths, p)
	}
	return paths, len(paths) > 0
}

// isPreview reports whether a write call asks only for a preview. Some tools, ast_edit among
// them, then succeed without changing the file, so such a call supersedes nothing (D-10). The
// markers are preview: true, dry_run: true and force: false.
func isPreview(call *history.ToolCall) bool {
	is := func(key string, value bool) bool {
		v, ok := call.Arg(key)
		return ok && v == value
	}
	return is("preview", true) || is("dry_run", true) || is("force", false)
}

// fileKey returns the meaning of a path that an entry names, so that paths can be compared. A
// relative path is resolved against the workspace in which the entry was recorded (D-44), or
// against root if the entry names none; "." and ".." are removed. fileKey looks nothing up on
// disk and keeps case (REQ-HD-005.5, REQ-HD-005.11).
func fileKey(entry *history.Content, root, p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(cmp.Or(entry.Workspace(), root), p)
}

// WrittenIn reports whether entries hold a successful write of a file (D-10). Relative paths are
// resolved against root in entries that name no workspace (D-44). Entries may be nil. The error
// is the first that entries yields.
func WrittenIn(entries iter.Seq2[*history.Content, error], path, root string, facts Facts) (bool, error) {
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
				writes[b.ID] = declared.WritesFile() && !isPreview(b) && slices.ContainsFunc(writtenPaths(b, declared), func(p string) bool { return fileKey(entry, root, p) == wanted })
			case *history.ToolResponse:
				if writes[b.CallID] && b.Error == "" && entry.Metadata[history.MetaUndone] != true {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
