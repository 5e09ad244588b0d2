package cmdline

import (
	"os"
	"path/filepath"
	"testing"
)

// A ReadOnlyProgram has the options of a program in the table, for tests with the real program.
// Letters are its options of one letter.
type ReadOnlyProgram struct {
	Letters     string
	Long, Words []string
}

// ReadOnlyPrograms returns the programs of the table.
func ReadOnlyPrograms() map[string]ReadOnlyProgram {
	all := map[string]ReadOnlyProgram{}
	for name, program := range readOnlyPrograms() {
		all[name] = ReadOnlyProgram{program.flags + program.valued, program.long, program.words}
	}
	return all
}

// OnlyLooksInSed reports whether a script of sed counts as read-only.
func OnlyLooksInSed(script string) bool { return sedScript().MatchString(script) }

// WriteTestFile writes a file and the folders above it.
func WriteTestFile(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
