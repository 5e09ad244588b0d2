package cmdline

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// A program that accepts a limited number of words counts "--" after the first word, or a second
// "--", as a word (E1).
func TestDashesAreWords(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	free := func(words ...string) bool {
		parsed, err := Read(strings.Join(words, " ")).PlainCommands()
		return err == nil && len(parsed.UnprovenCommands(at)) == 0
	}
	tried := 0
	for name, program := range readOnlyPrograms() {
		if program.anyWords || program.max == unlimited {
			continue
		}
		full := []string{name}
		for _, word := range []string{"user.name", "a.go", "1", "+%F", "HEAD"} {
			if words := append([]string{name}, slices.Repeat([]string{word}, program.max)...); free(words...) {
				full = words
				break
			}
		}
		if len(full) != 1+program.max {
			t.Errorf("%s: no words to try it with", name)
		}
		for place := 2; place <= len(full); place++ {
			if line := slices.Insert(slices.Clone(full), place, "--"); free(line...) {
				t.Errorf("%q runs without asking", line)
			}
		}
		for _, more := range [][]string{{"--", "--"}, {"--", "''"}} {
			for place := 1; place <= len(full); place++ {
				if line := slices.Insert(slices.Clone(full), place, more...); free(line...) {
					t.Errorf("%q runs without asking", line)
				}
			}
		}
		tried++
	}
	if tried < 20 {
		t.Errorf("only %d programs take a bounded number of words", tried)
	}
}

// "--" is a value if an option accepts a value there, and a file if the program accepts a file
// there.
func TestDashesAreAFile(t *testing.T) {
	t.Parallel()
	at := readOnlyPlace(t)
	if err := os.Symlink("/etc/passwd", at.Dir+"/--"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"cat -- --", "cat a.go --", "grep -e -- x", "find . -newer --", "cat --", "sed -n 1p a.go --"} {
		if parsed, err := Read(line).PlainCommands(); err != nil || len(parsed.UnprovenCommands(at)) == 0 {
			t.Errorf("%q would show what is outside (%v)", line, err)
		}
	}
}
