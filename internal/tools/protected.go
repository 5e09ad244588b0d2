package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline"
	"agent/internal/cmdline/files"
	"agent/internal/cmdline/programs"
	"agent/internal/protect"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// warnUnwatched completes the preview of an edit or a command in a workspace that contains the home
// folder, so that changes require approval. Some program runs or reads nearly every file of a home
// folder, so no list of protected files could be complete.
func (e *Env) warnUnwatched(p Preview) Preview {
	if protect.ContainsHome(e.Workspace.Root(), e.Protected.Home) {
		p.Unwatched, p.AtHome = "the workspace contains your home folder", !e.Named
	}
	return p
}

// previewRead returns the preview of a call that reads files, with the secret files among them.
// After a user's approval, the call may read these secret files and no others.
func (e *Env) previewRead(tool string, paths []string) Preview {
	var preview Preview
	e.mayReadKeys = nil
	for _, path := range paths {
		abs, err := e.Workspace.ResolveRead(path)
		if err != nil || slices.Contains(e.mayReadKeys, abs) {
			continue // the call itself reports an invalid path
		}
		found := e.Protected.Read(abs, e.Workspace.Rel(abs))
		if found.Protection == protect.Unprotected {
			continue
		}
		preview.Protected = append(preview.Protected, found)
		preview.Paths = append(preview.Paths, found.Path)
		e.mayReadKeys = append(e.mayReadKeys, abs)
	}
	preview.Title = tool + " " + strings.Join(preview.Paths, ", ")
	return preview
}

// mayRead reports whether the model may be shown a file: it is not a secret file, or a user
// approved the read.
func (e *Env) mayRead(abs string) bool {
	if e.Protected.Read(abs, e.Workspace.Rel(abs)).Protection == protect.Unprotected {
		return true
	}
	return slices.ContainsFunc(e.mayReadKeys, func(cleared string) bool { return fsutil.Within(abs, cleared) })
}

// protectedNames returns the protected files that a command line names in any way, also by patterns
// and variables. The sandbox protects the files that a command names in a hidden way. The result
// omits files that the sandbox of this command denies or guards against changes. It includes a
// hidden secret file that the line names literally, since a user may allow it.
func (e *Env) protectedNames(command shell.Command) []protect.File {
	var protected []protect.File
	confined := command.Confined.Guarantees(command.Profile).Files
	denied := func(abs string) bool { // by the settings and rules of the user, or by its owner
		return confined && slices.ContainsFunc(command.Confined.Policy.DenyRead, func(denied string) bool { return fsutil.Within(abs, denied) })
	}
	shown := func(abs string) bool { // by sandbox.allow-read, which names the file
		return confined && slices.ContainsFunc(command.Confined.Policy.AllowRead, func(allowed string) bool { return fsutil.Within(abs, allowed) })
	}
	seen := map[string]bool{}
	plain := e.plainNames(command)
	for i, abs := range append(plain, e.rewritten(command)...) {
		if seen[abs] {
			continue
		}
		seen[abs] = true
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		}
		rel := e.Workspace.Rel(abs)
		found := e.Protected.Read(abs, rel)
		switch edit := e.Protected.EditProtection(abs, rel); {
		case confined && edit.Protection == protect.AlwaysNeedsApproval && found.Protection == protect.Unprotected, denied(abs):
			continue
		case i >= len(plain) && found.Keys && (command.Confined.Hides(abs, command.Profile) || shown(abs)):
			continue
		case edit.Protection == protect.AlwaysNeedsApproval:
			found = edit
		case !confined && protect.InGit(rel) && strings.Contains("/"+rel+"/", "/hooks/"):
			found = protect.File{Path: rel, Name: ".git/hooks", Protection: protect.AlwaysNeedsApproval, Why: "git runs it"}
		}
		covered := func(other protect.File) bool { return fsutil.Within(found.Path, other.Path) }
		if found.Protection != protect.Unprotected && !slices.ContainsFunc(protected, covered) {
			protected = append(protected, found)
		}
		if len(protected) == maxNamed {
			break
		}
	}
	return protected
}

// plainNames returns the absolute paths that the words of a line may name literally, in the folders
// that the line enters. The value of an option may be part of its word, as in -f.env and @.env.
func (e *Env) plainNames(command shell.Command) []string {
	words := cmdline.PossibleFileNames(command.Line, ":")
	var all []string
	for _, folder := range e.entered(command) {
		for _, word := range words {
			if len(word) > 2 && word[0] == '-' && word[1] != '-' {
				word = word[2:]
			}
			all = append(all, e.absolute(folder, strings.TrimPrefix(word, "@")))
		}
	}
	return all
}

// entered returns the folder of a command and the folders that its line changes to, by cd or by an
// option such as -C.
func (e *Env) entered(command shell.Command) []string {
	folders := []string{command.Dir}
	enter := func(name string) {
		for _, folder := range folders {
			for _, to := range e.foldersNamed(folder, name) {
				if len(folders) <= maxFolders && !slices.Contains(folders, to) {
					folders = append(folders, to)
				}
			}
		}
	}
	for _, call := range command.Read().NestedCalls() {
		for i, word := range call[1:] {
			before := call[i]
			switch name, value, _ := strings.Cut(word, "="); {
			case i == 0 && (before == "cd" || before == "pushd"), before == "-C", before == "-D", before == "--chdir", before == "--directory":
				enter(word)
			case name == "--chdir" || name == "--directory" || name == "--git-dir" || name == "--work-tree":
				enter(value)
			case strings.HasPrefix(word, "-C"):
				enter(word[2:])
			}
		}
	}
	return folders
}

