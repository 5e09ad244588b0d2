package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literalWord returns a word with the same meaning in every state of the shell: letters, quotes and
// escapes, but no expansion. It accepts a pattern with * and ? if the pattern begins with a literal
// character other than "-". No file name can then turn the pattern into an option.
func literalWord(word *syntax.Word) (Word, error) {
	var text strings.Builder
	quoted := false
	glob := false
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			literal, bare := unescape(part.Value, "")
			if err := checkBare(bare, len(word.Parts) == 1); err != nil {
				return Word{}, err
			}
			quoted = quoted || literal != bare
			glob = glob || strings.ContainsAny(bare, "*?")
			text.WriteString(literal)
		case *syntax.SglQuoted:
			if part.Dollar {
				return Word{}, notPlain("it quotes with $'…'")
			}
			quoted = true
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			quoted = true
			if err := appendDoubleQuoted(&text, part); err != nil {
				return Word{}, err
			}
		default:
			return Word{}, notPlain("the shell would expand a part of it (%s)", constructName(part))
		}
	}
	if glob {
		if quoted || strings.ContainsAny(text.String()[:1], "*?-") {
			return Word{}, notPlain("it is unclear what the pattern %q matches", text.String())
		}
	}
	return Word{Text: text.String(), Glob: glob}, nil
}

func appendDoubleQuoted(text *strings.Builder, quoted *syntax.DblQuoted) error {
	if quoted.Dollar {
		return notPlain(`it quotes with $"…"`)
	}
	for _, part := range quoted.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return notPlain("the shell would expand a part of it (%s)", constructName(part))
		}
		literal, _ := unescape(lit.Value, "\"\\$`")
		text.WriteString(literal)
	}
	return nil
}

// unescape removes backslashes before the characters in special, or before any character if special
// is empty. In bare, escaped characters are replaced by x, so that the caller can check the rest
// for special characters of the shell.
func unescape(value, special string) (literal, bare string) {
	var text, blanked strings.Builder
	for i := 0; i < len(value); i++ {
		escaped := value[i] == '\\' && i+1 < len(value) &&
			(special == "" || strings.IndexByte(special, value[i+1]) >= 0)
		if !escaped {
			text.WriteByte(value[i])
			blanked.WriteByte(value[i])
			continue
		}
		i++
		text.WriteByte(value[i])
		blanked.WriteByte('x')
	}
	return text.String(), blanked.String()
}

// checkBare refuses characters outside quotes that may expand: a home folder, variables, braces and
// bracket patterns. It accepts braces with neither a comma nor two dots, which find and git need
// ({}, stash@{0}), and a lone bracket. The shell does not expand these.
func checkBare(bare string, alone bool) error {
	if strings.HasPrefix(bare, "~") || strings.Contains(bare, "=~") || strings.Contains(bare, ":~") {
		return notPlain("it names a home folder with ~")
	}
	if strings.Contains(bare, "$") {
		return notPlain("it contains $ outside quotes")
	}
	if strings.ContainsAny(bare, "{}") && (!alone || bare == "{" || bare == "}" || strings.Contains(bare, ",") || strings.Contains(bare, "..")) {
		return notPlain("it contains braces outside quotes")
	}
	if strings.Contains(bare, "[") && !(alone && bare == "[") {
		return notPlain("it contains brackets outside quotes")
	}
	return nil
}

// Join returns words as a command line. Each word is quoted so that Parse returns it unchanged.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// Quote quotes a word so that Parse returns it unchanged.
func Quote(word string) string {
	quoted, err := syntax.Quote(word, syntax.LangBash)
	if err != nil || strings.HasPrefix(quoted, "$") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return quoted
}
