package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline"
	"agent/internal/gitfiles/layout"
)

// IsRunByGit reports whether git runs or reads a file because its configuration names it. It may be in
// a folder of hooks, a file to include, or a file in a command. It reads the configuration of the
// repositories above the file and the user's configurations. The path must be absolute and without
// links.
func IsRunByGit(path string, configurations []string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			for _, named := range gitNames(dir, configurations) {
				if real := layout.Real(named); fsutil.Within(path, named) || real != "" && fsutil.Within(path, real) {
					return true
				}
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// maxIncluded limits the files that are read for one configuration.
const maxIncluded = 20

// gitNames returns the files and folders that a configuration makes git run or read. It reads the
// configuration of the repository at workTree and the given configurations. A word of a command is
// included if the file exists or the word contains a slash.
func gitNames(workTree string, configurations []string) []string {
	var names []string
	files := append(configurationsOf(workTree), configurations...)
	for read := 0; read < len(files) && read < maxIncluded; read++ {
		content, err := fsutil.ReadBeginning(files[read], guardedBytes)
		if err != nil {
			continue
		}
		for _, set := range gitSettings(string(content)) {
			switch {
			case set.key == "init.templatedir": // git init and git clone copy its hooks
				names = append(names, filepath.Join(gitPath(set.value, workTree), "hooks"), filepath.Join(gitPath(set.value, workTree), "config"))
			case set.key == "core.hookspath":
				names = append(names, hooksIn(gitPath(set.value, workTree), workTree)...)
			case set.key == "include.path" || set.key == "includeif.path":
				file := gitPath(set.value, filepath.Dir(files[read]))
				names = append(names, file)
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
			case !isData(set.key):
				names = append(names, filesIn(set.value, workTree)...)
			}
		}
	}
	return names
}

func configurationsOf(workTree string) []string {
	dotGit := filepath.Join(workTree, ".git")
	dirs := []string{cmp.Or(layout.GitDir(workTree), dotGit)}
	if common := layout.CommonDirOf(dirs[0]); common != "" {
		dirs = append(dirs, common)
	}
	var files []string
	for _, dir := range dirs {
		files = append(files, filepath.Join(dir, "config"), filepath.Join(dir, "config.worktree"))
	}
	return files
}

var gitHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive",
	"post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit", "post-index-change",
}

// hooksIn returns the folder of hooks. If that folder contains the work tree, it returns the
// possible hooks in it instead, because the work tree as a whole cannot be protected.
func hooksIn(folder, workTree string) []string {
	if !fsutil.Within(workTree, folder) {
		return []string{folder}
	}
	var hooks []string
	for _, name := range gitHooks {
		hooks = append(hooks, filepath.Join(folder, name))
	}
	return hooks
}

// isData reports whether git neither runs the value of a key nor reads the name of a program from
// it.
func isData(key string) bool {
	switch key {
	case "core.worktree", "core.excludesfile", "core.attributesfile", "commit.template", "blame.ignorerevsfile", "mailmap.file", "diff.orderfile":
		return true
	}
	section, name := key[:strings.Index(key, ".")], key[strings.LastIndex(key, ".")+1:]
	return slices.Contains([]string{"user", "author", "committer", "url", "init", "color", "column", "advice", "branch"}, section) ||
		section == "remote" && slices.Contains([]string{"url", "pushurl", "fetch", "push"}, name) || key == "submodule.url"
}

// filesIn returns the files that a command names, with relative names resolved in the work tree.
func filesIn(command, workTree string) []string {
	var files []string
	for _, word := range cmdline.PossibleFileNames(command, "!") {
		path := gitPath(word, workTree)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() || err != nil && strings.Contains(word, "/") && !strings.Contains(word, "://") {
			files = append(files, path)
		}
	}
	return files
}

// gitPath returns the absolute path for a path in a configuration, which may be relative to dir.
func gitPath(path, dir string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, below)
		}
	}
	return fsutil.ResolveIn(dir, path)
}

// gitSetting is a line of a configuration. The key consists of the section and the name in lower
// case, without the subsection, as in filter.clean.
type gitSetting struct{ key, value string }

// gitSettings parses a configuration. It is more lenient than git.
func gitSettings(content string) []gitSetting {
	var settings []gitSetting
	section := ""
	content = strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(content)
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if header, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.TrimLeft(header, "[ \t"))
			if end := strings.IndexAny(section, " \t\"."); end >= 0 {
				section = section[:end]
			}
			line = strings.TrimSpace(rest)
			// A quoted subsection may contain a bracket, so this bracket does not end the header.
			if _, behind, quoted := strings.Cut(rest, "\"]"); quoted {
				line = strings.TrimSpace(behind)
			}
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || section == "" || strings.HasPrefix(name, "#") || strings.HasPrefix(name, ";") {
			continue
		}
		settings = append(settings, gitSetting{section + "." + name, gitValue(value)})
	}
	return settings
}

// gitValue returns a value as git reads it: without quotes, escapes and a trailing comment.
func gitValue(text string) string {
	var value strings.Builder
	quoted, escaped := false, false
	for _, r := range strings.TrimSpace(text) {
		switch {
		case escaped:
			escaped = false
			value.WriteRune(r)
		case r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case !quoted && (r == '#' || r == ';'):
			return strings.TrimSpace(value.String())
		default:
			value.WriteRune(r)
		}
	}
	return value.String()
}
