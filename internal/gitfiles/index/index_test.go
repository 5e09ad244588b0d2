package index

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/testing/require"
)

// run runs a shell command line in a folder and returns its output.
func run(t *testing.T, dir, line string) string {
	t.Helper()
	require.Line(t, line)
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out)
}

// The entries match the output of git, for every index version and both hash formats.
func TestEntriesAreThoseThatGitLists(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][2]string{
		"plain":     {"git init -q", ":"},
		"version 4": {"git init -q", "git update-index --index-version 4"},
		"sha256":    {"git init -q --object-format=sha256", ":"},
		"intent":    {"git init -q", "echo x > later; git add -N later"},
		"skipped":   {"git init -q", "git update-index --skip-worktree sub/f1"},
		"conflict":  {"git init -q -b a", "git commit -qm 1; git checkout -qb b; echo b > f; git commit -qam b; git checkout -q a; echo a > f; git commit -qam a; git merge -q b > /dev/null || true"},
		"empty":     {"git init -q", "git rm -qr --cached ."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			run(t, root, lines[0]+"; mkdir -p sub/deep; long=$(printf a%0140d 0); mkdir $long; echo l > $long/f; echo f > f; ln -s f link; mkdir -p sub/.d$(printf '\\351'); echo x > sub/.d$(printf '\\351')/caf$(printf '\\351').go; for i in 1 2 3; do echo $i > sub/f$i; echo $i > sub/deep/.g$i; done; git add -A; "+lines[1])
			for _, prefix := range []string{"", "sub/"} {
				var listed bytes.Buffer
				index := Open(filepath.Join(root, ".git"), prefix)
				defer index.Close()
				entries := index.Read()
				for entries.Next() {
					e := &entries.Entry
					tag := "H"
					if e.Skipped {
						tag = "S"
					}
					if e.Merging {
						tag = "M"
					}
					fmt.Fprintf(&listed, "%s %03o %s\t%s\x00", tag, e.Mode, hex.EncodeToString(e.Name), e.Path)
				}
				if entries.Err() != nil {
					t.Fatal(entries.Err())
				}
				want := run(t, filepath.Join(root, prefix), `git ls-files -t -s -z | sed -z -E 's/^(. )(..).... ([0-9a-f]*) .\t/\10\2 \3\t/'`)
				if diff := cmp.Diff(want, listed.String()); diff != "" {
					t.Errorf("below %q (-want +got):\n%s", prefix, diff)
				}
			}
		})
	}
}

// A split index and a file that is no index are detected.
func TestUnsupportedIndexes(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"git update-index --split-index", "printf 'DIRC\\0\\0\\0\\5\\0\\0\\0\\0' > .git/index", "head -c 100 .git/index > x; mv x .git/index"} {
		root := t.TempDir()
		run(t, root, "git init -q; echo a > a; echo b > b; git add -A; "+line)
		index := Open(filepath.Join(root, ".git"), "")
		entries := index.Read()
		for entries.Next() {
		}
		if !errors.Is(entries.Err(), ErrFormat) {
			t.Errorf("%s: %v", line, entries.Err())
		}
		index.Close()
	}
	if none := Open(t.TempDir(), "").Read(); none.Next() || none.Err() != nil {
		t.Error("an index that is not there has entries")
	}
}

// If the entries of an index extend one path without limit, reading stops with an error.
func TestPathsDoNotGrowWithoutEnd(t *testing.T) {
	t.Parallel()
	const entries, sum = 10, 20
	content := []byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x0a")
	for range entries {
		content = append(content, make([]byte, 40+sum+2)...)
		content = append(content, 0) // remove nothing from the previous path
		content = append(content, bytes.Repeat([]byte("a"), longestPath/4)...)
		content = append(content, 0)
	}
	content = append(content, make([]byte, sum)...)
	read, longest := newReader(bytes.NewReader(content), sum, ""), 0
	for read.Next() {
		longest = max(longest, len(read.Entry.Path))
	}
	if longest == 0 || longest > longestPath || !errors.Is(read.Err(), ErrFormat) {
		t.Errorf("a path of %d bytes, %v", longest, read.Err())
	}
}

// Reading does not wait for a pipe in place of the configuration file.
func TestConfigurationThatIsAPipe(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	run(t, root, "git init -q; echo a > a; git add -A; rm .git/config; mkfifo .git/config")
	index := Open(filepath.Join(root, ".git"), "")
	defer index.Close()
	if entries := index.Read(); !entries.Next() || string(entries.Entry.Path) != "a" {
		t.Errorf("%q, %v", entries.Entry.Path, entries.Err())
	}
}

// No path leads out of the work tree, whatever the index contains.
func FuzzRead(f *testing.F) {
	root := f.TempDir()
	cmd := exec.Command("sh", "-c", "git init -q; echo a > a; mkdir b; echo c > b/c; git add -A")
	cmd.Dir = root
	if cmd.Run() == nil {
		content, _ := os.ReadFile(filepath.Join(root, ".git", "index"))
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		entries := newReader(bytes.NewReader(content), 20, "")
		for entries.Next() {
			if path := string(entries.Entry.Path); !filepath.IsLocal(path) || path == "." {
				t.Fatalf("%q", path)
			}
		}
	})
}
