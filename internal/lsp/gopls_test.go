package lsp_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agent/internal/lsp"
)

// TestNoStaleAnswerOfGopls edits files between questions to the real gopls. LSP_EDITS is the number of edits.
func TestNoStaleAnswerOfGopls(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Skip("gopls is not installed")
	}
	edits, err := strconv.Atoi(cmp.Or(os.Getenv("LSP_EDITS"), "10"))
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"a.go", "b.go", "sub/c.go", "sub/d.go"}
	f := openFolder(t, new(lsp.Pool), os.Environ(), map[string]string{"go.mod": "module m\n\ngo 1.21\n", "a.go": "package m\n\nvar Name = 1\n", "sub/c.go": "package sub\n"})
	random := rand.New(rand.NewPCG(52, 0))
	// content returns a file with a random number of uses at random lines.
	content := func(name string) string {
		text, use := "package m\n", "Name"
		if strings.HasPrefix(name, "sub/") {
			text, use = "package sub\n\nimport \"m\"\n\nvar _ = m.Name\n", "m.Name"
		}
		uses := 0
		for range random.IntN(6) {
			switch random.IntN(3) {
			case 0:
				text += "\n"
			case 1:
				text += "// Name\n"
			default:
				uses++
				text += fmt.Sprintf("\nvar %s%d = %s\n", strings.TrimSuffix(filepath.Base(name), ".go"), uses, use)
			}
		}
		if name == "a.go" {
			text += "\nvar Name = 1\n"
		}
		return text
	}
	reported := 0
	for edit := range edits {
		name := files[random.IntN(len(files))]
		path := filepath.Join(f.Root, name)
		if name == "b.go" && random.IntN(4) == 0 {
			_ = os.Remove(path)
		} else {
			write(t, path, content(name))
		}
		var want []string
		for _, name := range files {
			text, _ := os.ReadFile(filepath.Join(f.Root, name))
			for i, line := range strings.Split(string(text), "\n") {
				if strings.Contains(line, "Name") && !strings.HasPrefix(line, "//") {
					want = append(want, fmt.Sprintf("%s:%d=Name", name, i+1))
				}
			}
		}
		got, err := f.Ask(t.Context(), lsp.References, at(t, f, "a.go", "Name = 1"))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Notes) > 0 {
			t.Log(edit, got.Notes)
			reported++
			continue
		}
		if list := shown(t, f, got.Places); !slices.Equal(list, want) {
			t.Fatalf("edit %d of %s: %v, want %v", edit, name, list, want)
		}
	}
	t.Logf("%d edits, no stale answer, %d reported as incomplete", edits, reported)
	if reported == edits {
		t.Skip("gopls gets no processor time here")
	}
}
