package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
	"agent/internal/git/layout"
)

// SystemTemp is the temporary folder that all users of a system share.
const SystemTemp = "/tmp"

// OwnTemp reports whether commands can find a folder of their own as /tmp: where there are
// namespaces, and none of the folders that they may write holds the system's.
func (s *Sandbox) OwnTemp(writable ...string) bool {
	holds := func(folder string) bool { return disk.Within(SystemTemp, folder) }
	return s.backend == Helper && layout.Real(SystemTemp) == SystemTemp && !slices.ContainsFunc(writable, holds)
}

// ShownBelowTemp returns what commands with a /tmp of their own find of the system's: the
// folder there that holds the workspace, with its neighbours, and what the environment names.
func ShownBelowTemp(workspace string, environ []string) []string {
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

// addShown adds a path below /tmp, if there is something and no link leads to it.
func addShown(shown []string, path string) []string {
	below := strings.HasPrefix(path, SystemTemp+"/") && filepath.Clean(path) == path
	if !below || layout.Real(path) != path || slices.ContainsFunc(shown, func(folder string) bool { return disk.Within(path, folder) }) {
		return shown
	}
	return append(shown, path)
}

// HidesTemp reports whether there is something at a path of the system's /tmp that a command
// with one of its own does not find.
func (p Policy) HidesTemp(path string) bool {
	if p.PrivateTemp == "" || !strings.HasPrefix(path, SystemTemp+"/") {
		return false
	}
	_, err := os.Lstat(path)
	return err == nil
}

// withOwnTemp has the command see PrivateTemp as /tmp, where that is possible. A link in its
// place was put there by somebody else, and is not followed.
func (p Policy) withOwnTemp(backend Backend) Policy {
	box := &Sandbox{backend: backend}
	possible := p.Profile != Open && box.OwnTemp(append([]string{p.Workspace}, p.AllowWrite...)...)
	if !possible || p.PrivateTemp == "" || layout.Real(p.PrivateTemp) != p.PrivateTemp {
		p.PrivateTemp = ""
		return p
	}
	if disk.Within(p.dir, p.PrivateTemp) {
		p.dir = SystemTemp + strings.TrimPrefix(p.dir, p.PrivateTemp)
	}
	return p
}

// shownTo returns what a command with a /tmp of its own finds of the system's besides what it
// may write, parents first: what it is started with is among them.
func (p Policy) shownTo(environ, args []string) []string {
	if p.PrivateTemp == "" {
		return nil
	}
	shown := ShownBelowTemp(p.Workspace, environ)
	for _, path := range slices.Concat(args, []string{p.dir}, findGit(p.Workspace).write) {
		if !disk.Within(path, p.PrivateTemp) {
			shown = addShown(shown, path)
		}
	}
	writable := p.writable()
	shown = slices.DeleteFunc(shown, func(path string) bool {
		return slices.ContainsFunc(writable, func(folder string) bool { return disk.Within(path, folder) })
	})
	slices.Sort(shown)
	return slices.Compact(shown)
}

// hiddenBeside leaves out of hidden paths those of the system's /tmp that a command with one
// of its own does not find: it may have made others of these names.
func (p Policy) hiddenBeside(hidden, found []string) []string {
	if p.PrivateTemp == "" {
		return hidden
	}
	return slices.DeleteFunc(slices.Clone(hidden), func(path string) bool {
		return disk.Within(path, SystemTemp) && !slices.ContainsFunc(found, func(folder string) bool {
			return disk.Within(path, folder) || disk.Within(folder, path)
		})
	})
}

// withoutOwnPrograms takes from PATH the folders below /tmp that the system's does not have: a
// command could make one in its own, and put programs there for the next.
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
			return disk.Within(filepath.Clean(dir), SystemTemp) && !slices.ContainsFunc(found, func(folder string) bool { return disk.Within(filepath.Clean(dir), folder) })
		})
		environ[i] = "PATH=" + strings.Join(folders, string(os.PathListSeparator))
	}
	return environ
}
