package cmdline

import (
	"path"
	"slices"
	"strings"
)

var (
	// wrappers lists the programs that only run the command or line in their arguments.
	// otherWrappers lists the programs that add words to that command, run it elsewhere or only
	// watch it, and the builtins that name a command which the shell runs.
	wrappers = []string{
		"sudo", "doas", "su", "runuser", "env", "nice", "ionice", "chrt", "taskset", "nohup", "time", "timeout", "stdbuf", "setsid", "setpriv",
		"watch", "flock", "script", "strace", "unshare", "nsenter", "chroot", "command", "exec", "builtin", "busybox",
	}
	otherWrappers = []string{"xargs", "parallel", "ltrace", "ssh", "hash", "mapfile", "readarray", "compgen"}
	// shells lists the programs that run a script, or lines of shell from an argument or from their
	// input. evaluators lists the programs that run each of their arguments as a line.
	shells     = []string{"sh", "bash", "dash", "zsh", "ksh"}
	evaluators = []string{"eval", "trap", "alias"}
	// executing lists the options after which find and fd have a command.
	executing = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
)

// maxNested bounds the nesting of command lines within command lines.
const maxNested = 4

// Nested returns the words of the commands in a line, as [Calls] does, and of the commands that
// these run: behind a wrapper such as sudo, in the line of a shell, by find -exec. It also returns each
// without the path of its program. A shell that reads its lines from elsewhere adds a command whose
// program is [Unknown].
func Nested(line string) [][]string { return nested(line, 0) }

func nested(line string, depth int) [][]string {
	var all [][]string
	add := func(words []string) {
		all = append(all, words)
		if base := path.Base(words[0]); base != words[0] {
			all = append(all, append([]string{base}, words[1:]...))
		}
	}
	for _, words := range Calls(line) {
		add(words)
		if depth == maxNested {
			all = append(all, []string{Unknown})
			continue
		}
		words = append([]string{path.Base(words[0])}, words[1:]...)
		if runsLines(words[0]) {
			all = append(all, linesOfShell(words, depth)...)
		}
		if readsLines(words) {
			all = append(all, []string{Unknown})
		}
		wraps := Wraps(words[0]) || slices.Contains(otherWrappers, words[0])
		for i, word := range words[1:] {
			if !wraps && !(finds(words[0]) && slices.Contains(executing, words[i])) {
				continue
			}
			add(words[i+1:])
			if wraps && strings.ContainsAny(word, " \t\n;|&(){}<>$`") {
				all = append(all, nested(word, depth+1)...)
			}
			if !wraps || finds(path.Base(word)) || runsLines(path.Base(word)) {
				all = append(all, nested(Join(words[i+1:]), depth+1)...)
			}
		}
	}
	return all
}

// Wraps reports whether a program only runs the command in its arguments, as sudo and nice do.
func Wraps(program string) bool { return slices.Contains(wrappers, program) }

// runsLines reports whether a program runs lines in its arguments.
func runsLines(program string) bool {
	return slices.Contains(shells, program) || slices.Contains(evaluators, program)
}

func finds(program string) bool { return slices.Contains([]string{"find", "fd", "fdfind"}, program) }

// FindRuns reports whether a call is one of find or fd that runs a command on what it finds.
func FindRuns(call []string) bool {
	return finds(path.Base(call[0])) && slices.ContainsFunc(call, func(word string) bool { return slices.Contains(executing, word) })
}

// linesOfShell returns the commands of the lines in the arguments of a shell.
func linesOfShell(words []string, depth int) [][]string {
	var all [][]string
	isLine := slices.Contains(evaluators, words[0])
	for _, word := range words[1:] {
		if words[0] == "alias" {
			_, word, _ = strings.Cut(word, "=")
		}
		if isLine || strings.Contains(word, " ") {
			all = append(all, nested(word, depth+1)...)
		}
		// The line need not follow -c at once: sh -c -e LINE, sh -ce LINE.
		isLine = isLine || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c")
	}
	return all
}

// readsLines reports whether a shell reads the lines that it runs from its input or from a place
// that only the shell knows.
func readsLines(words []string) bool {
	if words[0] == "source" || words[0] == "." {
		return slices.ContainsFunc(words, fromOutside)
	}
	if !slices.Contains(shells, words[0]) {
		return false
	}
	for _, word := range words[1:] {
		switch short := len(word) > 1 && word[0] == '-' && word[1] != '-'; {
		case short && strings.Contains(word, "c"):
			return false
		case short && strings.Contains(word, "s"):
			return true
		case !fromOutside(word) && !strings.HasPrefix(word, "-"):
			return false // a script
		}
	}
	return true
}

// fromOutside reports whether a word stands for a file that is none of the disk, or may be one.
func fromOutside(word string) bool {
	return word == Unknown || strings.HasPrefix(word, "/dev/") || strings.HasPrefix(word, "/proc/")
}
