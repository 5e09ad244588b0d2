package secret

import (
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
)

// The greatest lengths, in bytes, of a value, of a name, and of the text that is searched for the
// name of a pair.
const (
	longestValue = 4096
	longestName  = 64
	longestPair  = 160
)

// An assignment is a position at which a secret may follow.
type assignment struct {
	// name is the name of the secret.
	name string
	// value matches the value after the separator. Its first group is the value.
	value *lazyregexp.Pattern
	// looks reports whether a value, which may be in quotes, looks like a secret.
	looks func(name, value string) bool
}

const (
	inQuotes = `\\"[^"\n]{7,}"|"(?:[^"\\\n]|\\.){8,}"|'[^'\n]{8,}'|` + "`[^`\\s]{8,}`"
	plain    = `[^\s"',;(){}\[\]<]{8,}`
)

var (
	// anyValue matches a value on the same line. afterScheme matches one after a scheme, such as
	// Bearer, and onNextLine one that is alone on the next line.
	anyValue    = lazyregexp.New(`^\*{0,2}[ \t]*(` + inQuotes + `|` + plain + `)`)
	afterScheme = lazyregexp.New(`^\*{0,2}[ \t]*["']?(?i:bearer|basic|token|apikey)[ \t]+(` + plain + `)`)
	onNextLine  = lazyregexp.New(`^[ \t]*(?:[|>][+\-]?)?[ \t]*\r?\n[ \t]*(` + inQuotes + `|[^\s"',;(){}\[\]<]{7,}[^\s"',;(){}\[\]<:])[ \t]*\r?(?:\n|$)`)
	quotedValue = lazyregexp.New(`^[ \t]*(` + inQuotes + `)`)
	wordValue   = lazyregexp.New(`^[ \t]*(?:is |was )?[ \t]*(` + inQuotes + `|` + plain + `)`)
	inElement   = lazyregexp.New(`^\s*([^\s<>]{8,})\s*</`)

	// surely matches the names whose value is a secret even if it is plain words.
	surely = lazyregexp.New(`(?i)passw|passphrase|secret|api_?key`)
	// typed matches a name that a string type follows.
	typed = lazyregexp.New(`([\w\-]+)(?:\s*:\s*|\s+)(?:&\s*)?(?:'static\s+)?(?:string|String|str|Optional\[str\])\s*\??\s*$`)
	// named matches the name in a pair of a name and a value. The match ends before the value.
	named = lazyregexp.New(`(?:name|key|Name|Key)\\?["']?\s*[:=]\s*\\?["']?([\w\-.]+)\\?["']?[\s,;]+\\?["']?$`)
	// element matches the name in the attributes of an XML element.
	element = lazyregexp.New(`\s(?:name|key)=["']([\w\-.]+)["']`)
)

// withoutAssigned replaces the values that follow the name of a secret.
func withoutAssigned(text string) string {
	var b strings.Builder
	rest := text
	for i := 0; i < len(rest); i++ {
		if !isSign[rest[i]] {
			continue
		}
		begin, end := assigned(rest, i)
		if end == 0 {
			continue
		}
		b.WriteString(rest[:begin])
		b.WriteString(Placeholder)
		rest, i = rest[end:], -1
	}
	if b.Len() == 0 {
		return text
	}
	b.WriteString(rest)
	return b.String()
}

// isSign holds the characters that may separate the name of a secret and its value.
var isSign = [256]bool{'=': true, ':': true, ',': true, '>': true, ' ': true}

// assigned returns the offsets of the secret after the separator at an offset. It returns 0 and 0
// if there is none.
func assigned(text string, at int) (begin, end int) {
	before, next := text[:at], at+1
	if strings.HasPrefix(text[next:], "=") && text[at] == ':' || strings.HasPrefix(text[next:], ">") && text[at] == '=' {
		next++ // := and =>
	}
	after := text[next:min(len(text), next+longestValue)]
	for _, a := range assignments(before, text[at]) {
		found := a.value.FindStringSubmatchIndex(after)
		if found != nil && a.looks(a.name, after[found[2]:found[3]]) {
			return next + found[2], next + found[3]
		}
	}
	return 0, 0
}

