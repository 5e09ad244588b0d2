package secret

import (
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
)

// Bounds of an assignment in bytes: its value, its name, and the place of the name in a pair.
const (
	longestValue = 4096
	longestName  = 64
	longestPair  = 160
)

// An assignment is a place at which a secret may follow.
type assignment struct {
	// name is the name of the secret.
	name string
	// value matches the value behind the sign. Its first group is the value.
	value *lazyregexp.Pattern
	// looks reports whether a value, which may be in quotes, looks like a secret.
	looks func(name, value string) bool
}

const (
	inQuotes = `\\"[^"\n]{7,}"|"(?:[^"\\\n]|\\.){8,}"|'[^'\n]{8,}'|` + "`[^`\\s]{8,}`"
	plain    = `[^\s"',;(){}\[\]<]{8,}`
)

var (
	// anyValue matches a value on the same line, with a scheme before it, and alone on the next line.
	anyValue    = lazyregexp.New(`^\*{0,2}[ \t]*(` + inQuotes + `|` + plain + `)`)
	afterScheme = lazyregexp.New(`^\*{0,2}[ \t]*["']?(?i:bearer|basic|token|apikey)[ \t]+(` + plain + `)`)
	onNextLine  = lazyregexp.New(`^[ \t]*(?:[|>][+\-]?)?[ \t]*\r?\n[ \t]*(` + inQuotes + `|[^\s"',;(){}\[\]<]{7,}[^\s"',;(){}\[\]<:])[ \t]*\r?(?:\n|$)`)
	quotedValue = lazyregexp.New(`^[ \t]*(` + inQuotes + `)`)
	wordValue   = lazyregexp.New(`^[ \t]*(?:is |was )?[ \t]*(` + inQuotes + `|` + plain + `)`)
	inElement   = lazyregexp.New(`^\s*([^\s<>]{8,})\s*</`)

	// surely matches the names whose value is a secret even if it is plain words.
	surely = lazyregexp.New(`(?i)passw|passphrase|secret|api_?key`)
	// typed matches a name with the type of a text behind it.
	typed = lazyregexp.New(`([\w\-]+)(?:\s*:\s*|\s+)(?:&\s*)?(?:'static\s+)?(?:string|String|str|Optional\[str\])\s*\??\s*$`)
	// named matches the name in a pair of a name and a value, in front of the value.
	named = lazyregexp.New(`(?:name|key|Name|Key)\\?["']?\s*[:=]\s*\\?["']?([\w\-.]+)\\?["']?[\s,;]+\\?["']?$`)
	// element matches the name in the attributes of an element of XML.
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

// isSign has the characters between the name of a secret and its value.
var isSign = [256]bool{'=': true, ':': true, ',': true, '>': true, ' ': true}

// assigned returns the place of the secret behind the sign at a place, 0 and 0 if there is none.
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

// assignments returns the assignments that a sign behind a text may be.
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

// ofTyped returns the assignment to a name with a type, as in "let token: string = '…'", or to the
// value of a pair.
func ofTyped(before string) []assignment {
	trimmed := strings.TrimRight(before, " \t?")
	for _, end := range []string{"string", "String", "str", "str]"} {
		if !strings.HasSuffix(trimmed, end) {
			continue
		}
		if m := typed.FindStringSubmatch(tail(before, longestPair)); m != nil && Name(m[1]) {
			return []assignment{{m[1], quotedValue, looksSecretOrVariable}}
		}
	}
	return ofPair(before)
}

// ofPair returns the assignment to the value of a pair whose name is that of a secret, as in
// Kubernetes' "name: TOKEN" and "value: …".
func ofPair(before string) []assignment {
	before = strings.TrimRight(before, " \t\"'\\")
	before, is := strings.CutSuffix(before, "alue")
	if !is || before == "" || before[len(before)-1]|0x20 != 'v' {
		return nil
	}
	m := named.FindStringSubmatch(tail(before[:len(before)-1], longestPair))
	if m == nil || !Name(m[1]) {
		return nil
	}
	return []assignment{{m[1], anyValue, looksSecretOrVariable}}
}

// behindWord returns the assignment of a value behind an option, or behind a word such as password.
func behindWord(before string) []assignment {
	word := lastWord(before)
	if option := strings.TrimLeft(word, "-"); option != word {
		if parts := strings.FieldsFunc(option, func(r rune) bool { return r == '-' || r == '_' }); len(parts) == 0 || isPlainKey(option) || !Name(parts[len(parts)-1]) && !strings.HasSuffix(option, "pass") {
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

// lastWord returns the word at the end of a text, "" if it is no short one.
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

// assignedTo returns the name at the end of a text if it is that of a secret, else "".
func assignedTo(text string) string {
	text = strings.TrimRight(strings.TrimRight(text, " \t"), "\"'`\\[]*")
	begin := len(text)
	for begin > 0 && isName(text[begin-1]) {
		begin--
	}
	if name := text[begin:]; len(name) > 1 && Name(name) {
		return name
	}
	return ""
}

// inSameQuotes returns the name in quotes at the end of a text if it is that of a secret, else "".
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

// ofElement returns the name of the element of XML whose start ends a text, or the one in its
// attributes, if it is that of a secret, else "".
func ofElement(text string) string {
	text = tail(text, longestPair)
	begin := strings.LastIndexAny(text, "<>") + 1
	if begin == 0 || text[begin-1] == '>' {
		return ""
	}
	name, attributes, more := strings.Cut(text[begin:], " ")
	if Name(name) && !isPlainKey(name) {
		return name
	}
	if !more {
		return ""
	}
	if m := element.FindStringSubmatch(" " + attributes); m != nil && Name(m[1]) {
		return m[1]
	}
	return ""
}

// isPlainKey reports whether a name may be that of a key in a table, of a public key or of a file.
func isPlainKey(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, "s0123456789"))
	return strings.HasSuffix(name, "key") && !strings.Contains(name, "api") && !strings.Contains(name, "secret") && !strings.Contains(name, "access") && !strings.Contains(name, "auth")
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// looksSecret reports whether a value that belongs to the name of a secret looks like one: it is
// mixed, or the name leaves no doubt and the value is in quotes.
func looksSecret(name, value string) bool {
	return !isReference(value) && (isMixed(value) || unquoted(value) != value && surely.MatchString(name))
}

// looksSecretOrVariable is like looksSecret, and takes each value of a variable in capitals.
func looksSecretOrVariable(name, value string) bool {
	return looksSecret(name, value) || name == strings.ToUpper(name) && !isReference(value)
}

// looksMixed is like looksSecret for values in places that have other texts, too.
func looksMixed(name, value string) bool {
	isName := func(text string) bool { return strings.Contains(text, "_") && strings.ToUpper(text) == text }
	return !isReference(value) && !isName(value) && (isMixed(value) || isName(name) && !strings.Contains(value, "/"))
}

// isReference reports whether a value stands for another one.
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

// isRandom reports whether a text looks drawn by chance or made up as a password: letters and digits
// take turns, or there are signs between them.
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
