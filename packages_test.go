package agent_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// A newcomer can tell from the package comment of a large package what it is for, which its main
// types are and who owns them.
func TestLargePackagesHavePackageComments(t *testing.T) {
	t.Parallel()
	const large, enough = 1000, 5
	lines, comments := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || isSupport(file) {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(file))
		lines[dir] += bytes.Count(text, []byte("\n"))
		comments[dir] = max(comments[dir], strings.Count(parsed.Doc.Text(), "\n"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range lines {
		if n > large && comments[dir] < enough {
			t.Errorf("%s has %d lines and a package comment of %d lines; it needs %d", dir, n, comments[dir], enough)
		}
	}
}

// isSupport reports whether a file is support for tests or an example, and not part of the program.
func isSupport(file string) bool {
	file = filepath.ToSlash(file)
	return strings.HasPrefix(file, "internal/testing/") || strings.HasPrefix(file, "examples/")
}
