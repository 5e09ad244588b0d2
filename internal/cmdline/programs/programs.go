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

// Does is a set of properties of a program.
type Does uint64

// The properties of programs. Each comment describes a program with the property.
const (
	// Shell parses a line as bash does, or refuses it. ForeignShell may interpret it differently.
	// Shells whose names are common words, such as rc and nu, have neither property.
	Shell Does = 1 << iota
	ForeignShell
	// Wraps runs the command in its arguments and nothing else.
	Wraps
	// Lines is a wrapper that may pass its arguments to a shell.
	Lines
	// Carries adds words to the command in its arguments, runs it elsewhere, only watches it, or
	// names a command that the shell runs.
	Carries
	// Launches runs the command that follows its options and operands, and exits with its code.
	Launches
	// AddsWords adds words from elsewhere to the command in its arguments.
	AddsWords
	// Finds runs the command after one of its options, as find -exec does.
	Finds
	// Evaluates is a shell command that runs each argument as a line.
	Evaluates
	// Subscripts is a shell command that evaluates its arguments as subscripts or arithmetic.
	Subscripts
	// Sources runs the commands of a file in the current shell.
	Sources
	// Ends may end the line before its last command.
	Ends
	// Sets sets or unsets the variables in its arguments.
	Sets
	// Renames sets variables from its input, or changes the meaning of words.
	Renames
	// Spreads runs its input or all files of a folder, or changes how a shell splits words.
	Spreads
	// Builtin is built into the shell.
	Builtin
	// Succeeds never fails.
	Succeeds
	// Prints only prints or looks up the words after it.
	Prints
	// Searches exits with 1 if it finds nothing, which is not a failure.
	Searches
	// SearchesBelow searches below folders even without an option for it.
	SearchesBelow
	// Packs reads everything below the folders in its arguments.
	Packs
	// Compares reads two files or folders.
	Compares
	// Interprets runs the files in its arguments. Awk runs the program text in one of its
	// arguments.
	Interprets
	Awk
	// Changes changes the files in its arguments. Deletes removes them.
	Changes
	Deletes
	// Filters reads only its input if it has no operands.
	Filters
	// Shows prints lines of files unchanged. Quotes prints lines of files in a form that an edit may
	// quote.
	Shows
	Quotes
	// Cuts prints the first or the last part of its input.
	Cuts
	// Subcommands marks a program whose first argument selects a subcommand.
	Subcommands
	// Patches is a name under which models call the tool that applies a patch.
	Patches
)

// A row describes programs with the same properties.
type row struct {
	names string
	does  Does
	// values holds the one-letter options of a launcher whose value is a separate word. operands is
	// the number of words between its options and the command.
	values   string
	operands int
}