// assignments returns the possible assignments if sign is the separator after the text before.
func assignments(before string, sign byte) []assignment {
	switch sign {
	case ' ':
		return behindWord(before)
	case ',': // define('DB_PASSWORD', '…')
		if name := inSameQuotes(before); name != "" {
			return []assignment{{name, quotedValue, looksMixed}}
		}
	case '>':
		if name := ofElement(before); name != "" {
			return []assignment{{name, inElement, looksSecret}}
		}
	case '=', ':':
		name := assignedTo(before)
		switch {
		case name == "" && sign == '=':
			return ofTyped(before)
		case name == "":
			return ofPair(before)
		}
		all := []assignment{{name, anyValue, looksSecret}, {name, afterScheme, func(_, value string) bool { return isMixed(value) || hasBothCases(value) }}}
		if sign == '=' {
			all[0].looks = looksSecretOrVariable
		} else if surely.MatchString(name) || strings.Contains(strings.ToLower(name), "token") {
			all = append(all, assignment{name, onNextLine, looksMixed})
		}
		return all
	}
	return nil
}

// ofTyped returns the assignment to a name with a type, such as "let token: string = '…'", or to
// the value of a pair.
func ofTyped(before string) []assignment {
	trimmed := strings.TrimRight(before, " \t?")
	for _, end := range []string{"string", "String", "str", "str]"} {
		if !strings.HasSuffix(trimmed, end) {
			continue
		}
		if m := typed.FindStringSubmatch(tail(before, longestPair)); m != nil && IsSecretName(m[1]) {
			return []assignment{{m[1], quotedValue, looksSecretOrVariable}}
		}
	}
	return ofPair(before)
}

// ofPair returns the assignment to the value of a pair that names a secret, such as "name: TOKEN"
// and "value: …" of Kubernetes.
func ofPair(before string) []assignment {
	before = strings.TrimRight(before, " \t\"'\\")
	before, is := strings.CutSuffix(before, "alue")
	if !is || before == "" || before[len(before)-1]|0x20 != 'v' {
		return nil
	}
	m := named.FindStringSubmatch(tail(before[:len(before)-1], longestPair))
	if m == nil || !IsSecretName(m[1]) {
		return nil
	}
	return []assignment{{m[1], anyValue, looksSecretOrVariable}}
}

// behindWord returns the assignment for a value after an option, or after a word such as password.
func behindWord(before string) []assignment {
	word := lastWord(before)
	if option := strings.TrimLeft(word, "-"); option != word {
		if parts := strings.FieldsFunc(option, func(r rune) bool { return r == '-' || r == '_' }); len(parts) == 0 || isPlainKey(option) || !IsSecretName(parts[len(parts)-1]) && !strings.HasSuffix(option, "pass") {
			return nil
		}
		return []assignment{{option, wordValue, func(name, value string) bool { return looksSecret(name, value) && !isPath(value) }}}
	}
	switch word = strings.ToLower(strings.Trim(word, "\"'`*(")); word {
	case "password", "passwd", "passphrase", "token":
		looks := func(_, value string) bool { return isRandom(value) }
		if fields := strings.Fields(tail(before, longestPair)); len(fields) > 2 && slices.Contains([]string{"login", "user", "account"}, fields[len(fields)-3]) {
			looks = looksMixed // .netrc
		}
		return []assignment{{word, wordValue, looks}}
	}
	return nil
}

// lastWord returns the word at the end of a text, or "" if the word is longer than longestName.
func lastWord(text string) string {
	begin := len(text)
	for begin > 0 && text[begin-1] > ' ' {
		if begin--; len(text)-begin > longestName {
			return ""
		}
	}
	return text[begin:]
}

func tail(text string, most int) string { return text[max(0, len(text)-most):] }

