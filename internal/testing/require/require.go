// Package require skips a test on Windows, or under Wine, if the system lacks something that the test needs.
// On other systems the test fails.
package require

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Unix reports whether files have the permissions of Unix. A file of Windows is read-only or it is
// not, and who else may read it is in a list that its folder gives.
const Unix = runtime.GOOS != "windows"

// Permissions skips a test of the permissions of Unix.
func Permissions(t testing.TB) {
	t.Helper()
	if !Unix {
		t.Skip("there are no permissions of Unix")
	}
}

// Program skips a test where one of some programs is not installed.
func Program(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if Unix {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("there is no %s", name)
	}
}

// Link makes a symbolic link, and skips a test where that is not possible.
func Link(t testing.TB, target, path string) {
	t.Helper()
	if !TryLink(t, target, path) {
		t.Skip("there are no symbolic links")
	}
}

// TryLink makes a symbolic link, and reports whether there is one: to users of Windows it is often
// not allowed, and Wine 8 says that it has made one and has not.
func TryLink(t testing.TB, target, path string) bool {
	t.Helper()
	err := os.Symlink(target, path)
	if _, missing := os.Readlink(path); err == nil {
		err = missing
	}
	if err != nil && Unix {
		t.Fatal(err)
	}
	return err == nil
}

// Line skips a test where a command line of sh needs something that is missing.
func Line(t testing.TB, line string) {
	t.Helper()
	Program(t, "sh")
	for _, name := range []string{"git", "mkfifo"} {
		if strings.Contains(line, name+" ") {
			Program(t, name)
		}
	}
	if strings.Contains(line, "ln -s") {
		Link(t, "nowhere", filepath.Join(t.TempDir(), "link"))
	}
}

// Names skips a test of file names that are not possible on Windows: with line breaks, colons, stars.
func Names(t testing.TB) {
	t.Helper()
	if !Unix {
		t.Skip("there are no such names of files")
	}
}

// Signals skips a test of commands that catch signals.
func Signals(t testing.TB) {
	t.Helper()
	if !Unix {
		t.Skip("there are no signals")
	}
}