var rows = []row{
	{names: "sh bash rbash dash ash ksh rksh mksh lksh oksh loksh pdksh posh yash bosh capsh", does: Shell},
	{names: "zsh rzsh fish csh tcsh elvish xonsh pwsh powershell", does: ForeignShell},

	{names: "sudo", does: Wraps | Launches, values: "CDRTUghprtu"},
	{names: "doas", does: Wraps | Launches, values: "Cu"},
	{names: "pkexec nohup setsid chronic unbuffer linux32 linux64 fakeroot dbus-run-session", does: Wraps | Launches},
	{names: "gosu su-exec setuidgid", does: Wraps | Launches, operands: 1},
	{names: "nice", does: Wraps | Launches, values: "n"},
	{names: "ionice", does: Wraps | Launches, values: "cnpPu"},
	{names: "chrt", does: Wraps | Launches, values: "TPD", operands: 1},
	{names: "taskset", does: Wraps | Launches, operands: 1},
	{names: "numactl", does: Wraps | Launches, values: "NCmip"},
	{names: "cpulimit", does: Wraps | Launches, values: "lpe"},
	{names: "time", does: Wraps | Launches, values: "fo"},
	{names: "timeout", does: Wraps | Launches, values: "ks", operands: 1},
	{names: "stdbuf", does: Wraps | Launches, values: "ioe"},
	{names: "strace", does: Wraps | Launches, values: "EIOPSXabeopsu"},
	{names: "chroot", does: Wraps | Launches, operands: 1},
	{names: "xvfb-run", does: Wraps | Launches, values: "nefpsw"},
	{names: "command", does: Wraps | Launches | Builtin},
	{names: "exec", does: Wraps | Launches | Ends},
	{names: "builtin chpst softlimit prlimit setpriv setarch unshare nsenter proot bwrap firejail systemd-run", does: Wraps},
	{names: "env", does: Wraps | Lines | Launches, values: "CSu"},
	{names: "watch", does: Wraps | Lines | Launches, values: "nq"},
	{names: "flock", does: Wraps | Lines | Launches, values: "Ecw", operands: 1},
	{names: "busybox toybox", does: Wraps | Lines | Launches},
	{names: "su runuser sg script", does: Wraps | Lines},

	{names: "xargs", does: Carries | Launches | AddsWords | Spreads, values: "EILPadns"},
	{names: "parallel", does: Carries | AddsWords | Spreads},
	{names: "mapfile readarray", does: Carries | Sets | Renames | Subscripts},
	{names: "hash", does: Carries | Prints},
	{names: "npx uv poetry bundle", does: Carries | Subcommands},
	{names: "ltrace valgrind hyperfine entr ssh compgen choom uclampset i386 x86_64 uname26 arch start-stop-daemon ssh-agent runcon newgrp systemd-inhibit run0 sudo-rs dbus-launch aa-exec cgexec schedtool", does: Carries},
	{names: "perf gdb catchsegv faketime eatmydata nocache timelimit rlwrap sem tsp torify torsocks proxychains proxychains4 fakechroot pseudo tini dumb-init s6-setuidgid envdir setlock", does: Carries},
	{names: "screen dtach abduco watchexec nodemon socat expect caffeinate sandbox-exec pipenv pyenv rbenv direnv mise", does: Carries},
	{names: "find fd fdfind", does: Finds},

	{names: "eval", does: Evaluates | Renames | Ends},
	{names: "trap", does: Evaluates | Ends},
	{names: "alias", does: Evaluates | Renames | Spreads},
	{names: "source .", does: Sources | Interprets | Renames | Ends},
	{names: "shopt", does: Spreads | Ends},
	{names: "run-parts", does: Spreads},
	{names: "set", does: Ends},
	{names: "exit return", does: Ends | Subscripts},
	{names: "read getopts", does: Sets | Renames | Subscripts},
	{names: "unset", does: Sets | Subscripts},
	{names: "let", does: Renames | Subscripts},
	{names: "wait declare typeset export readonly local shift", does: Subscripts},
	{names: "echo", does: Builtin | Prints | Succeeds},
	{names: "printf", does: Builtin | Prints | Succeeds | Renames | Subscripts},
	{names: "test [", does: Builtin | Prints | Subscripts},
	{names: "type", does: Builtin | Prints},
	{names: "true", does: Builtin | Succeeds},
	{names: ":", does: Succeeds},
	{names: "false pwd", does: Builtin},
	{names: "which pgrep", does: Prints},

	{names: "grep", does: Searches | Prints},
	{names: "egrep fgrep zgrep", does: Searches},
	{names: "rg ag ack", does: Searches | SearchesBelow},
	{names: "tar bsdtar zip 7z cpio scp", does: Packs},
	{names: "rsync", does: Packs | Changes},
	{names: "diff", does: Compares | Quotes},
	{names: "cat nl", does: Shows | Quotes},
	{names: "bat", does: Quotes},
	{names: "sed", does: Shows | Quotes | Changes},
	{names: "head tail", does: Shows | Filters | Cuts},
	{names: "wc sort uniq", does: Filters},
	{names: "awk", does: Awk | Quotes},
	{names: "gawk mawk nawk", does: Awk},
	{names: "python pypy node nodejs deno perl ruby php lua osascript", does: Interprets},
	{names: "bun", does: Interprets | Subcommands},
	{names: "go git npm pnpm yarn cargo make docker dotnet mvn gradle gradlew", does: Subcommands},

	{names: "rm rmdir dd truncate", does: Changes | Deletes},
	{names: "unlink shred srm wipe", does: Deletes},
	{names: "mv cp tee touch ln install chmod chown patch", does: Changes},
	// Commands of Windows.
	{names: "del erase move copy xcopy robocopy ren rd attrib icacls", does: Changes},
	{names: "clear-content set-content add-content out-file tee-object new-item remove-item move-item copy-item rename-item set-item", does: Changes},
	{names: "clc sc ac ni ri mi ci cpi rni si", does: Changes},
	{names: "apply_patch applypatch", does: Patches},
}

// table maps the name of each program to its row.
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
func Is(program string, does Does) bool {
	r := find(program)
	return r != nil && r.does&does != 0
}

// IsNamed reports whether a word is exactly the name of a program with one of the properties. Use
// it if a true result allows something.
func IsNamed(word string, does Does) bool {
	r := table()[word]
	return r != nil && r.does&does != 0
}

// Names returns the names of the programs with one of the properties.
func Names(does Does) []string {
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

// Launched returns the words of a command without the launchers before it, such as sudo -u NAME and
// timeout 60.
func Launched(words []string) []string {
	for len(words) > 1 && Is(words[0], Launches) {
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