// assignedTo returns the name at the end of a text if it is the name of a secret, otherwise "".
func assignedTo(text string) string {
	text = strings.TrimRight(strings.TrimRight(text, " \t"), "\"'`\\[]*")
	begin := len(text)
	for begin > 0 && isName(text[begin-1]) {
		begin--
	}
	if name := text[begin:]; len(name) > 1 && IsSecretName(name) {
		return name
	}
	return ""
}

// inSameQuotes returns the quoted name at the end of a text if it is the name of a secret,
// otherwise "".
func inSameQuotes(text string) string {
	text = strings.TrimRight(text, " \t")
	if text == "" || text[len(text)-1] != '"' && text[len(text)-1] != '\'' {
		return ""
	}
	name := assignedTo(text)
	if begin := len(text) - len(name) - 2; name == "" || begin < 0 || text[begin] != text[len(text)-1] || isPlainKey(name) {
		return ""
	}
	return name
}

// ofElement returns the name of the XML element whose start tag ends text, or the name in its
// attributes. It returns "" if neither is the name of a secret.
func ofElement(text string) string {
	text = tail(text, longestPair)
	begin := strings.LastIndexAny(text, "<>") + 1
	if begin == 0 || text[begin-1] == '>' {
		return ""
	}
	name, attributes, more := strings.Cut(text[begin:], " ")
	if IsSecretName(name) && !isPlainKey(name) {
		return name
	}
	if !more {
		return ""
	}
	if m := element.FindStringSubmatch(" " + attributes); m != nil && IsSecretName(m[1]) {
		return m[1]
	}
	return ""
}

// isPlainKey reports whether a name may be the name of a table key, a public key or a key file.
func isPlainKey(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, "s0123456789"))
	return strings.HasSuffix(name, "key") && !strings.Contains(name, "api") && !strings.Contains(name, "secret") && !strings.Contains(name, "access") && !strings.Contains(name, "auth")
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// looksSecret reports whether a value that is assigned to the name of a secret looks like one. The
// value must mix kinds of characters, or be in quotes while the name is unambiguous.
func looksSecret(name, value string) bool {
	return !isReference(value) && (isMixed(value) || unquoted(value) != value && surely.MatchString(name))
}

// looksSecretOrVariable is like looksSecret, and also accepts every value of a variable in
// capitals.
func looksSecretOrVariable(name, value string) bool {
	return looksSecret(name, value) || name == strings.ToUpper(name) && !isReference(value)
}

// looksMixed is a stricter form of looksSecret, for contexts in which other texts are common.
func looksMixed(name, value string) bool {
	isName := func(text string) bool { return strings.Contains(text, "_") && strings.ToUpper(text) == text }
	return !isReference(value) && !isName(value) && (isMixed(value) || isName(name) && !strings.Contains(value, "/"))
}

// isReference reports whether a value refers to another value, such as a variable.
func isReference(value string) bool {
	value = unquoted(value)
	return value == "" || strings.ContainsRune("$<%{", rune(value[0]))
}

func unquoted(value string) string { return strings.Trim(value, "\\\"'`") }

func isPath(value string) bool {
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "~")
}

func isMixed(text string) bool { return hasLettersAndDigits(unquoted(text)) }

func hasLettersAndDigits(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ToLower(text) != strings.ToUpper(text)
}

func hasBothCases(text string) bool {
	return strings.ToLower(text) != text && strings.ToUpper(text) != text
}

// isRandom reports whether a text looks random or made up as a password: letters and digits
// alternate, or there are symbols between them.
func isRandom(text string) bool {
	turns, signs := 0, 0
	last := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if last == 'a' {
				turns++
			}
			last = '0'
		case isName(c):
			if last == '0' {
				turns++
			}
			last = 'a'
		case strings.IndexByte("!#$%^&*+", c) >= 0 && i > 0:
			signs++
		}
	}
	return turns >= 3 || turns > 0 && signs > 0 && !strings.Contains(text, "://")
}
