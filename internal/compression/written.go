package compression

import (
	"iter"
	"slices"

	"agent/internal/history"
)

// WrittenIn reports whether entries hold a successful write of a file (D-10). Relative
// paths mean root in entries that name no workspace (D-44). An error is that of entries, of which there may be none.
func WrittenIn(entries iter.Seq2[*history.Content, error], path, root string, facts Facts) (bool, error) {
	if entries == nil {
		return false, nil
	}
	files := newResolver(root)
	wanted := files.key(&history.Content{}, path)
	writes := map[string]bool{} // the latest calls, by their ids (D-11)
	for entry, err := range entries {
		if err != nil {
			return false, err
		}
		for _, block := range entry.Blocks {
			switch b := block.(type) {
			case *history.ToolCall:
				declared := facts.of(b.Name)
				writes[b.ID] = declared.WritesFile() && !isPreview(b) && slices.ContainsFunc(writtenPaths(b, declared), func(p string) bool { return files.key(entry, p) == wanted })
			case *history.ToolResponse:
				if writes[b.CallID] && b.Error == "" && entry.Metadata[history.MetaUndone] != true {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
