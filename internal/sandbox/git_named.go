package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
	"agent/internal/git/layout"
)

// GitRuns reports whether git runs a file, or obeys it, because the configuration of a
// repository above it, or one of the user's configurations, names it: as a folder of
// hooks, as a file to include, or in a command. The path is absolute, without links.
func GitRuns(path string, configurations []string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			for _, named := range gitNames(dir, configurations) {
				if real := layout.Real(named); disk.Within(path, named) || real != "" && disk.Within(path, real) {
					return true
				}
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// maxIncluded bounds how many files one configuration may be made of.
const maxIncluded = 20

// gitNames returns the files and folders that the configuration of the repository of a
// work tree names and by which git runs something. Those that a word with a slash in it
// names need not be there yet.
func gitNames(workTree string, configurations []string) []string {
	var names []string
	files := append(configurationsOf(workTree), configurations...)
	for read := 0; read < len(files) && read < maxIncluded; read++ {
		content, err := disk.Beginning(files[read], guardedBytes)
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

// configurationsOf are the files in which a repository keeps its configuration.
func configurationsOf(workTree string) []string {
	dotGit := filepath.Join(workTree, ".git")
	dirs := []string{cmp.Or(layout.Folder(workTree), dotGit)}
	if common := layout.Shared(dirs[0]); common != "" {
		dirs = append(dirs, common)
	}
	var files []string
	for _, dir := range dirs {
		files = append(files, filepath.Join(dir, "config"), filepath.Join(dir, "config.worktree"))
	}
	return files
}

// gitHooks are the names by which git finds hooks.
var gitHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive",
	"post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit", "post-index-change",
}

// hooksIn is a folder of hooks; of one that holds the work tree only the hooks, since
// all of it cannot stay as it is.
func hooksIn(folder, workTree string) []string {
	if !disk.Within(workTree, folder) {
		return []string{folder}
	}
	var hooks []string
	for _, name := range gitHooks {
		hooks = append(hooks, filepath.Join(folder, name))
	}
	return hooks
}

// isData reports whether the value of a key is never run, nor says what is.
func isData(key string) bool {
	switch key {
	case "core.worktree", "core.excludesfile", "core.attributesfile", "commit.template", "blame.ignorerevsfile", "mailmap.file", "diff.orderfile":
		return true
	}
	section, name := key[:strings.Index(key, ".")], key[strings.LastIndex(key, ".")+1:]
	return slices.Contains([]string{"user", "author", "committer", "url", "init", "color", "column", "advice", "branch"}, section) ||
		section == "remote" && slices.Contains([]string{"url", "pushurl", "fetch", "push"}, name) || key == "submodule.url"
}

// notInWords are the characters at which a command of the configuration is taken apart
// to find the files it names.
const notInWords = " \t\n\"'`<>|&;(){}$=!,"

// filesIn are the files that a command names, run in a work tree.
func filesIn(command, workTree string) []string {
	var files []string
	for _, word := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(notInWords, r) }) {
		path := gitPath(word, workTree)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() || err != nil && strings.Contains(word, "/") && !strings.Contains(word, "://") {
			files = append(files, path)
		}
	}
	return files
}

// gitPath is a path of a configuration, relative to dir.
func gitPath(path, dir string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, below)
		}
	}
	return disk.At(dir, path)
}

// gitSetting is a line of a configuration. The key is the section and the name, in lower
// case and without the subsection: filter.clean.
type gitSetting struct{ key, value string }

// gitSettings reads a configuration, more leniently than git does.
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
			// A subsection may hold a bracket: what is behind it is then no name.
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

// gitValue is a value as git reads it: without quotes, escapes, and the comment behind it.
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
