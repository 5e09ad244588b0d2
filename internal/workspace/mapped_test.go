package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mapped returns a workspace with a folder that commands see as /tmp.
func mapped(t *testing.T) (w *Workspace, own string) {
	t.Helper()
	top := t.TempDir()
	for _, dir := range []string{"/ws/sub", "/temp", "/own/tmp", "/beside"} {
		if err := os.MkdirAll(top+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := New(top+"/ws", top+"/temp")
	if err != nil {
		t.Fatal(err)
	}
	own = top + "/own/tmp"
	w.MapTemp(TempMapping{Folder: func() string { return own }, Make: func() error { return nil }, Shown: []string{top + "/beside"}})
	return w, own
}

// Below /tmp, tools see exactly the files that commands see.
func TestToolsFindTheTempOfCommands(t *testing.T) {
	t.Parallel()
	w, own := mapped(t)
	for link, target := range map[string]string{"in": "/tmp/f", "out": "/etc/passwd", "up": "..", "ws": w.Root(), "ofOwn": own + "/f", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(own, link)); err != nil {
			t.Fatal(err)
		}
	}
	linkToTemp := filepath.Join(w.Root(), "to-temp")
	if err := os.Symlink("/tmp/sub", linkToTemp); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/tmp":                   own,
		"/tmp/f":                 own + "/f",
		"/tmp/a/b":               own + "/a/b",
		"/tmp/x/../f":            own + "/f",
		"/tmp/in":                own + "/f",
		"to-temp/f":              own + "/sub/f",
		"/tmp/ws/f":              w.Root() + "/f",
		own + "/f":               own + "/f",
		own + "/in":              own + "/f",
		"f":                      w.Root() + "/f",
		w.Root() + "/sub/f":      w.Root() + "/sub/f",
		w.TempDir() + "/spool":   w.TempDir() + "/spool",
		"/tmp/out":               "",
		"/tmp/up/etc/passwd":     "",
		"/tmp/../etc/passwd":     "",
		"/tmp/loop":              "",
		"/tmpx":                  "",
		filepath.Dir(own) + "/x": "",
		strings.Replace(w.Root(), "/ws", "/beside", 1) + "/f": "",
	} {
		got, err := w.Resolve(path)
		if filepath.Dir(own)+"/x" == path && strings.HasPrefix(path, "/tmp/") {
			want = own + strings.TrimPrefix(path, "/tmp") // commands cannot see files next to their folder
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
		if err == nil {
			if again, err := w.Resolve(got); again != got {
				t.Errorf("%s: %q resolves to %q, %v", path, got, again, err)
			}
			if again, err := w.Resolve(w.Rel(got)); again != got {
				t.Errorf("%s: shown as %q, which resolves to %q, %v", path, w.Rel(got), again, err)
			}
		}
	}
	if got := w.Rel(own + "/a"); got != "/tmp/a" {
		t.Errorf("it is shown as %q", got)
	}
}

// A command cannot create a link above the workspace in its private /tmp.
func TestNoLinkAboveTheWorkspace(t *testing.T) {
	t.Parallel()
	w, own := mapped(t)
	rest, ok := strings.CutPrefix(w.Root(), "/tmp/")
	if !ok {
		t.Skip("the test's folders are not below /tmp")
	}
	top, _, _ := strings.Cut(rest, "/")
	if err := os.Symlink("/etc", own+"/"+top); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Resolve("sub/f"); got != w.Root()+"/sub/f" {
		t.Errorf("%q, %v", got, err)
	}
}

// Files can be written and read there. While commands use the system's /tmp, it is outside the
// workspace.
func TestFilesInTheTempOfCommands(t *testing.T) {
	t.Parallel()
	w, own := mapped(t)
	abs, err := w.Resolve("/tmp/new/f")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Replace(abs, nil, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(own + "/new/f"); string(content) != "x" {
		t.Errorf("%q, %v", content, err)
	}
	if !w.Exists("/tmp/new/f") {
		t.Error("it is not there")
	}
	w.MapTemp(TempMapping{Folder: func() string { return "" }, Make: func() error { return nil }})
	var outside *OutsideError
	if _, err := w.Resolve("/tmp/new/f"); !errors.As(err, &outside) {
		t.Errorf("without a folder: %v", err)
	}
}
