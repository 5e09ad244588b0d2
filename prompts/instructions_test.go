package prompts

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestInstructionsStayInTheRepository(t *testing.T) {
	t.Parallel()
	outside, repo := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		filepath.Join(outside, "secret"):    "a secret",
		filepath.Join(repo, "CLAUDE.md"):    "use tabs",
		filepath.Join(repo, ".git", "HEAD"): "ref",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(repo, "AGENTS.md")
	if err := os.Symlink("CLAUDE.md", link); err != nil {
		t.Fatal(err)
	}
	found, err := Instructions(t.TempDir(), t.TempDir(), repo)
	if len(err) > 0 || len(found) != 1 || found[0].Text != "use tabs" {
		t.Errorf("a link inside: %v, %v", found, err)
	}
	if err := errors.Join(os.Remove(link), os.Symlink(filepath.Join(outside, "secret"), link)); err != nil {
		t.Fatal(err)
	}
	if found, err := Instructions(t.TempDir(), t.TempDir(), repo); len(err) != 1 || len(found) > 0 {
		t.Errorf("a link out was followed: %v, %v", found, err)
	}
}
