package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/lazyregexp"
	"agent/internal/gitfiles/layout"
)

// gitFolders lists the folders outside of a work tree that git must write, and the files in these
// folders that can make git run programs.
type gitFolders struct {
	write, protect []string
}

// runsPrograms lists names in a git folder that can make git run programs, or read its
// configuration from elsewhere.
var runsPrograms = []string{"hooks", "config", "config.worktree", "info", "commondir", "gitdir"}

// findGit finds the git folder of a work tree. It is .git inside the work tree, or the folder that
// the file .git of a linked work tree or submodule names. Any program could have written that file,
// so findGit accepts the folder only if it names the work tree in turn.
func findGit(workspace string) gitFolders {
	var folders gitFolders
	dotGit := filepath.Join(workspace, ".git")
	info, err := os.Lstat(dotGit)
	if err != nil {
		// A command may create the repository, but must not add hooks to it or redirect .git.
		folders.addProtected(dotGit)
		folders.protect = append(folders.protect, dotGit)
		return folders
	}
	if info.IsDir() {
		folders.add(dotGit)
		return folders
	}
	folders.protect = append(folders.protect, dotGit)
	dir := layout.Real(layout.ReadPath(dotGit, "gitdir:", workspace))
	if dir == "" {
		return folders
	}
	switch common := layout.Real(layout.CommonDirOf(dir)); {
	case common != "" && layout.Real(layout.ReadPath(filepath.Join(dir, "gitdir"), "", dir)) == layout.Real(dotGit):
		folders.add(common)
		folders.add(dir)
	case common == "" && layout.Real(layout.WorkTree(dir)) == workspace:
		folders.add(dir)
	}
	return folders
}

func (f *gitFolders) add(dir string) {
	f.write = append(f.write, dir)
	f.addProtected(dir)
	for _, inner := range innerFolders(dir) {
		f.addProtected(inner)
	}
}

// innerFolders returns the git folders of submodules and linked work trees inside the git folder
// dir.
func innerFolders(dir string) []string {
	var found []string
	modules := filepath.Join(dir, "modules")
	_ = filepath.WalkDir(modules, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return nil
		case missing(path, "HEAD"):
			if filepath.Base(filepath.Dir(path)) == "objects" && isOfObjects(entry.Name()) {
				return fs.SkipDir // such a folder may contain very many entries
			}
			return nil
		}
		found = append(found, path)
		return nil
	})
	linked, _ := filepath.Glob(filepath.Join(dir, "worktrees", "*"))
	return append(found, linked...)
}

// isOfObjects reports whether a folder with this name contains git objects.
func isOfObjects(name string) bool { return len(name) == 2 || name == "pack" || name == "info" }

func (f *gitFolders) addProtected(dir string) {
	for _, name := range runsPrograms {
		f.protect = append(f.protect, filepath.Join(dir, name))
	}
}

// ownLine matches the configuration lines that git writes when it creates or clones a repository.
// They name no programs.
var ownLine = lazyregexp.New(`(?i)^\s*(\[(core|init|user|remote "[^"]*"|branch "[^"]*"|submodule "[^"]*")\]|(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|name|email|url|fetch|remote|merge|defaultbranch|active)\s*=.*|worktree = (\.\./)+[\w./-]+|[#;].*)?$`)

// madeByGit reports whether a protected path that did not exist before has the form that git
// creates. The path may be part of a new repository, or a file .git that names one.
func madeByGit(path string) bool {
	switch filepath.Base(path) {
	case "info":
		return true // it can name programs only together with the configuration
	case "hooks":
		entries, err := os.ReadDir(path)
		return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasSuffix(e.Name(), sample) })
	case "config":
		content, err := fsutil.Read(path)
		lines := strings.Split(string(content), "\n")
		return err == nil && !strings.Contains(string(content), "::") &&
			!slices.ContainsFunc(lines, func(line string) bool { return !ownLine.MatchString(line) || strings.HasSuffix(line, `\`) })
	case ".git":
		info, err := os.Lstat(path)
		return err == nil && info.IsDir() || leadsHome(path) // the content of the folder is checked separately
	}
	return false
}

// leadsHome reports whether a file .git has the content that git itself writes. It must name the
// git folder of a submodule or linked work tree inside the repository of a parent folder.
func leadsHome(path string) bool {
	parent := filepath.Dir(path)
	dir := layout.Real(layout.ReadPath(path, "gitdir:", parent))
	for above := filepath.Dir(parent); dir != ""; above = filepath.Dir(above) {
		home := filepath.Join(above, ".git")
		switch {
		case fsutil.Within(dir, filepath.Join(home, "modules")):
			return madeByGit(filepath.Join(dir, "config")) && madeByGit(filepath.Join(dir, "hooks")) && missing(dir, "commondir", "config.worktree")
		case fsutil.Within(dir, filepath.Join(home, "worktrees")):
			return layout.Real(layout.CommonDirOf(dir)) == home && missing(dir, "config.worktree")
		case above == filepath.Dir(above):
			return false
		}
	}
	return false
}

// missing reports whether a folder contains none of the names.
func missing(dir string, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}
