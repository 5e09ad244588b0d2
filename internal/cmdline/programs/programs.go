// Package programs is the table of programs that change the meaning of a command line. Its
// properties are, for example, that a program runs the command in its arguments, is a shell,
// searches, or changes files.
//
// Programs with the same properties are in one row, so that all code that parses command lines uses
// the same table. TestProgramsAreInOneTable keeps lists of program names out of the rest of the
// code.
package programs

import (
	"path"
	"strings"
	"sync"
)

// Traits is a set of properties of a program.
type Traits uint64

// The properties of programs. Each comment describes a program with the property.
const (
	// IsShell parses a line as bash does, or refuses it. IsForeignShell may interpret it differently.
	// Shells whose names are common words, such as rc and nu, have neither property.
	IsShell Traits = 1 << iota
	IsForeignShell
	// WrapsCommand runs the command in its arguments and nothing else.
	WrapsCommand
	// WrapsLine is a wrapper that may pass its arguments to a shell.
	WrapsLine
	// CarriesCommand adds words to the command in its arguments, runs it elsewhere, only watches it, or
	// names a command that the shell runs.
	CarriesCommand
	// LaunchesCommand runs the command that follows its options and operands, and exits with its code.
	LaunchesCommand
	// AddsWords adds words from elsewhere to the command in its arguments.
	AddsWords
	// RunsCommandOption runs the command after one of its options, as find -exec does.
	RunsCommandOption
	// EvaluatesLines is a shell command that runs each argument as a line.
	EvaluatesLines
	// EvaluatesSubscripts is a shell command that evaluates its arguments as subscripts or arithmetic.
	EvaluatesSubscripts
	// SourcesFile runs the commands of a file in the current shell.
	SourcesFile
	// EndsLine may end the line before its last command.
	EndsLine
	// SetsVariables sets or unsets the variables in its arguments.
	SetsVariables
	// RedefinesWords sets variables from its input, or changes the meaning of words.
	RedefinesWords
	// RunsInput runs its input or all files of a folder, or changes how a shell splits words.
	RunsInput
	// IsBuiltin is built into the shell.
	IsBuiltin
	// AlwaysSucceeds never fails.
	AlwaysSucceeds
	// PrintsWords only prints or looks up the words after it.
	PrintsWords
	// SearchesFiles exits with 1 if it finds nothing, which is not a failure.
	SearchesFiles
	// SearchesFolders searches below folders even without an option for it.
	SearchesFolders
	// ReadsFolders reads everything below the folders in its arguments.
	ReadsFolders
	// ComparesFiles reads two files or folders.
	ComparesFiles
	// RunsFiles runs the files in its arguments. Awk runs the program text in one of its
	// arguments.
	RunsFiles
	IsAwk
	// ChangesFiles changes the files in its arguments. Deletes removes them.
	ChangesFiles
	DeletesFiles
	// FiltersInput reads only its input if it has no operands.
	FiltersInput
	// PrintsLines prints lines of files unchanged. Quotes prints lines of files in a form that an edit may
	// quote.
	PrintsLines
	PrintsQuotableLines
	// PrintsPart prints the first or the last part of its input.
	PrintsPart
	// HasSubcommands marks a program whose first argument selects a subcommand.
	HasSubcommands
	// AppliesPatch is a name under which models call the tool that applies a patch.
	AppliesPatch
)

// A row describes programs with the same properties.
type row struct {
	names string
	does  Traits
	// values holds the one-letter options of a launcher whose value is a separate word. operands is
	// the number of words between its options and the command.
	values   string
	operands int
}

