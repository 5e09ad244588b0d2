package cmdline

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
)

// Place is where a command would run: its start folder, which paths are inside the
// workspace, and what programs and repositories there are.
type Place struct {
	// Dir is the absolute folder it starts in, free of symlinks.
	Dir string
	// OnDisk returns where an absolute path, as the command sees it, is on disk. Nil: there.
	OnDisk func(path string) string
	// Inside reports whether an absolute path, symlinks followed, is one that the
	// model may read.
	Inside func(path string) bool
	// Program reports whether the program of that name is one of the system, and not
	// one of the workspace. Nil: all are.
	Program func(name string) bool
	// Repository reports whether git, run in a folder, runs nothing that the
	// repository names. Nil: in all folders.
	Repository func(dir string) bool
	// Searchable reports whether a program may read every file there is in the folders,
	// because none holds keys or the sandbox hides those that do. Nil: it may.
	Searchable func() bool

	// Outside is set when the command leaves the sandbox, which else hides files with
	// keys. Then only what reads no files is known to be harmless.
	Outside bool

	// lookups is how many names may still be looked at for patterns.
	lookups *int
}

// maxWords bounds the words of a line that is looked into, each of which is looked
// up on disk.
const maxWords = 256

// Unproven returns the commands that are not known to be read-only. There are none
// when every command is a program that only reads, with options known to be
// harmless, and every word that could be a path is inside; such a line can run
// without asking.
func (l Line) Unproven(at Place) []Command {
	words := 0
	for _, command := range l.Commands {
		words += len(command)
	}
	if words > maxWords {
		return l.Commands
	}
	lookups := maxLookups
	at.lookups = &lookups
	at.Repository = once(at.Repository)
	if at.OnDisk == nil {
		at.OnDisk = func(path string) string { return path }
	}
	dirs := []string{at.Dir}
	var unproven []Command
	for i, command := range l.Commands {
		if command[0].Text != "cd" {
			if !command.isReadOnly(dirs, at) {
				unproven = append(unproven, command)
			}
			continue
		}
		next, ok := command.changeDir(dirs, at)
		if !ok {
			return append(unproven, l.Commands[i:]...)
		}
		dirs = append(dirs, next...)
	}
	return unproven
}

// once asks about every folder once: to find out means to run git.
func once(repository func(string) bool) func(string) bool {
	if repository == nil {
		return nil
	}
	answers := map[string]bool{}
	return func(dir string) bool {
		answer, known := answers[dir]
		if !known {
			answer = repository(dir)
			answers[dir] = answer
		}
		return answer
	}
}

// changeDir returns the folders that a cd may lead to from any of dirs. Whether
// it happens at all depends on what ran before, so the caller keeps the old ones
// as well. Symlinks are not followed: the shell and the programs it starts would
// disagree about where ".." leads from there.
func (c Command) changeDir(dirs []string, at Place) ([]string, bool) {
	const maxFolders = 8
	if len(c) != 2 || c[1].Glob || strings.HasPrefix(c[1].Text, "-") || 2*len(dirs) > maxFolders {
		return nil, false
	}
	next := make([]string, 0, len(dirs))
	for _, dir := range dirs {
		if !pathInside(c[1], dir, at) {
			return nil, false
		}
		target := disk.At(dir, c[1].Text)
		place := at.OnDisk(target)
		if real, err := filepath.EvalSymlinks(place); err != nil || real != place {
			return nil, false
		}
		next = append(next, target)
	}
	return next, true
}

