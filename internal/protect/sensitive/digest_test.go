package sensitive

import (
	"os"
	"path/filepath"
	"testing"
)

// A digest depends on the contents, names and kinds of files and folders, and on the targets of
// links.
func TestDigest(t *testing.T) {
	t.Parallel()
	made := map[string]digest{}
	for name, entries := range map[string]map[string]string{
		"a file": {"": "x"}, "another content": {"": "y"}, "an empty file": {"": ""}, "a link": {"": "->x"}, "another target": {"": "->y"},
		"an empty folder": {"d/": ""}, "a folder": {"d/a": "x"}, "another name": {"d/b": "x"}, "another place": {"d/e/a": "x"}, "a folder in it": {"d/a/": ""},
		"two files": {"d/a": "x", "d/b": "y"}, "exchanged": {"d/a": "y", "d/b": "x"}, "a link in it": {"d/a": "->x"}, "another target in it": {"d/a": "->y"},
	} {
		sum, err := digestOf(putFiles(t, entries))
		again, _ := digestOf(putFiles(t, entries))
		if err != nil || sum != again {
			t.Errorf("%s: one content has two digests (%v)", name, err)
		}
		for other, its := range made {
			if its == sum {
				t.Errorf("%s has the digest of %s", name, other)
			}
		}
		made[name] = sum
	}
}

// putFiles creates the entries by path. A content with "->" creates a link to the target after it.
func putFiles(t *testing.T, entries map[string]string) string {
	t.Helper()
	top := filepath.Join(t.TempDir(), "top")
	for path, content := range entries {
		at := filepath.Join(top, path)
		if folder := filepath.Dir(at + "."); path != "" {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		switch {
		case path != "" && path[len(path)-1] == '/':
			err = os.MkdirAll(at, 0o700)
		case len(content) > 2 && content[:2] == "->":
			err = os.Symlink(content[2:], at)
		default:
			err = os.WriteFile(at, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return top
}
