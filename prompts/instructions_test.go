package prompts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// A repository that names a file of the user's as its instructions, by a link that was
// committed, would send their keys to the provider (D-60).
func TestInstructionsAreNoKeys(t *testing.T) {
	t.Parallel()
	for _, target := range []string{".env", "deploy/server.key", ".git/config", "here/.ssh/config"} {
		repo := t.TempDir()
		if err := errors.Join(os.MkdirAll(filepath.Join(repo, filepath.Dir(target)), 0o700), os.MkdirAll(filepath.Join(repo, ".git"), 0o700),
			os.WriteFile(filepath.Join(repo, target), []byte("KEY=1"), 0o600), os.Symlink(target, filepath.Join(repo, instructionsFile))); err != nil {
			t.Fatal(err)
		}
		found, problems := Instructions(t.TempDir(), t.TempDir(), repo)
		if len(found) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), target) {
			t.Errorf("%s: %v, %v", target, found, problems)
		}
	}
}

// A link leads to a file that others may have put there.
func TestInstructionsBehindALinkAreNobodyElses(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(repo, "shared"), 0o700), os.WriteFile(filepath.Join(repo, "shared", "x.md"), []byte("a trap"), 0o600),
		os.Chmod(filepath.Join(repo, "shared"), 0o777), os.Symlink("shared/x.md", filepath.Join(repo, instructionsFile))); err != nil {
		t.Fatal(err)
	}
	if found, problems := Instructions(t.TempDir(), t.TempDir(), repo); len(found) > 0 || len(problems) != 1 {
		t.Errorf("%v, %v", found, problems)
	}
}

// What somebody else could have written does not instruct the model (D-61).
func TestInstructionsOfOtherOwners(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	const stranger = 12345
	for name, give := range map[string]func(file, folder string) error{
		"the file is another's":      func(file, _ string) error { return os.Chown(file, stranger, -1) },
		"the folder is another's":    func(_, folder string) error { return os.Chown(folder, stranger, -1) },
		"everybody may write it":     func(file, _ string) error { return os.Chmod(file, 0o666) },
		"another group may write it": func(file, _ string) error { return errors.Join(os.Chown(file, 0, stranger), os.Chmod(file, 0o664)) },
		"another group may put it": func(_, folder string) error {
			return errors.Join(os.Chown(folder, 0, stranger), os.Chmod(folder, 0o775))
		},
		"everybody may put one there": func(_, folder string) error { return os.Chmod(folder, 0o777) },
	} {
		folder := t.TempDir()
		file := filepath.Join(folder, instructionsFile)
		if err := errors.Join(os.WriteFile(file, []byte("a trap"), 0o644), give(file, folder)); err != nil {
			t.Fatal(err)
		}
		found, problems := Instructions(t.TempDir(), t.TempDir(), folder)
		if len(found) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), file) {
			t.Errorf("%s: %v, %v", name, found, problems)
		}
	}
	// A repository of somebody else above the workspace is not gone up to.
	top := t.TempDir()
	work := filepath.Join(top, "repo", "work")
	err := errors.Join(os.MkdirAll(filepath.Join(top, "repo", ".git"), 0o755), os.Mkdir(work, 0o755),
		os.WriteFile(filepath.Join(top, "repo", instructionsFile), []byte("a trap"), 0o644), os.Chown(filepath.Join(top, "repo"), stranger, stranger))
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := Instructions(t.TempDir(), t.TempDir(), work); len(found) > 0 {
		t.Errorf("%v", found)
	}
}
