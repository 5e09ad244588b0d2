package sandbox

import (
	"errors"
	"path/filepath"
	"testing"

	"agent/internal/gitfiles/layout"
	"agent/internal/testing/fifo"
)

// A command can leave a pipe where git has its configuration. Looking after it, the
// program must not wait for somebody to write into that.
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
