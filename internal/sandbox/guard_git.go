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
	var paths []string
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
			if slices.ContainsFunc(execLines(todo), func(line string) bool { return !slices.Contains(g.known.execs[todo], line) }) {
				paths = append(paths, todo)
			}
		}
	}
	var undone []string
	for _, path := range paths {
		if where, ok := g.policy.placeOf(path); ok && g.setAside(where) {
			undone = append(undone, path)
		}
	}
	return undone
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
	for line := range strings.FieldsFuncSeq(string(content), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if fields := strings.Fields(line); len(fields) > 0 && (fields[0] == "x" || fields[0] == "exec") {
			lines = append(lines, strings.Join(fields, " "))
		}
	}
	return lines
}
