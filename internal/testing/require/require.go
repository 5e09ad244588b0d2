// Package require skips a test on Windows, or under Wine, if the system lacks something that the
// test needs. On other systems the test fails.
package require

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Unix reports whether files have Unix permissions. On Windows a file has only a read-only flag,
// and an access list that it inherits from its folder.
const Unix = runtime.GOOS != "windows"

// Permissions skips a test of Unix permissions.
func Permissions(t testing.TB) {
	t.Helper()
	if !Unix {
		t.Skip("there are no permissions of Unix")
	}
}

// Program skips a test if one of some programs is not installed.
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

// Link makes a symbolic link, or skips the test if it cannot.
func Link(t testing.TB, target, path string) {
	t.Helper()
	if !TryLink(t, target, path) {
		t.Skip("there are no symbolic links")
	}
}

// TryLink makes a symbolic link, and reports whether the link exists. Windows users often lack the
// right to make one, and Wine 8 reports success without making one.
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

// Line skips a test if a command of sh needs something that is missing.
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

// Names skips a test of file names that are impossible on Windows, such as names with line breaks,
// colons or stars.
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
