package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
)

// repositories is the state of the git folders before a command.
type repositories struct {
	// inner lists the git folders of submodules and linked work trees.
	inner []string
	// execs maps the todo file of a stopped rebase to the lines that will run commands when the
	// rebase continues.
	execs map[string][]string
}

func (p Policy) repositories() repositories {
	var known repositories
	for _, dir := range p.git {
		known.inner = append(known.inner, innerFolders(dir)...)
	}
	known.execs = map[string][]string{}
	for _, dir := range slices.Concat(p.git, known.inner, p.innerRepositories) {
		for _, todo := range todosIn(dir) {
			known.execs[todo], _ = readTodo(todo, func(string) bool { return false })
		}
	}
	return known
}

// undoInGit moves away files that a command added to git folders and that make git run programs.
// These are files in new folders of submodules and work trees, and todo files of a rebase with new
// exec lines. further lists the repositories that the survey found.
func (g *guard) undoInGit(further []string) []string {
	var undone []string
	undo := func(path, rest string) {
		where, ok := g.policy.placeOf(path)
		if !ok || !g.setAside(where) {
			return
		}
		undone = append(undone, path)
		if root, err := os.OpenRoot(where.base); rest != "" && err == nil {
			_ = root.WriteFile(where.rel, []byte(rest), 0o644) // on failure, nothing runs
			root.Close()
		}
	}
	all := slices.Concat(g.policy.git, further)
	for _, dir := range g.policy.git {
		for _, inner := range innerFolders(dir) {
			all = append(all, inner)
			if slices.Contains(g.known.inner, inner) {
				continue
			}
			for _, path := range foreignIn(inner, dir) {
				undo(path, "")
			}
		}
	}
	for _, dir := range all {
		for _, todo := range todosIn(dir) {
			isNew := func(line string) bool { return !slices.Contains(g.known.execs[todo], line) }
			if execs, without := readTodo(todo, isNew); slices.ContainsFunc(execs, isNew) {
				undo(todo, without)
			}
		}
	}
	return undone
}

// foreignIn returns the files in inner that git does not create. inner is a new git folder of a
// submodule or linked work tree, inside the git folder dir.
func foreignIn(inner, dir string) []string {
	var foreign []string
	for _, name := range runsPrograms {
		path := filepath.Join(inner, name)
		_, err := os.Lstat(path)
		linked := name == "gitdir" || name == "commondir" && layout.Real(layout.CommonDirOf(inner)) == layout.Real(dir)
		if err == nil && !madeByGit(path) && (!linked || filepath.Dir(inner) != filepath.Join(dir, "worktrees")) {
			foreign = append(foreign, path)
		}
	}
	return foreign
}

// todosIn returns the possible todo files of a stopped rebase in a git folder.
func todosIn(dir string) []string {
	return []string{filepath.Join(dir, "rebase-merge", "git-rebase-todo"), filepath.Join(dir, "rebase-apply", "git-rebase-todo")}
}

// readTodo reads a todo file. execs are the lines that run a command, with single spaces. without
// is the file without the lines that drop selects. A file that cannot be read counts as one line
// that runs a command.
func readTodo(todo string, drop func(line string) bool) (execs []string, without string) {
	info, err := os.Lstat(todo)
	if err != nil {
		return nil, ""
	}
	content, err := fsutil.ReadBeginning(todo, guardedBytes)
	if err != nil || len(content) == guardedBytes || !info.Mode().IsRegular() {
		return []string{"unreadable"}, ""
	}
	var rest strings.Builder
	for line := range strings.FieldsFuncSeq(string(content), func(r rune) bool { return r == '\n' || r == '\r' }) {
		words := strings.Fields(line)
		if len(words) > 0 && (words[0] == "x" || words[0] == "exec") {
			exec := strings.Join(words, " ")
			execs = append(execs, exec)
			if drop(exec) {
				continue
			}
		}
		rest.WriteString(line + "\n")
	}
	return execs, rest.String()
}
