package structure

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The imports between the folders of internal have no cycle, so that each can be read after the
// folders that it imports.
func TestFoldersHaveNoImportCycle(t *testing.T) {
	t.Parallel()
	arrows := map[string]map[string]bool{}
	err := filepath.WalkDir("internal", func(file string, entry fs.DirEntry, err error) error {
		file = filepath.ToSlash(file)
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || isSupport(file) {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := strings.Split(file, "/")[1]
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if below, ours := strings.CutPrefix(imported, "agent/internal/"); ours {
				if to, _, _ := strings.Cut(below, "/"); to != from {
					if arrows[from] == nil {
						arrows[from] = map[string]bool{}
					}
					arrows[from][to] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if circle := findCircle(arrows); circle != nil {
		t.Errorf("these folders import each other: %s", strings.Join(circle, " -> "))
	}
	arrows["base"] = map[string]bool{"app": true}
	if findCircle(arrows) == nil {
		t.Error("a circle is not found")
	}
}

// findCircle returns the folders of a cycle of imports, or nil.
func findCircle(arrows map[string]map[string]bool) []string {
	const onPath, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(folder string) []string
	visit = func(folder string) []string {
		path = append(path, folder)
		switch state[folder] {
		case onPath:
			return path[slices.Index(path, folder):]
		case done:
			path = path[:len(path)-1]
			return nil
		}
		state[folder] = onPath
		for _, to := range slices.Sorted(maps.Keys(arrows[folder])) {
			if circle := visit(to); circle != nil {
				return circle
			}
		}
		state[folder] = done
		path = path[:len(path)-1]
		return nil
	}
	for _, folder := range slices.Sorted(maps.Keys(arrows)) {
		if circle := visit(folder); circle != nil {
			return circle
		}
	}
	return nil
}

// The tree in docs/dev/architecture.md lists every folder of internal, and no other folder.
func TestTheTreeOfTheDesignIsCurrent(t *testing.T) {
	t.Parallel()
	design, err := os.ReadFile("docs/dev/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(string(design), "\ninternal/\n")
	tree, _, _ = strings.Cut(tree, "```")
	folders, err := os.ReadDir("internal")
	if err != nil || len(folders) == 0 {
		t.Fatal(len(folders), err)
	}
	for _, folder := range folders {
		if !regexp.MustCompile(`(?m)^  (\S+ +)*` + folder.Name() + `(/| |$)`).MatchString(tree) {
			t.Errorf("the tree in docs/dev/architecture.md does not name %s", folder.Name())
		}
	}
	for _, line := range strings.Split(tree, "\n") {
		if folder, _, ok := strings.Cut(strings.TrimSpace(line), "/ "); ok && strings.HasPrefix(line, "  ") {
			if _, err := os.Stat("internal/" + folder); err != nil {
				t.Error(err)
			}
		}
	}
}