// isReadOnly reports whether the command is known to change nothing, and to read
// only what is inside, from whichever of dirs it runs in.
func (c Command) isReadOnly(dirs []string, at Place) bool {
	name, args := c.programName()
	program, known := readOnlyPrograms()[name]
	if !known || !slices.Contains(builtins, c[0].Text) && at.Program != nil && !at.Program(c[0].Text) {
		return false
	}
	if at.Outside && !program.anyWords && !program.namesOnly && !c.readsPipe() {
		return false
	}
	if c[0].Text == "git" && slices.ContainsFunc(dirs, func(dir string) bool {
		return InBareRepository(at.OnDisk(dir)) || at.Repository != nil && !at.Repository(at.OnDisk(dir))
	}) {
		return false
	}
	if readsFolders(c[0].Text, args) && at.Searchable != nil && !at.Searchable() {
		return false
	}
	operands := args
	if !program.anyWords {
		var ok bool
		if operands, ok = program.operands(args); !ok {
			return false
		}
	}
	// The first "--" is no operand, but a file of that name where an option takes it for
	// its value.
	if !program.anyWords && !program.namesOnly && slices.ContainsFunc(args, isDashes) &&
		slices.ContainsFunc(dirs, func(dir string) bool { return !pathInside(Word{Text: "--"}, dir, at) }) {
		return false
	}
	for i, operand := range operands {
		if i == 0 && program.script && !operand.Glob {
			continue
		}
		// The shell looks up what a pattern matches, whatever the program does with it.
		if program.namesOnly && !operand.Glob {
			continue
		}
		if slices.ContainsFunc(dirs, func(dir string) bool {
			return !pathInside(operand, dir, at) || program.filesOnly && !isFile(operand, dir, at)
		}) {
			return false
		}
		if c[0].Text == "git" && slices.ContainsFunc(dirs, func(dir string) bool { return !revisionInside(operand, dir, at) }) {
			return false
		}
	}
	return true
}

func isDashes(word Word) bool { return word.Text == "--" }

// revisionInside is pathInside for what follows a colon, as in HEAD:sub/file.
func revisionInside(word Word, dir string, at Place) bool {
	_, file, ok := strings.Cut(word.Text, ":")
	for ; ok; _, file, ok = strings.Cut(file, ":") {
		if !pathInside(Word{Text: file}, dir, at) {
			return false
		}
	}
	return true
}

// readsFolders reports whether a program reads whatever files a folder holds.
func readsFolders(name string, args []Word) bool {
	switch name {
	case "rg":
		return true
	case "grep", "egrep", "fgrep":
		return slices.ContainsFunc(args, func(arg Word) bool {
			long := strings.HasPrefix(arg.Text, "--")
			return long && strings.HasPrefix("--recursive", arg.Text) || !long && strings.HasPrefix(arg.Text, "-") && strings.ContainsAny(arg.Text, "rR")
		})
	}
	return false
}

// readsPipe reports whether a command reads nothing but what is piped into it, as in
// npm test | tail -n 20: it is one that reads no files but those it names, and names none.
func (c Command) readsPipe() bool {
	if !slices.Contains([]string{"head", "tail", "wc", "sort", "uniq"}, c[0].Text) {
		return false
	}
	before := ""
	for _, arg := range c[1:] {
		lines := (before == "-n" || before == "-c") && (c[0].Text == "head" || c[0].Text == "tail") && amount.MatchString(arg.Text)
		if !lines && (!strings.HasPrefix(arg.Text, "-") || arg.Text == "--") {
			return false
		}
		before = arg.Text
	}
	return true
}

// builtins are the read-only programs that are part of the shell.
var builtins = []string{"true", "false", "echo", "pwd", "type", "printf", "test", "[", "command"}

// programName returns the command's key in the table and the words after it.
// Programs with subcommands have one key for each, some with the word behind it.
func (c Command) programName() (string, []Word) {
	name, args := c[0].Text, c[1:]
	if name == "git" && len(args) > 0 && args[0].Text == "--no-pager" {
		args = args[1:]
	}
	for words := 2; words > 0; words-- {
		if len(args) < words {
			continue
		}
		longer := name
		for _, arg := range args[:words] {
			longer += " " + arg.Text
		}
		if _, known := readOnlyPrograms()[longer]; known && strings.Count(longer, " ") == words { // and no word holds one
			return longer, args[words:]
		}
	}
	if (name == "git" || name == "go") && len(args) > 0 && !strings.Contains(args[0].Text, " ") {
		return name + " " + args[0].Text, args[1:]
	}
	return name, args
}
