package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// scripts/race names tests. A test with another name would no longer be run there, or no longer be
// omitted.
func TestRaceNamesTests(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("scripts/race")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^func Test\w+`)
	var tests strings.Builder
	for _, dir := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, name := range named.FindAll(text, -1) {
				tests.WriteString(string(name) + "\n")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	lists := regexp.MustCompile(`(?s)\n(meet|alone)="(.+?)"`).FindAllStringSubmatch(string(script), -1)
	if len(lists) != 2 {
		t.Fatalf("scripts/race has %d lists, want meet and alone", len(lists))
	}
	for _, list := range lists {
		for _, name := range strings.Fields(list[2]) {
			want := "func Test" + name + "\n" // meet matches whole names, alone a part of them
			if list[1] == "alone" {
				want = name
			}
			if !strings.Contains(tests.String(), want) {
				t.Errorf("scripts/race: no test is called Test%s", name)
			}
		}
	}
}
