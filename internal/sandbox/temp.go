package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
)

// SystemTemp is the temporary folder that all users of a system share.
const SystemTemp = "/tmp"

// HasOwnTemp reports whether commands can get a private /tmp. This needs namespaces, and none of the
// writable folders may contain the system's /tmp.
func (s *Sandbox) HasOwnTemp(writable ...string) bool {
	holds := func(folder string) bool { return fsutil.Within(SystemTemp, folder) }
	return s.backend == Namespaces && layout.Real(SystemTemp) == SystemTemp && !slices.ContainsFunc(writable, holds)
}

// VisibleTempPaths returns the paths of the system's /tmp that commands with a private /tmp still
// see. These are the folder directly below /tmp that contains the workspace, and paths that the
// environment names.
func VisibleTempPaths(workspace string, environ []string) []string {
	var shown []string
	if rest, ok := strings.CutPrefix(workspace, SystemTemp+"/"); ok {
		top, _, _ := strings.Cut(rest, "/")
		shown = append(shown, filepath.Join(SystemTemp, top))
	}
	for _, variable := range environ {
		_, value, _ := strings.Cut(variable, "=")
		for _, path := range filepath.SplitList(value) {
			shown = addShown(shown, path)
		}
	}
	return shown
}

// addShown adds a path below /tmp to shown if it exists and contains no link.
func addShown(shown []string, path string) []string {
	below := strings.HasPrefix(path, SystemTemp+"/") && filepath.Clean(path) == path
	if !below || layout.Real(path) != path || slices.ContainsFunc(shown, func(folder string) bool { return fsutil.Within(path, folder) }) {
		return shown
	}
	return append(shown, path)
}

// HidesTemp reports whether a path exists in the system's /tmp but is hidden from the command,
// because the command has a private /tmp.
func (p Policy) HidesTemp(path string) bool {
	if p.PrivateTemp == "" || !strings.HasPrefix(path, SystemTemp+"/") {
		return false
	}
	_, err := os.Lstat(path)
	return err == nil
}

// withOwnTemp returns the policy without PrivateTemp if the command cannot have a private /tmp.
// Otherwise it returns the policy with the path of dir inside the sandbox. A link at PrivateTemp
// was created by another program and is not followed.
func (p Policy) withOwnTemp(backend Backend) Policy {
	box := &Sandbox{backend: backend}
	possible := p.Profile != ProfileUnconfined && box.HasOwnTemp(append([]string{p.Workspace}, p.AllowWrite...)...)
	if !possible || p.PrivateTemp == "" || layout.Real(p.PrivateTemp) != p.PrivateTemp {
		p.PrivateTemp = ""
		return p
	}
	if fsutil.Within(p.dir, p.PrivateTemp) {
		p.dir, p.dirInTemp = SystemTemp+strings.TrimPrefix(p.dir, p.PrivateTemp), true
	}
	return p
}

// shownTo returns the read-only paths of the system's /tmp that a command with a private /tmp sees,
// parents first. They include paths that the arguments, the environment and git need.
func (p Policy) shownTo(environ, args []string) []string {
	if p.PrivateTemp == "" {
		return nil
	}
	shown := VisibleTempPaths(p.Workspace, environ)
	for _, path := range slices.Concat(args, []string{p.dir}, findGit(p.Workspace).write) {
		if !fsutil.Within(path, p.PrivateTemp) {
			shown = addShown(shown, path)
		}
	}
	writable := p.writable()
	shown = slices.DeleteFunc(shown, func(path string) bool {
		return p.dirInTemp && path == p.dir || slices.ContainsFunc(writable, func(folder string) bool { return fsutil.Within(path, folder) })
	})
	slices.Sort(shown)
	return slices.Compact(shown)
}

// withoutHiddenTemp removes paths of the system's /tmp from hidden if the command has a private
// /tmp and does not see them. In its private /tmp, the command may have created files of the same
// names.
func (p Policy) withoutHiddenTemp(hidden, found []string) []string {
	if p.PrivateTemp == "" {
		return hidden
	}
	return slices.DeleteFunc(slices.Clone(hidden), func(path string) bool {
		return fsutil.Within(path, SystemTemp) && !slices.ContainsFunc(found, func(folder string) bool {
			return fsutil.Within(path, folder) || fsutil.Within(folder, path)
		})
	})
}

// withoutOwnPrograms removes from PATH the folders below /tmp that are not shown to the command.
// Otherwise a command could create such a folder in its private /tmp and put programs for the next
// command there.
func (p Policy) withoutOwnPrograms(environ, found []string) []string {
	if p.PrivateTemp == "" {
		return environ
	}
	environ = slices.Clone(environ)
	for i, variable := range environ {
		path, ok := strings.CutPrefix(variable, "PATH=")
		if !ok {
			continue
		}
		folders := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
			return fsutil.Within(filepath.Clean(dir), SystemTemp) && !slices.ContainsFunc(found, func(folder string) bool { return fsutil.Within(filepath.Clean(dir), folder) })
		})
		environ[i] = "PATH=" + strings.Join(folders, string(os.PathListSeparator))
	}
	return environ
}
