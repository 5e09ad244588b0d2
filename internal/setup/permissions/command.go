package permissions

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"agent/internal/cmdline"
)

// commandPattern is the pattern of a rule about commands. "git push:*" and "git push *" match
// commands that begin with these words, whatever options stand between them; a star elsewhere
// matches any text.
type commandPattern struct {
	// text matches a whole command, its words with blanks between them.
	text *regexp.Regexp
	// begin holds the words with which a command begins, nil for a pattern with another star.
	begin []string
	// prefix is set if more words may follow.
	prefix bool
	// program is the first word, "" if it has a star.
	program string
}

// unknown stands for a word of a command that only the shell knows, as cmdline.Calls writes it.
const unknown = "…"

func newCommandPattern(pattern string) *commandPattern {
	begin, prefix := strings.CutSuffix(pattern, ":*")
	if !prefix {
		begin, prefix = strings.CutSuffix(pattern, " *")
	}
	words := strings.Fields(begin)
	expression := strings.ReplaceAll(regexp.QuoteMeta(strings.Join(words, " ")), `\*`, `(?s:.*)`)
	if prefix {
		expression += `( (?s:.*))?`
	}
	p := &commandPattern{text: regexp.MustCompile("^" + expression + "$"), prefix: prefix}
	if first, _, _ := strings.Cut(begin, " "); !strings.Contains(first, "*") {
		p.program = first
	}
	if !strings.Contains(begin, "*") {
		p.begin = words
	}
	return p
}

// matches reports whether a command matches the pattern.
func (p *commandPattern) matches(words []string) bool {
	return p.text.MatchString(strings.Join(words, " ")) || p.prefix && len(p.begin) > 0 && p.begins(words)
}

// begins reports whether a command has the program, the options and the arguments of the pattern:
// the arguments before any other, the options anywhere and in any spelling of short ones.
func (p *commandPattern) begins(words []string) bool {
	want, wantOptions := split(p.begin)
	_, options := split(words)
	for option := range wantOptions {
		if !options[option] {
			return false
		}
	}
	lacking, ok := after(words, want)
	return ok && len(lacking) == 0
}

// after returns the arguments of want that words lack. It reports false if words have another argument
// before one of them. A word behind an option may be its value, and is passed over.
func after(words, want []string) (lacking []string, ok bool) {
	for i, word := range words {
		switch {
		case len(want) == 0:
			return nil, true
		case isOption(word):
		case word == want[0]:
			want = want[1:]
		case i == 0 || !isOption(words[i-1]):
			return want, false
		}
	}
	return want, true
}

// may reports whether a command with unknown words may match the pattern.
func (p *commandPattern) may(words []string) bool {
	if words[0] == unknown || strings.ContainsAny(words[0], "*?") {
		return true
	}
	at := slices.Index(words, unknown)
	if at < 0 || p.program != "" && p.program != words[0] {
		return false
	}
	if p.begin == nil {
		return true
	}
	want, _ := split(p.begin)
	_, ok := after(words[:at], want)
	return ok
}

// split separates arguments from options. The letters of short options count one by one, and long
// options without their value.
func split(words []string) (arguments []string, options map[string]bool) {
	options = map[string]bool{}
	for _, word := range words {
		switch {
		case !isOption(word):
			arguments = append(arguments, word)
		case strings.HasPrefix(word, "--"):
			name, _, _ := strings.Cut(word, "=")
			options[name] = true
		default:
			for _, letter := range word[1:] {
				options["-"+string(letter)] = true
			}
		}
	}
	return arguments, options
}

func isOption(word string) bool { return len(word) > 1 && word[0] == '-' }

var (
	// wrappers lists programs that run the command, or the line, in their arguments.
	wrappers = []string{
		"sudo", "doas", "su", "runuser", "env", "nice", "ionice", "chrt", "taskset", "nohup", "time", "timeout", "stdbuf", "setsid", "setpriv",
		"xargs", "parallel", "watch", "flock", "script", "strace", "ltrace", "unshare", "nsenter", "chroot", "ssh", "command", "exec", "builtin", "busybox",
	}
	// shells lists programs that run a line in their arguments.
	shells = []string{"sh", "bash", "dash", "zsh", "ksh", "eval", "trap"}
	// executing lists the options after which find and fd have a command.
	executing = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
)

// maxNested bounds the nesting of command lines within command lines.
const maxNested = 4

// commandsIn returns the words of the commands in a line: each as written, without the path of its
// program, and without each of its wrappers. A command that runs lines from elsewhere adds an
// unknown one.
func commandsIn(line string, depth int) [][]string {
	var all [][]string
	add := func(words []string) {
		all = append(all, words)
		if base := path.Base(words[0]); base != words[0] {
			all = append(all, append([]string{base}, words[1:]...))
		}
	}
	for _, words := range cmdline.Calls(line) {
		add(words)
		if depth == maxNested {
			all = append(all, []string{unknown})
			continue
		}
		words = append([]string{path.Base(words[0])}, words[1:]...)
		if slices.Contains(shells, words[0]) {
			all = append(all, linesOfShell(words, depth)...)
		}
		if readsLines(words) {
			all = append(all, []string{unknown})
		}
		wraps := slices.Contains(wrappers, words[0])
		for i, word := range words[1:] {
			if !wraps && !(slices.Contains(executing, words[i]) && (words[0] == "find" || words[0] == "fd" || words[0] == "fdfind")) {
				continue
			}
			add(words[i+1:])
			if wraps && strings.Contains(word, " ") {
				all = append(all, commandsIn(word, depth+1)...)
			}
			if slices.Contains(shells, path.Base(word)) {
				all = append(all, commandsIn(quoted(words[i+1:]), depth+1)...)
			}
		}
	}
	return all
}

// linesOfShell returns the commands of the lines in the arguments of a shell.
func linesOfShell(words []string, depth int) [][]string {
	var all [][]string
	isLine := words[0] == "eval" || words[0] == "trap"
	for _, word := range words[1:] {
		if isLine || strings.Contains(word, " ") {
			all = append(all, commandsIn(word, depth+1)...)
		}
		// The line need not follow -c at once: sh -c -e LINE, sh -ce LINE.
		isLine = isLine || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c")
	}
	return all
}

// readsLines reports whether a shell reads the lines that it runs from its input or from a place
// that only the shell knows.
func readsLines(words []string) bool {
	switch words[0] {
	case "source", ".":
		return slices.Contains(words, unknown)
	case "eval", "trap":
		return false
	}
	for _, word := range words[1:] {
		switch short := isOption(word) && word[1] != '-'; {
		case short && strings.Contains(word, "c"):
			return false
		case short && strings.Contains(word, "s"):
			return true
		case word != unknown && word != "-" && !isOption(word) && !strings.HasPrefix(word, "/dev/"):
			return false // a script
		}
	}
	return slices.Contains(shells, words[0])
}

// quoted returns words as a line of shell.
func quoted(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = cmdline.Quote(word)
	}
	return strings.Join(all, " ")
}
