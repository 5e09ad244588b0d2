package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/fsutil"
	"agent/internal/base/tempdir"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/workspace"
)

// OpenWorkspace opens the folder to work in. It also sets up two temporary folders: the folder of the
// workspace, and a folder that confined commands see as /tmp. remove deletes both.
func (p *Process) OpenWorkspace(dir string, s *settings.Settings) (opened *workspace.Workspace, remove func() error, err error) {
	if !filepath.IsAbs(dir) && p.Dir == "" {
		return nil, nil, InputError{errors.New("the current folder was deleted; change to another folder, or name one with -C")}
	}
	if dir == "" {
		dir = p.Dir
	}
	dir = p.Path(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, InputError{fmt.Errorf("can't use the workspace %s: it is not a readable folder", dir)}
	}
	confined, err := workspace.New(dir, "")
	if err != nil {
		return nil, nil, err
	}
	temp := tempdir.New(tempParent(confined.Root()), p.Now())
	confined.MakeTemp(temp.Path(), temp.Make)
	own := temp.Sibling()
	p.mapTemp(confined, s, own)
	return confined, func() error { return errors.Join(temp.Remove(), own.Remove()) }, nil
}

// tempParent returns the folder in which temporary folders are created. It avoids a system folder
// inside the workspace, where commands could replace the temporary folders.
func tempParent(root string) string {
	parent := os.TempDir()
	if fsutil.Within(fsutil.ResolveLinks(parent), root) && !fsutil.Within(sandbox.SystemTemp, root) {
		return sandbox.SystemTemp
	}
	return parent
}

// mapTemp makes a folder below own appear as /tmp to confined commands and to the tools that work with
// them. Commands cannot access own itself, which contains the lock.
func (p *Process) mapTemp(w *workspace.Workspace, s *settings.Settings, own *tempdir.Dir) {
	const everybody = fs.ModeSticky | 0o777 // like the system's /tmp: root may run commands as others
	folder := filepath.Join(own.Path(), "tmp")
	w.MapTemp(workspace.TempMapping{
		Folder: func() string {
			writable := append(p.userPaths(settings.SandboxAllowWrite.Value(s)), w.Root())
			reached := func(writable string) bool { return fsutil.Within(folder, writable) }
			if settings.Sandbox.Value(s) == settings.SandboxOff || slices.ContainsFunc(writable, reached) || !sandbox.Detect().HasOwnTemp(writable...) {
				return ""
			}
			return folder
		},
		Make: func() error {
			if err := own.Make(); err != nil {
				return err
			}
			err := os.Mkdir(folder, 0o700)
			if errors.Is(err, fs.ErrExist) {
				return nil
			}
			return errors.Join(err, os.Chmod(folder, everybody))
		},
		Shown: sandbox.VisibleTempPaths(w.Root(), p.Environ),
	})
}
