package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Surroundings are the place where a command would run, as far as unsureParts
// needs to know it.
type Surroundings struct {
	// Dir is the absolute folder it starts in, free of symlinks.
	Dir string
	// Inside reports whether an absolute path, symlinks followed, lies where the
	// model may look.
	Inside func(path string) bool
}

// unsureParts returns the parts of a command that may do more than look. There are
// none when every part is a program known only to look, with options known to be
// harmless, and every word that could be a path lies inside; such a command can be
// run without asking. What is not known to be harmless is not.
func unsureParts(command ParsedCommand, at Surroundings) []SimpleCommand {
	dirs := []string{at.Dir}
	var unsure []SimpleCommand
	for i, simple := range command.Simple {
		if simple[0].Text != "cd" {
			if !looksOnly(simple, dirs, at) {
				unsure = append(unsure, simple)
			}
			continue
		}
		next, ok := changeDir(simple, dirs, at)
		if !ok {
			return append(unsure, command.Simple[i:]...)
		}
		dirs = append(dirs, next...)
	}
	return unsure
}

// changeDir returns the folders that a cd may lead to from any of dirs. Whether
// it happens at all depends on what ran before, so the caller keeps the old ones
// as well. Symlinks are not followed: the shell and the programs it starts would
// disagree about where ".." leads from there.
func changeDir(simple SimpleCommand, dirs []string, at Surroundings) ([]string, bool) {
	const mostFolders = 8
	if len(simple) != 2 || simple[1].Glob || strings.HasPrefix(simple[1].Text, "-") || 2*len(dirs) > mostFolders {
		return nil, false
	}
	next := make([]string, 0, len(dirs))
	for _, dir := range dirs {
		if !pathInside(simple[1], dir, at) {
			return nil, false
		}
		target := joinDir(dir, simple[1].Text)
		if real, err := filepath.EvalSymlinks(target); err != nil || real != target {
			return nil, false
		}
		next = append(next, target)
	}
	return next, true
}

func looksOnly(simple SimpleCommand, dirs []string, at Surroundings) bool {
	name, args := programName(simple)
	program, known := lookers[name]
	if !known || simple[0].Text == "git" && slices.ContainsFunc(dirs, insideBareRepository) {
		return false
	}
	operands := args
	if !program.anyWords {
		var ok bool
		if operands, ok = program.operands(args); !ok {
			return false
		}
	}
	for _, operand := range operands {
		// The shell looks up what a pattern matches, whatever the program does with it.
		if program.namesOnly && !operand.Glob {
			continue
		}
		if slices.ContainsFunc(dirs, func(dir string) bool { return !pathInside(operand, dir, at) }) {
			return false
		}
	}
	return true
}

// programName gives the key under which a command stands in the table and the
// words after it. Programs that are many in one are told apart by their second
// word.
func programName(simple SimpleCommand) (string, []Word) {
	name, args := simple[0].Text, simple[1:]
	if name == "git" && len(args) > 0 && args[0].Text == "--no-pager" {
		args = args[1:]
	}
	if (name == "git" || name == "go") && len(args) > 0 {
		return name + " " + args[0].Text, args[1:]
	}
	return name, args
}

// insideBareRepository reports whether git would take dir, or a folder above it,
// for a repository by its content alone. Such a folder can be checked in as part of
// the project, with a configuration that makes git run programs.
func insideBareRepository(dir string) bool {
	for {
		head, headErr := os.Stat(filepath.Join(dir, "HEAD"))
		objects, objectsErr := os.Stat(filepath.Join(dir, "objects"))
		if headErr == nil && objectsErr == nil && !head.IsDir() && objects.IsDir() {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}