var rows = []row{
	{names: "sh bash rbash dash ash ksh rksh mksh lksh oksh loksh pdksh posh yash bosh capsh", does: IsShell},
	{names: "zsh rzsh fish csh tcsh elvish xonsh pwsh powershell", does: IsForeignShell},

	{names: "sudo", does: WrapsCommand | LaunchesCommand, values: "CDRTUghprtu"},
	{names: "doas", does: WrapsCommand | LaunchesCommand, values: "Cu"},
	{names: "pkexec nohup setsid chronic unbuffer linux32 linux64 fakeroot dbus-run-session", does: WrapsCommand | LaunchesCommand},
	{names: "gosu su-exec setuidgid", does: WrapsCommand | LaunchesCommand, operands: 1},
	{names: "nice", does: WrapsCommand | LaunchesCommand, values: "n"},
	{names: "ionice", does: WrapsCommand | LaunchesCommand, values: "cnpPu"},
	{names: "chrt", does: WrapsCommand | LaunchesCommand, values: "TPD", operands: 1},
	{names: "taskset", does: WrapsCommand | LaunchesCommand, operands: 1},
	{names: "numactl", does: WrapsCommand | LaunchesCommand, values: "NCmip"},
	{names: "cpulimit", does: WrapsCommand | LaunchesCommand, values: "lpe"},
	{names: "time", does: WrapsCommand | LaunchesCommand, values: "fo"},
	{names: "timeout", does: WrapsCommand | LaunchesCommand, values: "ks", operands: 1},
	{names: "stdbuf", does: WrapsCommand | LaunchesCommand, values: "ioe"},
	{names: "strace", does: WrapsCommand | LaunchesCommand, values: "EIOPSXabeopsu"},
	{names: "chroot", does: WrapsCommand | LaunchesCommand, operands: 1},
	{names: "xvfb-run", does: WrapsCommand | LaunchesCommand, values: "nefpsw"},
	{names: "command", does: WrapsCommand | LaunchesCommand | IsBuiltin},
	{names: "exec", does: WrapsCommand | LaunchesCommand | EndsLine},
	{names: "builtin chpst softlimit prlimit setpriv setarch unshare nsenter proot bwrap firejail systemd-run", does: WrapsCommand},
	{names: "env", does: WrapsCommand | WrapsLine | LaunchesCommand, values: "CSu"},
	{names: "watch", does: WrapsCommand | WrapsLine | LaunchesCommand, values: "nq"},
	{names: "flock", does: WrapsCommand | WrapsLine | LaunchesCommand, values: "Ecw", operands: 1},
	{names: "busybox toybox", does: WrapsCommand | WrapsLine | LaunchesCommand},
	{names: "su runuser sg script", does: WrapsCommand | WrapsLine},

	{names: "xargs", does: CarriesCommand | LaunchesCommand | AddsWords | RunsInput, values: "EILPadns"},
	{names: "parallel", does: CarriesCommand | AddsWords | RunsInput},
	{names: "mapfile readarray", does: CarriesCommand | SetsVariables | RedefinesWords | EvaluatesSubscripts},
	{names: "hash", does: CarriesCommand | PrintsWords},
	{names: "npx uv poetry bundle", does: CarriesCommand | HasSubcommands},
	{names: "ltrace valgrind hyperfine entr ssh compgen choom uclampset i386 x86_64 uname26 arch start-stop-daemon ssh-agent runcon newgrp systemd-inhibit run0 sudo-rs dbus-launch aa-exec cgexec schedtool", does: CarriesCommand},
	{names: "perf gdb catchsegv faketime eatmydata nocache timelimit rlwrap sem tsp torify torsocks proxychains proxychains4 fakechroot pseudo tini dumb-init s6-setuidgid envdir setlock", does: CarriesCommand},
	{names: "screen dtach abduco watchexec nodemon socat expect caffeinate sandbox-exec pipenv pyenv rbenv direnv mise", does: CarriesCommand},
	{names: "find fd fdfind", does: RunsCommandOption},

	{names: "eval", does: EvaluatesLines | RedefinesWords | EndsLine},
	{names: "trap", does: EvaluatesLines | EndsLine},
	{names: "alias", does: EvaluatesLines | RedefinesWords | RunsInput},
	{names: "source .", does: SourcesFile | RunsFiles | RedefinesWords | EndsLine},
	{names: "shopt", does: RunsInput | EndsLine},
	{names: "run-parts", does: RunsInput},
	{names: "set", does: EndsLine},
	{names: "exit return", does: EndsLine | EvaluatesSubscripts},
	{names: "read getopts", does: SetsVariables | RedefinesWords | EvaluatesSubscripts},
	{names: "unset", does: SetsVariables | EvaluatesSubscripts},
	{names: "let", does: RedefinesWords | EvaluatesSubscripts},
	{names: "wait declare typeset export readonly local shift", does: EvaluatesSubscripts},
	{names: "echo", does: IsBuiltin | PrintsWords | AlwaysSucceeds},
	{names: "printf", does: IsBuiltin | PrintsWords | AlwaysSucceeds | RedefinesWords | EvaluatesSubscripts},
	{names: "test [", does: IsBuiltin | PrintsWords | EvaluatesSubscripts},
	{names: "type", does: IsBuiltin | PrintsWords},
	{names: "true", does: IsBuiltin | AlwaysSucceeds},
	{names: ":", does: AlwaysSucceeds},
	{names: "false pwd", does: IsBuiltin},
	{names: "which pgrep", does: PrintsWords},

	{names: "grep", does: SearchesFiles | PrintsWords},
	{names: "egrep fgrep zgrep", does: SearchesFiles},
	{names: "rg ag ack", does: SearchesFiles | SearchesFolders},
	{names: "tar bsdtar zip 7z cpio scp", does: ReadsFolders},
	{names: "rsync", does: ReadsFolders | ChangesFiles},
	{names: "diff", does: ComparesFiles | PrintsQuotableLines},
	{names: "cat nl", does: PrintsLines | PrintsQuotableLines},
	{names: "bat", does: PrintsQuotableLines},
	{names: "sed", does: PrintsLines | PrintsQuotableLines | ChangesFiles},
	{names: "head tail", does: PrintsLines | FiltersInput | PrintsPart},
	{names: "wc sort uniq", does: FiltersInput},
	{names: "awk", does: IsAwk | PrintsQuotableLines},
	{names: "gawk mawk nawk", does: IsAwk},
	{names: "python pypy node nodejs deno perl ruby php lua osascript", does: RunsFiles},
	{names: "bun", does: RunsFiles | HasSubcommands},
	{names: "go git npm pnpm yarn cargo make docker dotnet mvn gradle gradlew", does: HasSubcommands},

	{names: "rm rmdir dd truncate", does: ChangesFiles | DeletesFiles},
	{names: "unlink shred srm wipe", does: DeletesFiles},
	{names: "mv cp tee touch ln install chmod chown patch", does: ChangesFiles},
	// Commands of Windows.
	{names: "del erase move copy xcopy robocopy ren rd attrib icacls", does: ChangesFiles},
	{names: "clear-content set-content add-content out-file tee-object new-item remove-item move-item copy-item rename-item set-item", does: ChangesFiles},
	{names: "clc sc ac ni ri mi ci cpi rni si", does: ChangesFiles},
	{names: "apply_patch applypatch", does: AppliesPatch},
}

