package agent_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// archaic are turns of phrase that a reader of today stumbles over in a comment.
var archaic = regexp.MustCompile(`\b(told|tell|tells|stands|stand|goes|lays|takes up|hangs on|mend|mended|who|whoever)\b`)

// Comments are plain English of today: at most one line in two hundred has one of those.
func TestCommentsAreInPlainWords(t *testing.T) {
	t.Parallel()
	lines := 0
	var found []string
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			comment, is := strings.CutPrefix(strings.TrimSpace(line), "//")
			if !is {
				continue
			}
			lines++
			if archaic.MatchString(comment) {
				found = append(found, file+": "+strings.TrimSpace(comment))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found)*200 > lines {
		t.Errorf("%d of %d comment lines:\n%s", len(found), lines, strings.Join(found, "\n"))
	}
}
