package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestMutantsOfChangedLines(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.go")
	source := "package a\n\nfunc f(n int) bool {\n\tif n > 1 {\n\t\treturn true\n\t}\n\treturn n == 0\n}\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := changed("--- a.go\n+++ " + file + "\n@@ -4 +4 @@ func f\n-old\n+new\n@@ -7,0 +7,2 @@\n+x\n+y\n--- b_test.go\n+++ b_test.go\n@@ -1 +1 @@\n")
	if len(lines) != 1 || !lines[file][4] || lines[file][5] || !lines[file][7] || !lines[file][8] {
		t.Fatalf("%v", lines)
	}
	mutants, err := mutantsOf(file, lines[file])
	if err != nil {
		t.Fatal(err)
	}
	var is []string
	for _, m := range mutants {
		is = append(is, m.is)
	}
	slices.Sort(is)
	if want := []string{"", "!(n > 1)", "!=", "(0+1)", "(1+1)", ">="}; !slices.Equal(is, want) {
		t.Errorf("%q, want %q", is, want)
	}
}