// rewritten returns the expansions of the words of a line that contain patterns, quotes or
// variables. Words that name files are absolute paths.
func (e *Env) rewritten(command shell.Command) []string {
	if !strings.ContainsAny(command.Line, "*?[{($\\\"'") {
		return nil
	}
	folders := e.folders(command)
	line := files.Shell{
		Folders: folders, Root: e.Workspace.Root(),
		Values: map[string][]string{"PWD": folders, "HOME": {e.Protected.Home}},
	}
	words, _ := line.PossibleWords(command.Read())
	var all []string
	for _, word := range words {
		for _, folder := range folders {
			if abs := e.absolute(folder, word); word != "" && !slices.Contains(all, abs) {
				all = append(all, abs)
			}
		}
	}
	return all
}

// foundInside returns the programs of an unconfined command that PATH finds in a folder that
// commands may write. Any command may have created them under the name of another program, so no
// rule by name covers them (D-60).
func (e *Env) foundInside(command shell.Command) []protect.File {
	var found []protect.File
	seen := map[string]bool{}
	for _, call := range command.Read().Calls() {
		name := call[0]
		if seen[name] || len(found) == maxNamed {
			continue
		}
		seen[name] = true
		if path := e.Jobs.LookPathInside(name, command.Distrusted...); path != "" {
			rel := e.Workspace.Rel(path)
			found = append(found, protect.File{Path: rel, Name: rel, Protection: protect.NeedsApproval, Why: fmt.Sprintf("the command %s runs it, and commands can write to its folder", name)})
		}
	}
	return found
}

// markWritten marks words of an unconfined line that name files which a confined command may have
// written. It marks only programs and scripts of interpreters, because the line would run them.
func (e *Env) markWritten(command shell.Command, parts []cmdline.Command) {
	dirs := e.folders(command)
	for _, part := range parts {
		interpreted := slices.ContainsFunc(part, func(word cmdline.Word) bool { return interprets(word.Text) }) &&
			!slices.Contains(part, cmdline.Word{Text: "-m"}) // a module, which the rule names; files are its data
		for i := range part {
			for _, name := range cmdline.PossibleFileNames(part[i].Text, ":!") {
				part[i].Written = part[i].Written || len(dirs) > maxFolders || slices.ContainsFunc(dirs, func(dir string) bool {
					return runsWritten(e.absolute(dir, name), interpreted, command.Distrusted)
				})
			}
		}
	}
}

// maxFolders limits the number of folders in which the words of a line are looked up.
const maxFolders = 64

// folders returns the folders that may contain the programs of a line, or in which these may look
// for other programs. The result is complete even if some cd of the line fails. Each folder that a
// word or an option names may be such a folder, as in env -C bin, find bin -execdir and env
// PATH=bin.
func (e *Env) folders(command shell.Command) []string {
	dirs := []string{command.Dir}
	for _, call := range command.Read().Calls() {
		changes := len(call) > 1 && (call[0] == "cd" || call[0] == "pushd")
		for i, word := range call {
			for _, name := range cmdline.PossibleFileNames(word, ":!") {
				for _, dir := range dirs {
					named := e.foldersNamed(dir, name)
					if len(named) == 0 && changes && i == len(call)-1 {
						named = []string{e.absolute(dir, name)}
					}
					for _, to := range named {
						if len(dirs) > maxFolders {
							return dirs
						}
						if !slices.Contains(dirs, to) {
							dirs = append(dirs, to)
						}
					}
				}
			}
		}
	}
	return dirs
}

// foldersNamed returns the folders that a name in dir can mean. The name may be a pattern, or the
// option -C with a name.
func (e *Env) foldersNamed(dir, name string) []string {
	named := existingFolders(e.absolute(dir, name))
	if len(named) == 0 && len(name) > 2 && name[0] == '-' && name[1] != '-' {
		named = existingFolders(e.absolute(dir, name[2:])) // -Cbin
	}
	return named
}

// existingFolders returns the existing folders that a path matches, which may be a pattern.
func existingFolders(pattern string) []string {
	paths, _ := filepath.Glob(pattern)
	if !slices.Contains(paths, pattern) {
		paths = append(paths, pattern)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || !info.IsDir()
	})
}

// absolute returns the absolute form of a path in a command line that runs in dir.
func (e *Env) absolute(dir, path string) string {
	if home, ok := strings.CutPrefix(path, "~/"); ok && e.Protected.Home != "" {
		dir, path = e.Protected.Home, home
	}
	return fsutil.ResolveIn(dir, path)
}

// interprets reports whether a program runs the files that its arguments name.
func interprets(program string) bool {
	return programs.Is(program, programs.RunsFiles|programs.IsShell|programs.IsForeignShell)
}

// runsWritten reports whether a path, which may be a pattern, names a program in one of the
// folders. If scripts is set, it reports whether the path names any file there.
func runsWritten(pattern string, scripts bool, folders []string) bool {
	paths, _ := filepath.Glob(pattern)
	return slices.ContainsFunc(append(paths, pattern), func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular() && (scripts || info.Mode().Perm()&0o111 != 0) && sandbox.IsInside(path, folders)
	})
}

// maxNamed limits the number of protected files of a command line that are shown.
const maxNamed = 5
