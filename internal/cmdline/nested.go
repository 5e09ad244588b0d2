package cmdline

import (
	"path"
	"slices"
	"strings"

	"agent/internal/cmdline/programs"
)

// executing lists the options of find and fd that are followed by a command.
var executing = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}

// maxNested limits the nesting of command lines within command lines.
const maxNested = 4

func (r *CommandLine) readNested(depth int) [][]string {
	var all [][]string
	add := func(words []string) {
		for i, name := range []string{words[0], path.Base(words[0]), programs.Name(words[0])} {
			if i == 0 || name != words[0] {
				all = append(all, append([]string{name}, words[1:]...))
			}
		}
	}
	if depth < maxNested {
		for _, inner := range r.evaluated() {
			all = append(all, read(inner, depth+1).NestedCalls()...)
		}
	}
	for _, words := range r.Calls() {
		add(words)
		if depth == maxNested {
			all = append(all, []string{Unknown})
			continue
		}
		words = append([]string{path.Base(words[0])}, words[1:]...)
		if runsLines(words[0]) {
			all = append(all, linesOfShell(words, depth)...)
		}
		if readsLines(words) || renames(words) {
			all = append(all, []string{Unknown})
		}
		wraps := IsWrapper(words[0]) || programs.Is(words[0], programs.CarriesCommand)
		for i, word := range words[1:] {
			if !wraps && !(finds(words[0]) && slices.Contains(executing, words[i])) {
				continue
			}
			inner := words[i+1:]
			if programs.Is(words[0], programs.AddsWords) {
				inner = withAdded(inner)
			}
			add(inner)
			if wraps {
				all = append(all, linesInWord(word, depth)...)
				for _, value := range attached(word) {
					add(append([]string{value}, inner[1:]...))
				}
			}
			if !wraps || finds(word) || runsLines(word) || programs.Is(word, programs.AddsWords) {
				all = append(all, read(Join(inner), depth+1).NestedCalls()...)
			}
		}
	}
	return all
}

// withAdded returns the words of a command to which xargs or parallel adds words. Unknown stands
// for these.
func withAdded(words []string) []string {
	if i := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, ":::") }); i > 0 {
		words = words[:i] // removes the arguments of parallel
	}
	return append(slices.Clone(words), Unknown)
}

// renames reports whether a command runs a program under another name, or runs a program that its
// words do not show. hash -p does the former, and escapes in env -S may do the latter.
func renames(words []string) bool {
	return words[0] == "hash" && slices.Contains(words, "-p") ||
		words[0] == "env" && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, `\`) })
}

// linesInWord returns the commands of the lines that a word of a wrapper may contain. The line is
// the word itself or the value after an option, as in env -S'git push' and su --command='git push'.
func linesInWord(word string, depth int) [][]string {
	var all [][]string
	for _, text := range append(attached(word), word) {
		if strings.ContainsAny(text, " \t\n;|&(){}<>$`") {
			all = append(all, read(text, depth+1).NestedCalls()...)
		}
	}
	return all
}

// attached returns the parts of a word that may be the value of an option.
func attached(word string) (values []string) {
	if name, value, ok := strings.Cut(word, "="); ok && value != "" && strings.HasPrefix(name, "--") {
		return []string{value}
	}
	if len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return nil
	}
	const maxLetters = 8
	for i := 2; i < min(len(word), maxLetters) && word[i-1] != ' '; i++ {
		values = append(values, word[i:])
	}
	return values
}

// IsWrapper reports whether a program only runs the command in its arguments, as sudo and nice do.
func IsWrapper(program string) bool {
	return programs.Is(program, programs.WrapsCommand) || isLoader(program)
}

// isLoader reports whether a program is the dynamic loader, whose name differs between systems:
// ld.so, ld-linux-x86-64.so.2, ld64.so.1.
func isLoader(program string) bool {
	return strings.HasPrefix(program, "ld") && strings.Contains(program, ".so")
}

// runsLines reports whether a program is a shell or a shell command that runs its arguments as
// lines.
func runsLines(program string) bool {
	return IsShell(program) || programs.Is(program, programs.EvaluatesLines)
}

func finds(program string) bool { return programs.Is(program, programs.RunsCommandOption) }

// FindRuns reports whether a call is a find or fd that runs a command on each file found.
func FindRuns(call []string) bool {
	return finds(call[0]) && slices.ContainsFunc(call, func(word string) bool { return slices.Contains(executing, word) })
}

func linesOfShell(words []string, depth int) [][]string {
	var all [][]string
	isLine := programs.Is(words[0], programs.EvaluatesLines)
	for _, word := range words[1:] {
		if words[0] == "alias" {
			_, word, _ = strings.Cut(word, "=")
		}
		if isLine || strings.Contains(word, " ") {
			all = append(all, read(word, depth+1).NestedCalls()...)
			all = append(all, linesInWord(word, depth)...)
			if _, err := Read(word).PlainCommands(); programs.Is(words[0], programs.IsForeignShell) && (err != nil || strings.HasPrefix(word, "=")) {
				all = append(all, []string{Unknown})
			}
		}
		// The line need not directly follow -c: sh -c -e LINE, sh -ce LINE.
		isLine = isLine || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c")
	}
	return all
}

// readsLines reports whether a shell reads the lines that it runs from its input or from an unknown
// file.
func readsLines(words []string) bool {
	if words[0] == "source" || words[0] == "." {
		return slices.ContainsFunc(words, fromOutside)
	}
	if !IsShell(words[0]) {
		return false
	}
	for _, word := range words[1:] {
		switch short := len(word) > 1 && word[0] == '-' && word[1] != '-'; {
		case short && strings.Contains(word, "c"):
			return false
		case short && strings.Contains(word, "s"):
			return true
		case !fromOutside(word) && !strings.HasPrefix(word, "-"):
			return false // the argument is a script
		}
	}
	return true
}

// fromOutside reports whether a word is or may be a file that is not on the disk.
func fromOutside(word string) bool {
	return word == Unknown || strings.HasPrefix(word, "/dev/") || strings.HasPrefix(word, "/proc/")
}
