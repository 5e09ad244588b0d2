package permissions

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"agent/internal/cmdline"
)

// commandPattern is the pattern of a rule about commands. "git push:*" and "git push *" match
// commands that begin with these words, ignoring options between them. A star in another position
// matches any text.
type commandPattern struct {
	// text matches a whole command. Its words are joined by blanks.
	text *regexp.Regexp
	// begin holds the words with which a command begins. It is nil for a pattern with a star in
	// another position.
	begin []string
	// prefix is set if more words may follow.
	prefix bool
	// program is the first word, or "" if it contains a star.
	program string
}

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

func (p *commandPattern) matches(words []string) bool {
	return p.text.MatchString(strings.Join(words, " ")) || p.prefix && len(p.begin) > 0 && p.matchesStart(words)
}

// matchesStart reports whether a command has the program, the options and the arguments of the
// pattern. The arguments must precede all others. The options may be anywhere, and short ones may
// be combined.
func (p *commandPattern) matchesStart(words []string) bool {
	want, wantOptions := split(p.begin)
	_, options := split(words)
	for option := range wantOptions {
		if !options[option] {
			return false
		}
	}
	lacking, ok := argumentsAfter(words, want)
	return ok && len(lacking) == 0
}

// argumentsAfter returns the arguments of want that are not in words. It returns false if words
// have another argument before one of them. It ignores a word after an option, because that word
// may be the value of the option.
func argumentsAfter(words, want []string) (lacking []string, ok bool) {
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

// may reports whether a command may match the pattern, if it has unknown words or words with
// wildcards.
func (p *commandPattern) may(words []string) bool {
	if words[0] == cmdline.Unknown || strings.ContainsAny(words[0], "*?") {
		return true
	}
	if p.program != "" && p.program != words[0] {
		return false
	}
	if p.begin != nil && p.matches(p.filledIn(words)) {
		return true
	}
	at := slices.Index(words, cmdline.Unknown)
	if at < 0 {
		return false
	}
	if p.begin == nil {
		return true
	}
	want, _ := split(p.begin)
	_, ok := argumentsAfter(words[:at], want)
	return ok
}

// filledIn replaces words that may expand to arguments of the pattern by these arguments. Such
// words are file name patterns, and {} in a command of find. They never become options.
func (p *commandPattern) filledIn(words []string) []string {
	words = slices.Clone(words)
	want, _ := split(p.begin)
	for i, word := range words {
		if i == 0 || !strings.ContainsAny(word, "*?") && !strings.Contains(word, "{}") {
			continue
		}
		for _, argument := range want {
			if fits, err := path.Match(strings.ReplaceAll(word, "{}", "*"), argument); (fits || word == "{}") && err == nil && !slices.Contains(words, argument) {
				words[i] = argument
				break
			}
		}
	}
	return words
}

// split separates arguments from options. Each letter of combined short options is one option. Long
// options are returned without their value.
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
