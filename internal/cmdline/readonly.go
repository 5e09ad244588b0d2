package cmdline

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline/programs"
)

// A CommandContext describes the environment of a command: its start folder, the paths inside the workspace,
// and the programs and repositories.
type CommandContext struct {
	// Dir is the absolute path of the start folder, free of symlinks.
	Dir string
	// OnDisk maps an absolute path, as the command sees it, to its path on disk. If OnDisk is nil,
	// both are the same.
	OnDisk func(path string) string
	// Inside reports whether the model may read an absolute path, with symlinks followed.
	Inside func(path string) bool
	// Program reports whether the program with this name belongs to the system and not to the
	// workspace. If Program is nil, all programs do.
	Program func(name string) bool
	// Repository reports whether git, run in a folder, runs no program that the repository names.
	// If Repository is nil, this is true in all folders.
	Repository func(dir string) bool
	// Searchable reports whether a program may read every file in the folders. This requires that
	// they contain no secret files or that the sandbox hides them. The program must also follow no
	// link to a file that the model may not read. If Searchable is nil, it may.
	Searchable func(program string) bool

	// OutsideSandbox is set if the command leaves the sandbox, which otherwise hides secret files. Then
	// only programs that read no files are known to be harmless.
	OutsideSandbox bool

	// lookups is the number of names that may still be looked up for patterns.
	lookups *int
}

// pathsHaveDrives is set on Windows, where shells differ in their treatment of drives, backslashes
// and roots. There, only lines that isRelative accepts are proven to stay in their folder.
const pathsHaveDrives = runtime.GOOS == "windows"

// maxWords limits the words of a line, because each word is looked up on disk.
const maxWords = 256

// UnprovenCommands returns the commands that are not known to be read-only. It returns none if every
// command is a read-only program with harmless options, and every word that could be a path is
// inside. Such a line can run without approval.
func (l Line) UnprovenCommands(at CommandContext) []Command {
	words := 0
	for _, command := range l.Commands {
		words += len(command)
	}
	if words > maxWords || pathsHaveDrives && !l.isRelative() {
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

// once caches the result for each folder, because repository runs git.
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

// changeDir returns the folders to which a cd may lead from any of dirs. Whether the cd happens
// depends on earlier commands, so the caller keeps the old folders as well. changeDir refuses
// symlinks: the shell and its programs would resolve ".." differently.
func (c Command) changeDir(dirs []string, at CommandContext) ([]string, bool) {
	const maxFolders = 8
	if len(c) != 2 || c[1].Glob || strings.HasPrefix(c[1].Text, "-") || 2*len(dirs) > maxFolders {
		return nil, false
	}
	next := make([]string, 0, len(dirs))
	for _, dir := range dirs {
		if !pathInside(c[1], dir, at) {
			return nil, false
		}
		target := fsutil.ResolveIn(dir, c[1].Text)
		place := at.OnDisk(target)
		if real, err := filepath.EvalSymlinks(place); err != nil || real != place {
			return nil, false
		}
		next = append(next, target)
	}
	return next, true
}

// isReadOnly reports whether the command is known to change nothing and to read only paths that are
// inside, in whichever of dirs it runs.
func (c Command) isReadOnly(dirs []string, at CommandContext) bool {
	name, args := c.programName()
	program, known := readOnlyPrograms()[name]
	if !known || !programs.IsNamed(c[0].Text, programs.IsBuiltin) && at.Program != nil && !at.Program(c[0].Text) {
		return false
	}
	if at.OutsideSandbox && !program.anyWords && !program.namesOnly && !c.readsPipe() {
		return false
	}
	if c[0].Text == "git" && slices.ContainsFunc(dirs, func(dir string) bool {
		return InBareRepository(at.OnDisk(dir)) || at.Repository != nil && !at.Repository(at.OnDisk(dir))
	}) {
		return false
	}
	if c.readsBelow() && at.Searchable != nil && !at.Searchable(c[0].Text) {
		return false
	}
	operands := args
	if !program.anyWords {
		var ok bool
		if operands, ok = program.operands(args); !ok {
			return false
		}
	}
	// The first "--" is not an operand. But an option may use it as its value, and it is then the
	// name of a file.
	if !program.anyWords && !program.namesOnly && slices.ContainsFunc(args, isDashes) &&
		slices.ContainsFunc(dirs, func(dir string) bool { return !pathInside(Word{Text: "--"}, dir, at) }) {
		return false
	}
	for i, operand := range operands {
		if i == 0 && program.script && !operand.Glob {
			continue
		}
		// The shell looks up the matches of a pattern, even if the program does not use them as
		// files.
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

// revisionInside reports whether the paths after colons, as in HEAD:sub/file, stay inside.
func revisionInside(word Word, dir string, at CommandContext) bool {
	_, file, ok := strings.Cut(word.Text, ":")
	for ; ok; _, file, ok = strings.Cut(file, ":") {
		if !pathInside(Word{Text: file}, dir, at) {
			return false
		}
	}
	return true
}

func (c Command) readsBelow() bool {
	call := make([]string, len(c))
	for i, word := range c {
		call[i] = word.Text
	}
	below := FindFolderReads(call, nil)
	return below.Reads && !below.Tracked
}

// readsPipe reports whether a command reads only its input, as in npm test | tail -n 20. Its
// program reads no files but its operands, and the command has no operands.
func (c Command) readsPipe() bool {
	if !programs.IsNamed(c[0].Text, programs.FiltersInput) {
		return false
	}
	before := ""
	for _, arg := range c[1:] {
		lines := (before == "-n" || before == "-c") && programs.IsNamed(c[0].Text, programs.PrintsPart) && amount.MatchString(arg.Text)
		if !lines && (!strings.HasPrefix(arg.Text, "-") || arg.Text == "--") {
			return false
		}
		before = arg.Text
	}
	return true
}

// programName returns the command's key in the table of read-only programs, and the words after the
// key. A program with subcommands has one key for each subcommand. Some keys also include the word
// after the subcommand.
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
		if _, known := readOnlyPrograms()[longer]; known && strings.Count(longer, " ") == words { // excludes a word with a space
			return longer, args[words:]
		}
	}
	if (name == "git" || name == "go") && len(args) > 0 && !strings.Contains(args[0].Text, " ") {
		return name + " " + args[0].Text, args[1:]
	}
	return name, args
}
