package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If a log is deleted while it is in use, the session reports it once, and writes the whole log
// again to the same path.
func TestALogThatIsTakenAwayIsKept(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(path string) error{
		"removed":           os.Remove,
		"its folder":        func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"the folder of all": func(path string) error { return os.RemoveAll(filepath.Dir(filepath.Dir(path))) },
		"moved":             func(path string) error { return os.Rename(path, path+".away") },
		"replaced by a file": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("theirs"), 0o600))
		},
		"replaced by a folder": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"replaced by a link":   func(path string) error { return errors.Join(os.Remove(path), os.Symlink("nowhere", path)) },
		"replaced by its like": func(path string) error {
			content, err := os.ReadFile(path)
			return errors.Join(err, os.Remove(path), os.WriteFile(path, content, 0o600))
		},
		"its folder by a folder": func(path string) error {
			return errors.Join(os.RemoveAll(filepath.Dir(path)), os.Mkdir(filepath.Dir(path), 0o700))
		},
	} {
		for _, last := range []bool{false, true} { // deleted before a record, or after the last one
			for _, resumed := range []bool{false, true} {
				o := options(t)
				l := create(t, o)
				add(t, l, "a")
				if resumed {
					closeLog(t, l)
					var err error
					if l, _, err = Resume(l.Path(), o); err != nil {
						t.Fatal(err)
					}
					add(t, l, "b")
				}
				was := l.Path()
				if err := take(was); err != nil {
					t.Fatal(err)
				}
				want := "a"
				if resumed {
					want = "a b"
				}
				if !last {
					add(t, l, "c")
					add(t, l, "d")
					want += " c d"
					if said := l.TakenNotice(); !strings.Contains(said, l.Path()) || l.TakenNotice() != "" {
						t.Errorf("%s: said %q", name, said)
					}
					if err := l.CheckSaved(); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if _, _, err := Resume(l.Path(), o); err == nil {
						t.Errorf("%s: somebody else can write to it", name)
					}
				}
				closeLog(t, l)
				if got := textsOf(replayFile(t, l.Path()).Entries); got != want {
					t.Errorf("%s: %s holds %q, want %q", name, l.Path(), got, want)
				}
				if again, _, err := Resume(l.Path(), o); err != nil {
					t.Errorf("%s: it cannot be gone on with: %v", name, err)
				} else {
					closeLog(t, again)
				}
				if theirs, err := os.ReadFile(was); name == "replaced by a file" && string(theirs) != "theirs" {
					t.Errorf("what somebody else put there holds %q, %v", theirs, err)
				}
			}
		}
	}
}

// If the log cannot be written again, its records wait and the session reports that it is missing.
// A truncated log is reported too.
func TestALogThatCannotBeKeptIsSaid(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a")
	folder := filepath.Dir(l.Path())
	if err := errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	add(t, l, "b")
	if l.CheckSaved() == nil {
		t.Error("it counts as saved")
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	add(t, l, "c")
	closeLog(t, l)
	if got := textsOf(replayFile(t, l.Path()).Entries); got != "a b c" {
		t.Errorf("on disk is %q", got)
	}

	l = create(t, options(t))
	add(t, l, "a")
	if err := os.Truncate(l.Path(), 0); err != nil {
		t.Fatal(err)
	}
	add(t, l, "b")
	if text := l.TakenNotice(); !strings.Contains(text, "another program truncated") {
		t.Errorf("said %q", text)
	}
	closeLog(t, l)
	if got := textsOf(replayFile(t, l.Path()).Entries); got != "b" {
		t.Errorf("on disk is %q", got)
	}
}
