package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// gitFolders are the folders of a repository outside its work tree that git has to
// write, and what in them makes git run programs.
type gitFolders struct {
	write, protect []string
}

// runsPrograms are names in a repository's folder by which git can be made to run
// programs, or to read its configuration elsewhere.
var runsPrograms = []string{"hooks", "config", "config.worktree", "info", "commondir", "gitdir"}

// findGit finds the repository's folder of a work tree: .git inside it, or, for a
// linked work tree or a submodule, the folder that its file .git names. That one is
// only believed when it names the work tree in turn, since the file could come from
// anybody.
func findGit(workspace string) gitFolders {
	var folders gitFolders
	dotGit := filepath.Join(workspace, ".git")
	info, err := os.Lstat(dotGit)
	if err != nil {
		// A repository that a command makes is none that it may fill with hooks.
		folders.addProtected(dotGit)
		return folders
	}
	if info.IsDir() {
		folders.add(dotGit)
		return folders
	}
	folders.protect = append(folders.protect, dotGit)
	dir := real(pathIn(dotGit, "gitdir: ", workspace))
	if dir == "" {
		return folders
	}
	switch common := real(pathIn(filepath.Join(dir, "commondir"), "", dir)); {
	case common != "" && real(pathIn(filepath.Join(dir, "gitdir"), "", dir)) == real(dotGit):
		folders.add(common)
		folders.add(dir)
	case common == "" && workTree(dir) == workspace:
		folders.add(dir)
	}
	return folders
}

func (f *gitFolders) add(dir string) {
	f.write = append(f.write, dir)
	f.addProtected(dir)
	modules, _ := filepath.Glob(filepath.Join(dir, "modules", "*"))
	for _, module := range modules {
		f.addProtected(module)
	}
}

func (f *gitFolders) addProtected(dir string) {
	for _, name := range runsPrograms {
		f.protect = append(f.protect, filepath.Join(dir, name))
	}
}

// pathIn is the path that a file holds behind prefix, relative to dir.
func pathIn(file, prefix, dir string) string {
	content, err := os.ReadFile(file)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(content)), strings.TrimSpace(prefix))
	path = strings.TrimSpace(path)
	if err != nil || !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return path
}

var workTreeLine = regexp.MustCompile(`(?m)^\s*worktree\s*=\s*(\S+)\s*$`)

// workTree is the work tree that a repository's configuration names.
func workTree(dir string) string {
	content, err := os.ReadFile(filepath.Join(dir, "config"))
	match := workTreeLine.FindSubmatch(content)
	if err != nil || match == nil {
		return ""
	}
	path := string(match[1])
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return real(path)
}

// ownLine matches the lines of a configuration that git writes for a repository it
// makes or clones; none of them names a program.
var ownLine = regexp.MustCompile(`(?i)^\s*(\[(core|init|user|remote "[^"]*"|branch "[^"]*")\]|(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|name|email|url|fetch|remote|merge|defaultbranch)\s*=.*|[#;].*)?$`)

// madeByGit reports whether a path that is protected and was not there is only what
// git itself puts into a repository it makes.
func madeByGit(path string) bool {
	if filepath.Base(filepath.Dir(path)) != ".git" {
		return false
	}
	switch filepath.Base(path) {
	case "info":
		return true // names programs only together with the configuration
	case "hooks":
		entries, err := os.ReadDir(path)
		return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasSuffix(e.Name(), sample) })
	case "config":
		content, err := os.ReadFile(path)
		lines := strings.Split(string(content), "\n")
		return err == nil && !strings.Contains(string(content), "::") &&
			!slices.ContainsFunc(lines, func(line string) bool { return !ownLine.MatchString(line) || strings.HasSuffix(line, `\`) })
	}
	return false
}
