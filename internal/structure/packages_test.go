package structure

import (
	"bytes"
	"flag"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The package comment of a large package describes its purpose and its main types with their
// owners.
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

// isSupport reports whether a file is a support file for tests or an example, and not a part of the
// program.
func isSupport(file string) bool {
	file = filepath.ToSlash(file)
	return strings.HasPrefix(file, "internal/testing/") || strings.HasPrefix(file, "examples/")
}

var updatePackages = flag.Bool("update-packages", false, "write docs/dev/packages.md anew")

// docs/dev/packages.md lists each package of the program with the first sentence of its comment.
func TestPackagesPageIsCurrent(t *testing.T) {
	t.Parallel()
	const page = "docs/dev/packages.md"
	sentences := map[string]string{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		dir := path.Dir(filepath.ToSlash(file))
		if !within(dir, "cmd") && !within(dir, "internal") && dir != "docs" && dir != "prompts" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		var p doc.Package
		if sentence := p.Synopsis(parsed.Doc.Text()); sentence != "" || sentences[dir] == "" {
			sentences[dir] = sentence
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for dir, sentence := range sentences {
		dirs = append(dirs, dir)
		if sentence == "" {
			t.Errorf("%s has no package comment", dir)
		}
	}
	slices.Sort(dirs)
	var b strings.Builder
	b.WriteString("# Packages\n\n<!-- generated: make docs -->\n\nThis page lists all packages with the first sentence of their comments. `internal/structure/imports_test.go` lists the allowed imports of each package.\n\n| package | does |\n|---|---|\n")
	for _, dir := range dirs {
		sentence := strings.TrimPrefix(sentences[dir], "Package "+path.Base(dir)+" ")
		fmt.Fprintf(&b, "| `%s` | %s |\n", dir, strings.ReplaceAll(sentence, "|", "\\|"))
	}
	if *updatePackages {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(page); err != nil || string(have) != b.String() {
		t.Errorf("%s is out of date (%v); make docs writes it", page, err)
	}
}
