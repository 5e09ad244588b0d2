package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agent/internal/tempdir"
	"agent/internal/workspace"
)

// OpenWorkspace opens the folder to work in with a temporary folder of its own,
// which remove removes.
func (p *Process) OpenWorkspace(dir string) (opened *workspace.Workspace, remove func() error, err error) {
	if !filepath.IsAbs(dir) && p.Dir == "" {
		return nil, nil, InputError{errors.New("the current folder was deleted; change to another one, or name one with -C")}
	}
	if dir == "" {
		dir = p.Dir
	}
	dir = p.Path(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, InputError{fmt.Errorf("the workspace %s is not a folder that can be read", dir)}
	}
	confined, err := workspace.New(dir, "")
	if err != nil {
		return nil, nil, err
	}
	temp := tempdir.New(os.TempDir(), p.Now())
	confined.MakeTemp(temp.Path(), temp.Make)
	return confined, temp.Remove, nil
}
