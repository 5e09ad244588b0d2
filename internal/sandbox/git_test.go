package sandbox

import (
	"errors"
	"path/filepath"
	"testing"

	"agent/internal/gitfiles/layout"
	"agent/internal/testing/fifo"
)

// A command can replace git's configuration by a pipe. The check after the command must not wait
// for a writer of that pipe.
func TestConfigurationThatIsAPipe(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	config, link := filepath.Join(root, "config"), filepath.Join(root, ".git")
	if err := errors.Join(fifo.Make(t, config), fifo.Make(t, link)); err != nil {
		t.Fatal(err)
	}
	if madeByGit(config) || madeByGit(link) {
		t.Error("a pipe is taken for what git makes")
	}
	if tree := layout.WorkTree(root); tree != "" {
		t.Errorf("the work tree is %q", tree)
	}
}
