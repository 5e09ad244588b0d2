package gates

import (
	"path/filepath"

	"agent/internal/disk"
	"agent/internal/ignore"
	"agent/internal/setup/source"
)

// ignoreFiles name what agents are not to see, in git's syntax, in the root of the
// workspace.
var ignoreFiles = []string{".agentignore", ".aiignore", ".cursorignore", ".geminiignore", ".crushignore"}

// findIgnored returns why a file is not shown unless a person is asked, "" for any other,
// and which of the files that say so cannot be read.
func findIgnored(root string) (why func(abs string) string, unread []string) {
	kept := map[string]func(string) bool{}
	for _, name := range ignoreFiles {
		text, err := source.Place{Root: root}.Settings(filepath.Join(root, name), source.MaxSettings)
		switch {
		case err != nil:
			unread = append(unread, err.Error())
		case text != nil:
			kept[name] = ignore.Kept(string(text))
		}
	}
	return func(abs string) string {
		if len(kept) == 0 || abs == root || !disk.Within(abs, root) {
			return ""
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil {
			return ""
		}
		for _, name := range ignoreFiles {
			if leavesOut := kept[name]; leavesOut != nil && leavesOut(filepath.ToSlash(rel)) {
				return name + " keeps it from agents"
			}
		}
		return ""
	}, unread
}
