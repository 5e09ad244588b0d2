package cacheaware

import (
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/text/patch"
)

// patch adds the files and replacements of a patch, or of a patch inside a command. A moved file is
// added under both names, its replacements only under the old name.
func (f *fact) patch(text, root string) {
	sections, err := patch.Parse(text)
	if err != nil {
		return // such a patch is not applied
	}
	for _, s := range sections {
		at := history.Absolute(root, s.Path)
		f.addPath(at)
		if s.MoveTo != "" {
			f.addPath(history.Absolute(root, s.MoveTo))
		}
		for _, chunk := range s.Chunks {
			if s.Op == patch.Update && len(chunk.OldLines()) > 0 {
				f.edits = append(f.edits, edit{path: at, before: strings.Join(chunk.OldLines(), "\n"), after: strings.Join(chunk.NewLines(), "\n")})
			}
		}
	}
}

func (f *fact) addPath(path string) {
	if !slices.Contains(f.paths, path) {
		f.paths = append(f.paths, path)
	}
}
