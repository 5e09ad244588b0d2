package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
)

// repositories are what the guard knows of the folders of repositories before a command.
type repositories struct {
	// inner are the folders of submodules and linked work trees.
	inner []string
	// execs are the lines by which a rebase that was stopped runs commands when it continues,
	// by the file that holds them.
	execs map[string][]string
}

func (p Policy) repositories() repositories {
	var known repositories
	for _, dir := range p.git {
		known.inner = append(known.inner, innerFolders(dir)...)
	}
	known.execs = map[string][]string{}
	for _, dir := range slices.Concat(p.git, known.inner, p.found) {
		for _, todo := range todosIn(dir) {
			known.execs[todo] = execLines(todo)
		}
	}
	return known
}

// undoInGit moves away what a command has added to the folders of repositories and by
// which git runs programs: in those of submodules and work trees that are new, and in
// what a rebase still has to do. further are repositories that were found elsewhere.
func (g *guard) undoInGit(further []string) []string {
	var paths, todos []string
	all := slices.Concat(g.policy.git, further)
	for _, dir := range g.policy.git {
		for _, inner := range innerFolders(dir) {
			all = append(all, inner)
			if !slices.Contains(g.known.inner, inner) {
				paths = append(paths, foreignIn(inner, dir)...)
			}
		}
	}
	for _, dir := range all {
		for _, todo := range todosIn(dir) {
			if slices.ContainsFunc(execLines(todo), g.isNewIn(todo)) {
				paths, todos = append(paths, todo), append(todos, todo)
			}
		}
	}
	var undone []string
	for _, path := range paths {
		rest := ""
		if slices.Contains(todos, path) {
			rest = withoutExecs(path, g.isNewIn(path))
		}
		where, ok := g.policy.placeOf(path)
		if !ok || !g.setAside(where) {
			continue
		}
		undone = append(undone, path)
		if root, err := os.OpenRoot(where.base); rest != "" && err == nil {
			_ = root.WriteFile(where.rel, []byte(rest), 0o644) // without it the rebase is lost, and safe
			root.Close()
		}
	}
	return undone
}

// isNewIn reports of the lines that run a command in what a rebase has to do which were
// not there before.
func (g *guard) isNewIn(todo string) func(line string) bool {
	return func(line string) bool { return !slices.Contains(g.known.execs[todo], line) }
}

// foreignIn are the files of a new folder for a submodule or work tree of the repository
// dir that git does not make.
func foreignIn(inner, dir string) []string {
	var foreign []string
	for _, name := range runsPrograms {
		path := filepath.Join(inner, name)
		_, err := os.Lstat(path)
		linked := name == "gitdir" || name == "commondir" && real(pathIn(path, "", inner)) == real(dir)
		if err == nil && !madeByGit(path) && (!linked || filepath.Dir(inner) != filepath.Join(dir, "worktrees")) {
			foreign = append(foreign, path)
		}
	}
	return foreign
}

// todosIn are the files in the folder of a repository that say what a rebase still has
// to do.
func todosIn(dir string) []string {
	return []string{filepath.Join(dir, "rebase-merge", "git-rebase-todo"), filepath.Join(dir, "rebase-apply", "git-rebase-todo")}
}

// execLines are the lines of such a file that run a command. What cannot be read, but is
// there, counts as one.
func execLines(todo string) []string {
	if _, err := os.Lstat(todo); err != nil {
		return nil
	}
	content, err := disk.Beginning(todo, guardedBytes)
	if err != nil || len(content) == guardedBytes {
		return []string{"unreadable"}
	}
	var lines []string
	for line := range strings.FieldsFuncSeq(string(content), endsLine) {
		if exec := execLine(line); exec != "" {
			lines = append(lines, exec)
		}
	}
	return lines
}

// withoutExecs is such a file without some of the lines that run a command, empty when it
// is not known.
func withoutExecs(todo string, drop func(line string) bool) string {
	if info, err := os.Lstat(todo); err != nil || !info.Mode().IsRegular() || info.Size() >= guardedBytes {
		return ""
	}
	content, err := disk.Beginning(todo, guardedBytes)
	if err != nil {
		return ""
	}
	var rest strings.Builder
	for line := range strings.FieldsFuncSeq(string(content), endsLine) {
		if exec := execLine(line); exec == "" || !drop(exec) {
			rest.WriteString(line + "\n")
		}
	}
	return rest.String()
}

func endsLine(r rune) bool { return r == '\n' || r == '\r' }

// execLine is a line that runs a command, with single spaces; empty for any other.
func execLine(line string) string {
	if fields := strings.Fields(line); len(fields) > 0 && (fields[0] == "x" || fields[0] == "exec") {
		return strings.Join(fields, " ")
	}
	return ""
}
