package instructions

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/extend/setup/trustedfile"
	"agent/internal/testing/fifo"
	"agent/internal/testing/require"

	"github.com/google/go-cmp/cmp"
)

const agentsFile = "AGENTS.md"

// find returns the instructions for a workspace.
func find(config, home, workspace string) ([]File, []error) {
	found := Find(Locations{Locations: trustedfile.Locations{Config: config, Home: home, Workspace: workspace}})
	return found.Files, found.Problems
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestInstructionsOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id        string
		files     []string // folders with an AGENTS.md; a trailing .git makes a repository
		config    string
		workspace string
		want      []string
	}{
		{"none", nil, "config", "home/w", nil},
		{"the user's own first, then downwards", []string{"config", "home", "home/r", "home/r/.git", "home/r/a", "home/r/a/b"}, "config", "home/r/a/b", []string{"config", "home/r", "home/r/a", "home/r/a/b"}},
		{"without a repository from home", []string{"home", "home/a", "outside"}, "config", "home/a", []string{"home", "home/a"}},
		{"not below the workspace", []string{"home/a", "home/a/b"}, "config", "home/a", []string{"home/a"}},
		{"not beside the workspace", []string{"home/a", "home/b"}, "config", "home/a", []string{"home/a"}},
		{"home itself", []string{"home", "."}, "config", "home", []string{"home"}},
		{"the configuration folder itself", []string{"home", "home/config"}, "home/config", "home/config", []string{"home/config", "home"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			top := root(t)
			for _, dir := range c.files {
				write(t, " from "+dir+"\n\n", top, dir, agentsFile)
			}
			if err := os.MkdirAll(filepath.Join(top, c.workspace), 0o700); err != nil {
				t.Fatal(err)
			}
			found, err := find(filepath.Join(top, c.config), filepath.Join(top, "home"), filepath.Join(top, c.workspace))
			if len(err) > 0 {
				t.Fatal(err)
			}
			var want []File
			for _, dir := range c.want {
				want = append(want, File{Path: filepath.Join(top, dir, agentsFile), Text: "from " + dir})
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Outside the home folder and repositories, and below a folder that everybody can write, only the
// workspace itself can contain instructions.
func TestInstructionsOfStrangers(t *testing.T) {
	t.Parallel()
	require.Permissions(t)
	top := root(t)
	shared := filepath.Join(top, "shared")
	own := write(t, "mine", shared, "w", "deep", agentsFile)
	write(t, "a trap", shared, agentsFile)
	write(t, "a trap", shared, ".git", "HEAD")
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	for id, home := range map[string]string{"home elsewhere": filepath.Join(top, "home"), "no home": ""} {
		found, err := find(filepath.Join(top, "config"), home, filepath.Dir(own))
		if len(err) > 0 {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]File{{Path: own, Text: "mine"}}, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestInstructionsAreCut(t *testing.T) {
	t.Parallel()
	const note = "\n(cut: the file is longer than 64 KiB)"
	for id, c := range map[string]struct{ give, want string }{
		"at the bound":    {strings.Repeat("x", MaxFile), strings.Repeat("x", MaxFile)},
		"one more":        {strings.Repeat("x", MaxFile+1), strings.Repeat("x", MaxFile) + note},
		"within a letter": {"x" + strings.Repeat("ä", MaxFile), "x" + strings.Repeat("ä", MaxFile/2-1) + note},
		"not UTF-8":       {"a\xffb", "a\uFFFDb"},
		"blank":           {" \n\t\n", ""},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			top := root(t)
			write(t, c.give, top, agentsFile)
			found, err := find(filepath.Join(top, "config"), top, top)
			if len(err) > 0 {
				t.Fatal(err)
			}
			got := ""
			for _, i := range found {
				got += i.Text
			}
			if got != c.want || !utf8.ValidString(got) {
				t.Errorf("%d bytes, want %d; ends with %q", len(got), len(c.want), got[max(0, len(got)-60):])
			}
		})
	}
}

func TestInstructionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for id, make := range map[string]func(file string) error{
		"folder": func(file string) error { return os.Mkdir(file, 0o700) },
		"pipe":   func(file string) error { return fifo.Make(t, file) },
		"loop":   func(file string) error { return os.Symlink(file, file) },
	} {
		top := root(t)
		file := filepath.Join(top, agentsFile)
		if err := make(file); err != nil {
			t.Fatal(err)
		}
		write(t, "mine", top, "config", agentsFile)
		found, problems := find(filepath.Join(top, "config"), top, top)
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), file) || len(found) != 1 {
			t.Errorf("%s: got %v, %v", id, found, problems)
		}
	}
}

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
	found, err := find(t.TempDir(), t.TempDir(), repo)
	if len(err) > 0 || len(found) != 1 || found[0].Text != "use tabs" {
		t.Errorf("a link inside: %v, %v", found, err)
	}
	if err := errors.Join(os.Remove(link), os.Symlink(filepath.Join(outside, "secret"), link)); err != nil {
		t.Fatal(err)
	}
	if found, err := find(t.TempDir(), t.TempDir(), repo); len(err) != 1 || len(found) > 0 {
		t.Errorf("a link out was followed: %v, %v", found, err)
	}
}