var table = sync.OnceValue(func() map[string]*row {
	all := map[string]*row{}
	for i := range rows {
		for name := range strings.FieldsSeq(rows[i].names) {
			all[name] = &rows[i]
		}
	}
	return all
})

// Is reports whether a program has one of the properties. It ignores the folder of the program, its
// version and its extension on Windows, as in /usr/bin/python3.13 and BASH.EXE.
func Is(program string, does Traits) bool {
	r := find(program)
	return r != nil && r.does&does != 0
}

// IsNamed reports whether a word is exactly the name of a program with one of the properties. Use
// it if a true result allows something.
func IsNamed(word string, does Traits) bool {
	r := table()[word]
	return r != nil && r.does&does != 0
}

// NamesWith returns the names of the programs with one of the properties.
func NamesWith(does Traits) []string {
	var names []string
	for _, r := range rows {
		if r.does&does != 0 {
			names = append(names, strings.Fields(r.names)...)
		}
	}
	return names
}

// find returns the row of a program, or nil.
func find(program string) *row {
	if r := table()[program]; r != nil {
		return r
	}
	name := Name(program)
	if r := table()[name]; r != nil && name != "." { // ./[ is a file, not the program [
		return r
	}
	return table()[strings.TrimRight(name, "0123456789.-")]
}

// Name returns the name of a program in lower case, without its folder and its extension on
// Windows.
func Name(program string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(program)), ".exe")
}

// SkipLaunchers returns the words of a command without the launchers before it, such as sudo -u NAME and
// timeout 60.
func SkipLaunchers(words []string) []string {
	for len(words) > 1 && Is(words[0], LaunchesCommand) {
		rest := find(words[0]).command(words[1:])
		if len(rest) == 0 {
			break
		}
		words = rest
	}
	return words
}

// command returns the words after the options and operands of a launcher.
func (r *row) command(words []string) []string {
	operands, options := r.operands, true
	for len(words) > 0 {
		word := words[0]
		isOption := options && len(word) > 1 && word[0] == '-'
		switch name, _, assigns := strings.Cut(word, "="); {
		case word == "--":
			options = false
		case isOption && word[1] != '-' && len(words) > 1 && strings.IndexAny(word[1:], r.values) == len(word)-2:
			words = words[1:] // skip the option and its value
		case isOption, assigns && isVariable(name):
		case operands > 0:
			operands, options = operands-1, false
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

func isVariable(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
