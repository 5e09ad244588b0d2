package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
)

// guard puts protected files back as they were, where the backend cannot keep a
// command from changing them: those that do not exist yet, and without mounts the
// others too. What the command had made of them is moved to a folder below the
// temporary one, so that nothing is lost should somebody else have made it.
type guard struct {
	policy Policy
	// absent were not there.
	absent []string
	// files is what files held, by path; folders are the folders they are in.
	files   map[string]kept
	folders []string
}

type kept struct {
	content []byte
	mode    fs.FileMode
}

// guardedBytes bounds the size of a protected file that is kept in memory.
const guardedBytes = 1 << 20

func newGuard(policy Policy, backend Backend) *guard {
	if policy.Profile != Work || policy.Temp == "" {
		return nil
	}
	g := &guard{policy: policy, files: map[string]kept{}}
	for _, path := range policy.Protected {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			g.absent = append(g.absent, path)
		case backend == Thread:
			g.keep(path, info)
		}
	}
	return g
}

// keep remembers a file, or the files of a folder.
func (g *guard) keep(path string, info fs.FileInfo) {
	if !info.IsDir() {
		g.keepFile(path, info)
		return
	}
	_ = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir():
			g.folders = append(g.folders, file)
		default:
			if info, err := entry.Info(); err == nil {
				g.keepFile(file, info)
			}
		}
		return nil
	})
}

func (g *guard) keepFile(path string, info fs.FileInfo) {
	if !info.Mode().IsRegular() || info.Size() > guardedBytes {
		return
	}
	if content, err := os.ReadFile(path); err == nil {
		g.files[path] = kept{content, info.Mode().Perm()}
	}
}

// restore puts back what changed and returns the paths.
func (g *guard) restore() []string {
	if g == nil {
		return nil
	}
	var changed []string
	for _, path := range g.absent {
		if _, err := os.Lstat(path); err == nil && !madeByGit(path) && g.setAside(path) {
			changed = append(changed, path)
		}
	}
	for _, folder := range g.folders {
		entries, _ := os.ReadDir(folder)
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			if _, known := g.files[path]; !known && entry.Type().IsRegular() && g.setAside(path) {
				changed = append(changed, path)
			}
		}
	}
	for path, was := range g.files {
		if was.stillIn(path) {
			continue
		}
		g.setAside(path)
		if os.MkdirAll(filepath.Dir(path), 0o755) == nil && os.WriteFile(path, was.content, was.mode) == nil {
			changed = append(changed, path)
		}
	}
	return changed
}

func (k kept) stillIn(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != k.mode {
		return false
	}
	now, err := os.ReadFile(path)
	return err == nil && bytes.Equal(now, k.content)
}

// setAside moves a file or folder out of the way.
func (g *guard) setAside(path string) bool {
	dir, err := os.MkdirTemp(g.policy.Temp, "undone-")
	if err != nil {
		return false
	}
	if os.Rename(path, filepath.Join(dir, filepath.Base(path))) == nil {
		return true
	}
	_ = os.Remove(dir)
	return os.RemoveAll(path) == nil // another file system
}
