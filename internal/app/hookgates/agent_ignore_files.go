package hookgates

import (
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/git/ignore"
)

// ignoreFiles names the files in the root of a workspace that list, in git's syntax, the files that agents
// must not read.
var ignoreFiles = []string{".agentignore", ".aiignore", ".cursorignore", ".geminiignore", ".crushignore"}

// findIgnored reads the ignore files of a workspace. why returns the reason why reading a file requires
// approval, or "" for none. unread describes problems with the ignore files.
func findIgnored(root string) (why func(abs string) string, unread []string) {
	kept := map[string]func(string) bool{}
	for _, name := range ignoreFiles {
		file := filepath.Join(root, name)
		text, err := trustedfile.ReadScope{Root: root}.Read(file, trustedfile.MaxSettings)
		if err == nil {
			kept[name] = ignore.Matcher(strings.TrimPrefix(text.Text, "\uFEFF"))
		}
		switch {
		case trustedfile.IsMissing(err):
		case err != nil:
			unread = append(unread, err.Error())
		case text.Cut:
			unread = append(unread, "read only the first "+humanize.Bytes(trustedfile.MaxSettings)+" of "+file)
		}
	}
	if len(kept) == 0 {
		return nil, unread
	}
	return func(abs string) string {
		if abs == root || !fsutil.Within(abs, root) {
			return ""
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil {
			return ""
		}
		for _, name := range ignoreFiles {
			if leavesOut := kept[name]; leavesOut != nil && leavesOut(filepath.ToSlash(rel)) {
				return name + " hides it from coding agents"
			}
		}
		return ""
	}, unread
}
