package gates

import (
	"path/filepath"
	"strings"

	"agent/internal/disk"
	"agent/internal/ignore"
	"agent/internal/setup/source"
	"agent/internal/words"
)

// ignoreFiles name what agents are not to see, in git's syntax, in the root of the
// workspace.
var ignoreFiles = []string{".agentignore", ".aiignore", ".cursorignore", ".geminiignore", ".crushignore"}

// findIgnored returns why a file is not shown unless a person is asked, "" for any other,
// and which of the files that say so cannot be read.
func findIgnored(root string) (why func(abs string) string, unread []string) {
	kept := map[string]func(string) bool{}
	for _, name := range ignoreFiles {
		file := filepath.Join(root, name)
		text, err := source.Place{Root: root}.Read(file, source.MaxSettings)
		if err == nil {
			kept[name] = ignore.Kept(strings.TrimPrefix(text.Text, "\uFEFF"))
		}
		switch {
		case source.Missing(err):
		case err != nil:
			unread = append(unread, err.Error())
		case text.Cut:
			unread = append(unread, file+" counts only up to "+words.Bytes(source.MaxSettings))
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
