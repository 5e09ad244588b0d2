package git

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe in the place of the repository is not waited for.
func TestRepositoryThatIsAPipe(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(root, ".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	if folder, _ := Enclosing(root); folder != "" {
		t.Errorf("the repository is %q", folder)
	}
}
