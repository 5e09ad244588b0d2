package projectcheck

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/fsutil"
)

// projects lists the checks by kind of project. An entry consists of the extensions of its files,
// the files that mark a project, the text that such a file must contain, and the command.
var projects = []struct {
	endings, markers []string
	holds, line      string
}{
	{[]string{".go"}, []string{"go.mod"}, "", "go vet ./..."},
	{[]string{".ts", ".tsx", ".mts", ".cts"}, []string{"tsconfig.json"}, "", "npx --no-install tsc --noEmit"},
	{[]string{".py", ".pyi"}, []string{"ruff.toml", ".ruff.toml"}, "", "ruff check --quiet --no-fix --output-format concise"},
	{[]string{".py", ".pyi"}, []string{"pyproject.toml"}, "[tool.ruff", "ruff check --quiet --no-fix --output-format concise"},
	{[]string{".rs"}, []string{"Cargo.toml"}, "", "cargo check --quiet --message-format short"},
}

// find returns the check of the project that contains a file. The project is the nearest folder
// above the file with a marker.
func find(root, file string) (Command, bool) {
	if !filepath.IsLocal(file) {
		return Command{}, false
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		for _, p := range projects {
			if slices.Contains(p.endings, filepath.Ext(file)) && slices.ContainsFunc(p.markers, func(name string) bool {
				return shows(filepath.Join(root, dir, name), p.holds)
			}) {
				return Command{Line: p.line, Dir: dir, Found: true}, true
			}
		}
		if dir == "." {
			return Command{}, false
		}
	}
}

// longestMarker is the greatest size of a marker file, in bytes.
const longestMarker = 256 << 10

// shows reports whether a file exists and contains a text.
func shows(path, holds string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestMarker {
		return false
	}
	if holds == "" {
		return true
	}
	content, err := fsutil.ReadUpTo(path, longestMarker)
	return err == nil && bytes.Contains(content, []byte(holds))
}
