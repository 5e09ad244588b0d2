// Package source reads files of a set-up: instructions, skills, commands. A file counts
// only if nobody but its user and the system can have written it, and one of a
// repository only if it stays in the repository and holds no keys (D-60, D-61).
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"agent/internal/disk"
	"agent/internal/protect"
	"agent/internal/text/lines"
	"agent/internal/words"
)

// Where says where a set-up is looked for. All folders are absolute; an empty one is left
// out.
type Where struct {
	// Config is the program's folder of configuration, Home the user's home folder.
	Config, Home string
	Workspace    string
}

// Project are the folders of the project that a workspace is in, the nearer first: the
// workspace, and the root of its repository. The home folder is none.
func (w Where) Project() []string {
	folders := []string{filepath.Clean(w.Workspace)}
	if root := Above(w.Home, w.Workspace)[0]; root != w.Workspace {
		folders = append(folders, root)
	}
	return slices.DeleteFunc(folders, func(folder string) bool { return folder == filepath.Clean(w.Home) })
}

// Place is where files may come from.
type Place struct {
	// Root is the folder that files must not lead out of, empty for the user's own
	// files, which may lead anywhere.
	Root string
	// Home is the user's home folder.
	Home string
}

// Text is what a file holds.
type Text struct {
	// Real is the path of the file after links.
	Real string
	Text string
	// Cut says that the file is longer than what was read of it.
	Cut bool
}

// Read reads at most limit bytes of a file. The error is fs.ErrNotExist where there is
// none; any other says what is wrong with the file, and what to do.
func (p Place) Read(file string, limit int) (Text, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Text{}, err
	}
	if !info.Mode().IsRegular() { // reading a pipe would never end
		return Text{}, fmt.Errorf("%s is no regular file", file)
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return Text{}, err
	}
	defer f.Close()
	real, err := realPath(f)
	if err != nil {
		return Text{}, err
	}
	if err := p.holds(file, real); err != nil {
		return Text{}, err
	}
	why := foreign(filepath.Dir(file), info)
	if why == "" && real != file {
		why = foreign(filepath.Dir(real), info)
	}
	if why != "" {
		return Text{}, fmt.Errorf("%s: %s, so it could be from anybody; copy it, or change its owner and permissions", file, why)
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1)) // one more shows whether there is more
	if err != nil {
		return Text{}, err
	}
	if len(data) <= limit {
		return Text{Real: real, Text: string(data)}, nil
	}
	return Text{real, lines.WholeRunes(string(data[:limit])), true}, nil
}

// MaxSettings is what Settings reads of a file, in bytes.
const MaxSettings = 1 << 20

// Settings reads a file of settings, without its byte order mark: nil where there is none.
// The error begins with the path of the file.
func (p Place) Settings(file string, limit int) ([]byte, error) {
	text, err := p.Read(file, limit)
	switch {
	case Missing(err):
		return nil, nil
	case err == nil && text.Cut:
		err = errors.New("it is longer than " + words.Bytes(int64(limit)))
	case err == nil:
		return []byte(strings.TrimPrefix(text.Text, "\uFEFF")), nil
	}
	return nil, fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), file+": "))
}

// realPath is the path of an open file after links. The system knows it by one call, which
// is what reading many small files costs most.
func realPath(f *os.File) (string, error) {
	if runtime.GOOS == "linux" {
		if real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err == nil && filepath.IsAbs(real) {
			return real, nil
		}
	}
	return filepath.EvalSymlinks(f.Name())
}

// holds refuses a file that leads out of the root, or to a file that may hold keys.
func (p Place) holds(file, real string) error {
	if p.Root == "" {
		return nil
	}
	root := p.Root
	if !disk.Within(real, root) { // the root may be named by a link itself
		var err error
		if root, err = filepath.EvalSymlinks(root); err != nil {
			return err
		}
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s is a link out of %s; remove it or copy what it leads to", file, root)
	}
	if kept := (protect.Places{Home: p.Home}).Read(real, filepath.ToSlash(rel)); kept.Care != protect.Free {
		return fmt.Errorf("%s leads to %s, and %s; remove the link", file, rel, kept.Why)
	}
	return nil
}

// foreign names other users that can change a file, itself or by the folder it is in.
func foreign(folder string, file fs.FileInfo) string {
	if why := disk.Foreign(file); why != "" {
		return why
	}
	info, err := os.Stat(folder)
	if err != nil {
		return err.Error()
	}
	if why := disk.Foreign(info); why != "" {
		return "of its folder, " + why
	}
	return ""
}

// Above lists the folders from the root of the repository, or from home, down to the
// workspace. Where neither is above it, and where the way up leads through a folder that
// somebody else may write to, only the workspace itself counts: what anybody put there
// must not instruct the model.
func Above(home, workspace string) []string {
	dirs := []string{workspace}
	for dir := workspace; !isRoot(dir) && dir != home; {
		parent := filepath.Dir(dir)
		info, err := os.Stat(parent)
		if parent == dir || err != nil || disk.Foreign(info) != "" {
			return []string{workspace}
		}
		dirs = append([]string{parent}, dirs...)
		dir = parent
	}
	return dirs
}

// isRoot reports whether dir is the root of a repository or of one of its worktrees.
func isRoot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

// Missing reports whether an error means that there is no such file.
func Missing(err error) bool {
	var path *fs.PathError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &path) && path.Err.Error() == "not a directory"
}
