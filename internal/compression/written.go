package compression

import "agent/internal/history"

// WrittenIn reports whether entries hold a successful write of a file (D-10). Relative
// paths mean root in entries that name no workspace (D-44).
func WrittenIn(entries []*history.Content, path, root string, facts Facts) bool {
	files := newResolver(root)
	v := &view{raw: entries}
	wanted := files.key(&history.Content{}, path)
	for pair := range history.PairsBackward(entries) {
		p := filePath(pair.Call)
		if p != "" && facts.of(pair.Call.Name).Writes && !isPreview(pair.Call) && files.key(entries[pair.At.Entry], p) == wanted && succeeded(v, pair) {
			return true
		}
	}
	return false
}
