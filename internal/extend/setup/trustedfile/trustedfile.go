// Package trustedfile reads configuration files: instructions, skills, commands and settings. It
// reads a file only if nobody but the user and the system can have written it. A file of a
// repository must not be a link that leads out of the repository or to a secret file (D-60, D-61).
package trustedfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/protect"
	"agent/internal/text/lines"
)

// Locations holds the folders to search for configuration files. The paths are absolute. Empty ones
// are omitted.
type Locations struct {
	// Config is the folder of the program's configuration.
	Config string
	// Home is the user's home folder.
	Home      string
	Workspace string
	// Plugins are the plugins that the user has added.
	Plugins []Plugin
}

// Plugin holds the paths of a plugin's files: folders, except for hooks and servers, which are
// files.
type Plugin struct {
	Name, Dir                                string
	Skills, Commands, Agents, Hooks, Servers []string
	// Skipped has a line for each path that is outside the plugin and is not used.
	Skipped []string
}

// ReadScope returns the ReadScope that limits the plugin's files to its folder. ${CLAUDE_PLUGIN_ROOT} in
// the files means this folder.
func (p Plugin) ReadScope(home string) ReadScope {
	return ReadScope{Root: p.Dir, Home: home, plugin: p.Dir}
}

// ProjectFolders returns the workspace and, if it differs, the root of its repository. It omits the home
// folder.
func (w Locations) ProjectFolders() []string {
	folders := []string{filepath.Clean(w.Workspace)}
	if root := FoldersAbove(w.Home, w.Workspace)[0]; root != w.Workspace {
		folders = append(folders, root)
	}
	return slices.DeleteFunc(folders, func(folder string) bool { return folder == filepath.Clean(w.Home) })
}

// ReadScope limits the files that Read accepts.
type ReadScope struct {
	// Root is the folder that links must not lead out of. It is empty for the user's own files,
	// whose links may lead anywhere.
	Root string
	// Home is the user's home folder.
	Home string
	// plugin is the folder of a plugin, "" for other files.
	plugin string
}

// Text is the text of a file.
type Text struct {
	// Real is the path of the file with links resolved.
	Real string
	Text string
	// Cut is set if the file is longer than Text.
	Cut bool
}

// Read reads at most limit bytes of a file. For a missing file the error is fs.ErrNotExist. Other
// errors describe the problem with the file.
func (p ReadScope) Read(file string, limit int) (Text, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Text{}, err
	}
	if !info.Mode().IsRegular() { // reading a pipe would never end
		return Text{}, fmt.Errorf("%s is not a regular file", file)
	}
	f, err := os.OpenFile(file, os.O_RDONLY|fsutil.NoWait, 0) // it may have become a pipe
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
	why := foreignReason(filepath.Dir(file), info)
	if why == "" && real != file {
		why = foreignReason(filepath.Dir(real), info)
	}
	if why != "" {
		return Text{}, fmt.Errorf("%s: %s, so others could have written it; copy it, or change its owner and permissions", file, why)
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1)) // one more byte shows whether the file is longer
	if err != nil {
		return Text{}, err
	}
	if p.plugin != "" {
		data = bytes.ReplaceAll(data, []byte("${CLAUDE_PLUGIN_ROOT}"), []byte(filepath.ToSlash(p.plugin)))
	}
	if len(data) <= limit {
		return Text{Real: real, Text: string(data)}, nil
	}
	return Text{real, lines.TrimPartialRune(string(data[:limit])), true}, nil
}

// MaxSettings is the greatest size of a settings file, in bytes.
const MaxSettings = 1 << 20

// ReadSettings returns the content of a settings file without its byte order mark, or nil for a missing
// file. The error begins with the path of the file.
func (p ReadScope) ReadSettings(file string, limit int) ([]byte, error) {
	text, err := p.Read(file, limit)
	switch {
	case IsMissing(err):
		return nil, nil
	case err == nil && text.Cut:
		err = errors.New("it is longer than " + humanize.Bytes(int64(limit)))
	case err == nil:
		return []byte(strings.TrimPrefix(text.Text, "\uFEFF")), nil
	}
	return nil, fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), file+": "))
}

// realPath returns the path of an open file with links resolved. On Linux it makes one system call,
// because resolving paths is the largest cost of reading many small files.
func realPath(f *os.File) (string, error) {
	if runtime.GOOS == "linux" {
		if real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err == nil && filepath.IsAbs(real) {
			return real, nil
		}
	}
	return filepath.EvalSymlinks(f.Name())
}

// holds returns an error for a file that is outside the root, or that may contain keys.
func (p ReadScope) holds(file, real string) error {
	if p.Root == "" {
		return nil
	}
	root := p.Root
	if !fsutil.Within(real, root) { // the root itself may be named by a link
		var err error
		if root, err = filepath.EvalSymlinks(root); err != nil {
			return err
		}
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return &fsutil.LinkError{Path: file, Root: root}
	}
	kept := (protect.ProtectionRules{Home: p.Home}).Read(real, filepath.ToSlash(rel))
	switch {
	case kept.Protection == protect.Unprotected:
	case fsutil.Within(file, root) && filepath.Base(file) == filepath.Base(real):
		return errors.New(kept.Why)
	default:
		return fmt.Errorf("%s leads to %s, and %s; remove the link", file, rel, kept.Why)
	}
	return nil
}

// foreignReason returns the reason why other users can change a file, directly or through its
// folder. It returns "" if they cannot.
func foreignReason(folder string, file fs.FileInfo) string {
	if why := fsutil.OtherWriters(file); why != "" {
		return why
	}
	info, err := os.Stat(folder)
	if err != nil {
		return err.Error()
	}
	if why := fsutil.OtherWriters(info); why != "" {
		return "of its folder, " + why
	}
	return ""
}

// FoldersAbove returns the folders from the root of the repository, or from home, down to the workspace.
// It returns only the workspace if neither is above it, or if other users may write to one of the
// folders. Files of other users must not instruct the model.
func FoldersAbove(home, workspace string) []string {
	dirs := []string{workspace}
	for dir := workspace; !isRoot(dir) && dir != home; {
		parent := filepath.Dir(dir)
		info, err := os.Stat(parent)
		if parent == dir || err != nil || fsutil.OtherWriters(info) != "" {
			return []string{workspace}
		}
		dirs = append([]string{parent}, dirs...)
		dir = parent
	}
	return dirs
}

// RepositoryRoot returns the root of the repository that contains a folder, or the folder itself if
// there is none.
func RepositoryRoot(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if isRoot(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return folder
		}
	}
}

// isRoot reports whether dir is the root of a repository or of a work tree of git.
func isRoot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

// IsMissing reports whether an error means that there is no such file.
func IsMissing(err error) bool {
	var path *fs.PathError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &path) && path.Err.Error() == "not a directory"
}