// A committed link could make a secret file of the user the instructions, and so send keys to the
// provider. Such a link is not followed (D-60).
func TestInstructionsAreNoKeys(t *testing.T) {
	t.Parallel()
	for _, target := range []string{".env", "deploy/server.key", ".git/config", "here/.ssh/config"} {
		repo := t.TempDir()
		if err := errors.Join(os.MkdirAll(filepath.Join(repo, filepath.Dir(target)), 0o700), os.MkdirAll(filepath.Join(repo, ".git"), 0o700),
			os.WriteFile(filepath.Join(repo, target), []byte("KEY=1"), 0o600), os.Symlink(target, filepath.Join(repo, agentsFile))); err != nil {
			t.Fatal(err)
		}
		found, problems := find(t.TempDir(), t.TempDir(), repo)
		if len(found) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), target) {
			t.Errorf("%s: %v, %v", target, found, problems)
		}
	}
}

// A link to a file that another user may have written is not followed.
func TestInstructionsBehindALinkAreNobodyElses(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(repo, "shared"), 0o700), os.WriteFile(filepath.Join(repo, "shared", "x.md"), []byte("a trap"), 0o600),
		os.Chmod(filepath.Join(repo, "shared"), 0o777), os.Symlink("shared/x.md", filepath.Join(repo, agentsFile))); err != nil {
		t.Fatal(err)
	}
	if found, problems := find(t.TempDir(), t.TempDir(), repo); len(found) > 0 || len(problems) != 1 {
		t.Errorf("%v, %v", found, problems)
	}
}

// A file that another user could have written is not used as instructions (D-61).
func TestInstructionsOfOtherOwners(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	const stranger = 12345
	for name, give := range map[string]func(file, folder string) error{
		"the file is another's":      func(file, _ string) error { return os.Chown(file, stranger, -1) },
		"the folder is another's":    func(_, folder string) error { return os.Chown(folder, stranger, -1) },
		"all users may write it":     func(file, _ string) error { return os.Chmod(file, 0o666) },
		"another group may write it": func(file, _ string) error { return errors.Join(os.Chown(file, 0, stranger), os.Chmod(file, 0o664)) },
		"another group may put it": func(_, folder string) error {
			return errors.Join(os.Chown(folder, 0, stranger), os.Chmod(folder, 0o775))
		},
		"everybody may put one there": func(_, folder string) error { return os.Chmod(folder, 0o777) },
	} {
		folder := t.TempDir()
		file := filepath.Join(folder, agentsFile)
		if err := errors.Join(os.WriteFile(file, []byte("a trap"), 0o644), give(file, folder)); err != nil {
			t.Fatal(err)
		}
		found, problems := find(t.TempDir(), t.TempDir(), folder)
		if len(found) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), file) {
			t.Errorf("%s: %v, %v", name, found, problems)
		}
	}
	// The search does not continue into a parent repository of another user.
	top := t.TempDir()
	work := filepath.Join(top, "repo", "work")
	err := errors.Join(os.MkdirAll(filepath.Join(top, "repo", ".git"), 0o755), os.Mkdir(work, 0o755),
		os.WriteFile(filepath.Join(top, "repo", agentsFile), []byte("a trap"), 0o644), os.Chown(filepath.Join(top, "repo"), stranger, stranger))
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := find(t.TempDir(), t.TempDir(), work); len(found) > 0 {
		t.Errorf("%v", found)
	}
}
