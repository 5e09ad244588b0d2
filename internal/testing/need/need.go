// Package need skips tests on Windows, or under Wine, where something is missing that they need.
// On other systems the lack fails the test.
package need

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

const onWindows = runtime.GOOS == "windows"

// Program skips a test where one of some programs is not installed.
func Program(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if !onWindows {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("there is no %s", name)
	}
}

// Link makes a symbolic link, and skips a test where that is not possible: to users of Windows it
// is often not allowed, and Wine 8 says that it has made one and has not.
func Link(t testing.TB, target, path string) {
	t.Helper()
	err := os.Symlink(target, path)
	if _, missing := os.Readlink(path); err == nil {
		err = missing
	}
	switch {
	case err != nil && onWindows:
		t.Skipf("there are no symbolic links: %v", err)
	case err != nil:
		t.Fatal(err)
	}
}

// Modes skips a test of the permissions of Unix. A file of Windows is read-only or it is not, and
// who may do what is in lists that its folder gives.
func Modes(t testing.TB) {
	t.Helper()
	if onWindows {
		t.Skip("there are no permissions of Unix")
	}
}
