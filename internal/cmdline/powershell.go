package cmdline

import (
	"errors"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
)

// errPower is the error for a line whose meaning in PowerShell is not certain.
var errPower = errors.New("not a read-only PowerShell command")

var (
	// powerWord matches a bare word that PowerShell passes unchanged. It contains no variable,
	// wildcard, operator, drive or provider, and nothing that a cmdlet or program would split into
	// two words.
	powerWord = lazyregexp.New(`^[A-Za-z0-9_./+][A-Za-z0-9_./+=-]*$`)
	// powerOption matches an option. PowerShell would split an option with a dot or colon into two
	// words.
	powerOption = lazyregexp.New(`^--?[A-Za-z0-9][A-Za-z0-9-]*(=[A-Za-z0-9_/-]+)?$`)
	// powerQuoted matches a text in single quotes, in which only the quote is special.
	powerQuoted = lazyregexp.New(`^[A-Za-z0-9_./+=, ()*\[\]{}^|?<>#-]+$`)
)

// cmdlet describes a read-only cmdlet, and the Unix command that reads the same files.
type cmdlet struct {
	unix []string
	// options lists options without a value, and valued options whose value is not a file. Both are
	// in lower case.
	options, valued []string
	// searches is set if the first argument is a pattern.
	searches bool
	// least is the required number of arguments. With fewer, the cmdlet would read its input.
	least int
}

var cmdlets = map[string]cmdlet{
	"get-childitem": {unix: []string{"ls"}, options: []string{"-recurse", "-name", "-file", "-directory", "-force"}, valued: []string{"-depth"}},
	"get-content":   {unix: []string{"cat"}, options: []string{"-raw"}, valued: []string{"-totalcount", "-tail"}, least: 1},
	"get-item":      {unix: []string{"ls", "-d"}, options: []string{"-force"}, least: 1},
	"test-path":     {unix: []string{"ls", "-d"}, least: 1},
	"get-filehash":  {unix: []string{"sha256sum"}, least: 1},
	"get-location":  {unix: []string{"pwd"}},
	"get-date":      {unix: []string{"date"}},
	"select-string": {unix: []string{"grep"}, options: []string{"-simplematch", "-casesensitive", "-list"}, searches: true, least: 2},
}

// ParsePowerShell parses a line of PowerShell that is a single cmdlet or git command of literal words
// and could be read-only. It returns a Unix command that reads the same files, so that
// [Line.UnprovenCommands] can determine whether it may run without approval. It returns an error for
// everything else: aliases, variables, calls, script blocks, pipelines and redirections. Their
// meaning cannot be proven here.
func ParsePowerShell(line string) (Line, error) {
	words, err := powerWords(line)
	if err != nil {
		return Line{}, err
	}
	if words[0].quoted {
		return Line{}, errPower // PowerShell prints a quoted word instead of running it
	}
	if words[0].text == "git" {
		var git Command
		for _, word := range words {
			git = append(git, Word{Text: word.text})
		}
		return Line{[]Command{git}}, nil
	}
	look, ok := cmdlets[strings.ToLower(words[0].text)]
	if !ok {
		return Line{}, errPower
	}
	command, err := look.onUnix(words[1:])
	return Line{[]Command{command}}, err
}

// onUnix returns the Unix command that reads the files in the arguments of a cmdlet.
func (c cmdlet) onUnix(words []powerText) (Command, error) {
	var files []Word
	recurses := false
	for i := 0; i < len(words); i++ {
		option := strings.ToLower(words[i].text)
		switch {
		case words[i].quoted || !strings.HasPrefix(option, "-"):
			if text := words[i].text; strings.HasPrefix(text, "-") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "*?[]") && (!c.searches || len(files) > 0) {
				return nil, errPower // wildcards are also expanded in quotes
			}
			files = append(files, Word{Text: words[i].text})
		case slices.Contains(c.options, option):
			recurses = recurses || option == "-recurse"
		case slices.Contains(c.valued, option) && i+1 < len(words) && isNumber(words[i+1].text):
			i++
		default:
			return nil, errPower
		}
	}
	if len(files) < c.least {
		return nil, errPower
	}
	var command Command
	for _, word := range c.unix {
		command = append(command, Word{Text: word})
	}
	switch {
	case c.searches:
		command = append(command, Word{Text: "-e"})
	case recurses:
		command = append(command, Word{Text: "-R"})
	}
	return append(command, files...), nil
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// powerText is a word of a line of PowerShell.
type powerText struct {
	text   string
	quoted bool
}

// powerWords splits a line into literal words.
func powerWords(line string) (words []powerText, err error) {
	for rest := strings.Trim(line, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		if quoted, ok := strings.CutPrefix(rest, "'"); ok {
			text, after, closed := strings.Cut(quoted, "'")
			if !closed || !powerQuoted.MatchString(text) || after != "" && after[0] != ' ' {
				return nil, errPower
			}
			words, rest = append(words, powerText{text, true}), after
			continue
		}
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		if !powerWord.MatchString(word) && !powerOption.MatchString(word) {
			return nil, errPower
		}
		words = append(words, powerText{word, false})
	}
	if len(words) == 0 {
		return nil, errPower
	}
	return words, nil
}
