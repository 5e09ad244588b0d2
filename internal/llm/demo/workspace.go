package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
)

// Prompt is the message that starts the repair. The demo suggests it to the user.
const Prompt = "The tests fail. Find out why and repair till.sh."

//go:embed workspace
var project embed.FS

// Workspace writes the project of the demo into dir, and creates dir if it is missing. The project is a
// cash register program as a shell script, its prices, its README and its tests. One test fails.
// Workspace returns an error if a file of the same name exists.
func Workspace(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("can't create the demo's workspace: %w", err)
	}
	names, err := fs.Glob(project, "workspace/*")
	if err != nil {
		return err
	}
	for _, name := range names {
		content, err := project.ReadFile(name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o600)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o700
		}
		if err := fsutil.CreateNew(filepath.Join(dir, filepath.Base(name)), content, mode); err != nil {
			return fmt.Errorf("can't create the demo's workspace: %w", err)
		}
	}
	return nil
}
