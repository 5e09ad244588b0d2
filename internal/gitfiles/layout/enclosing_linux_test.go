package layout

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// The search does not wait for a pipe in place of the repository folder.
func TestRepositoryThatIsAPipe(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(root, ".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	if folder, _ := FindRepository(root); folder != "" {
		t.Errorf("the repository is %q", folder)
	}
}

// The search does not wait for a pipe in place of the configuration file.
func TestConfigurationThatIsAPipe(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	git := filepath.Join(root, ".git")
	if err := errors.Join(os.Mkdir(git, 0o700), unix.Mkfifo(filepath.Join(git, "config"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if folder, _ := FindRepository(root); folder != git {
		t.Errorf("the repository is %q", folder)
	}
}
