package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// A command can change the mode and times of files that it may write, and of unnamed files, but not
// of hidden files among them.
func TestWhichFilesMayBeChanged(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &changer{writable: []string{root + "/ws"}, hidden: []string{root + "/ws/keys", root + "/ws/.env"}}
	for name, want := range map[string]bool{"ws/a": true, "ws/.env": false, "ws/keys/a": false, "ws/.envrc": true, "wsx/a": false, "b": false, "gone": true} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if name == "gone" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.may(int(f.Fd())); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if c.may(-1) {
		t.Error("what is not open may be changed")
	}
}
