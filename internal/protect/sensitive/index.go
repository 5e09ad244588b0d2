package sensitive

import (
	"path/filepath"

	"agent/internal/gitfiles/index"
)

// trackedFiles returns the files that git tracks, by its index on disk. If the index cannot be
// parsed, no file counts as tracked. More files are then treated as secret.
func trackedFiles(root string, files []string) map[string]bool {
	known := map[string]bool{}
	if len(files) == 0 {
		return known
	}
	asked := make(map[string]bool, len(files))
	for _, file := range files {
		asked[file] = true
	}
	git := index.Open(filepath.Join(root, gitFolder), "")
	defer git.Close()
	entries := git.Read()
	for entries.Next() {
		if path := entries.Entry.Path; asked[string(path)] {
			known[string(path)] = true
		}
	}
	if entries.Err() != nil {
		clear(known)
	}
	return known
}
