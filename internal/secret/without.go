package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A known is a kind of secret that is recognised by its value.
type known struct {
	// marks are texts of which each line with such a secret has one.
	marks []string
	value *regexp.Regexp
	by    string
}

// forms are the expressions of Without, compiled when they are first used.
type forms struct {
	known []known
	// pairs has the two bytes with which a mark begins.
	pairs [1 << 16]bool
	// block is a private key, assigned a value after the sign of an assignment.
	block, assigned *regexp.Regexp
	// surely matches the names whose value is a secret even if it is plain words.
	surely *regexp.Regexp
}

var compiled = sync.OnceValue(func() *forms {
	f := &forms{
		known: []known{
			{[]string{
				"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "gsk_", "xai-", "nvapi-", "hf_", "npm_", "pypi-", "xox", "dop_v1_",
				"AIza", "AKIA", "ASIA", "SG.", "rk_live_", "sk_live_",
			}, regexp.MustCompile(keyForm), "${1}" + Placeholder},
			{[]string{"://"}, regexp.MustCompile(`(://)[^/?#\s:@]*:[^/?#\s@]+@`), "${1}" + Placeholder + "@"},
			{[]string{"eyJ"}, regexp.MustCompile(`(^|[^A-Za-z0-9])eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-.]{4,}`), "${1}" + Placeholder},
			{[]string{"Bearer ", "bearer "}, regexp.MustCompile(`([Bb]earer\s+)[A-Za-z0-9_\-.=+/]{16,}`), "${1}" + Placeholder},
		},
		block:    regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`),
		assigned: regexp.MustCompile(`^[ \t]*("[^"\n]{8,}"|'[^'\n]{8,}'|[^\s"',;(){}\[\]]{8,})`),
		surely:   regexp.MustCompile(`(?i)passw|passphrase|secret|api_?key`),
	}
	for _, k := range f.known {
		for _, mark := range k.marks {
			f.pairs[pair(mark)] = true
		}
	}
	return f
})

// Without returns a text with a placeholder for each secret that it recognises: the secrets that In
// finds, and values that are assigned to the name of a secret and look like one. It is meant for
// texts that are kept or searched, where a word too few does no harm.
func Without(text string) string {
	if strings.Contains(text, "-----BEGIN") {
		text = compiled().block.ReplaceAllString(text, Placeholder)
	}
	return withoutAssigned(withoutKnown(text))
}

// pair returns the first two bytes of a text as one number.
func pair(text string) int { return int(text[0])<<8 | int(text[1]) }

// withoutKnown replaces the secrets of a known kind. It reads the text once, and changes only lines
// that have a mark.
func withoutKnown(text string) string {
	f := compiled()
	var b strings.Builder
	rest := text
	for i := 0; i < len(rest)-1; i++ {
		if !f.pairs[pair(rest[i:])] || !slices.ContainsFunc(f.known, func(k known) bool { return k.at(rest[i:]) }) {
			continue
		}
		begin := strings.LastIndexByte(rest[:i], '\n') + 1
		end := len(rest)
		if next := strings.IndexByte(rest[i:], '\n'); next >= 0 {
			end = i + next
		}
		b.WriteString(rest[:begin])
		b.WriteString(f.inLine(rest[begin:end]))
		rest, i = rest[end:], -1
	}
	if b.Len() == 0 {
		return text
	}
	b.WriteString(rest)
	return b.String()
}

// at reports whether a text begins with a mark.
func (k known) at(text string) bool {
	return slices.ContainsFunc(k.marks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// inLine replaces the secrets of a known kind in a line.
func (f *forms) inLine(line string) string {
	for _, k := range f.known {
		if slices.ContainsFunc(k.marks, func(mark string) bool { return strings.Contains(line, mark) }) {
			line = k.value.ReplaceAllString(line, k.by)
		}
	}
	return line
}

// withoutAssigned replaces the values that follow the name of a secret and = or a colon.
func withoutAssigned(text string) string {
	var b strings.Builder
	rest := text
	for i := 0; ; {
		sign := strings.IndexAny(rest[i:], "=:")
		if sign < 0 {
			break
		}
		i += sign + 1
		name := assignedTo(rest[:i-1])
		if name == "" {
			continue
		}
		if i < len(rest) && rest[i-1] == ':' && rest[i] == '=' {
			i++
		}
		found := compiled().assigned.FindStringSubmatchIndex(rest[i:min(len(rest), i+longestValue)])
		if found == nil || !looksSecret(name, rest[i+found[2]:i+found[3]], rest[i-1] == '=') {
			continue
		}
		b.WriteString(rest[:i+found[2]])
		b.WriteString(Placeholder)
		rest, i = rest[i+found[3]:], 0
	}
	if b.Len() == 0 {
		return text
	}
	b.WriteString(rest)
	return b.String()
}

// longestValue bounds the value of an assignment in bytes.
const longestValue = 4096

// assignedTo returns the name at the end of a text if it is that of a secret, else "".
func assignedTo(text string) string {
	text = strings.TrimRight(text, " \t")
	if n := len(text); n > 0 && (text[n-1] == '"' || text[n-1] == '\'') {
		text = text[:n-1]
	}
	begin := len(text)
	for begin > 0 && isName(text[begin-1]) {
		begin--
	}
	if name := text[begin:]; len(name) > 1 && Name(name) {
		return name
	}
	return ""
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// looksSecret reports whether a value that is assigned to the name of a secret looks like one.
func looksSecret(name, value string, equals bool) bool {
	quoted := value[0] == '"' || value[0] == '\''
	mixed := hasLettersAndDigits(value)
	variable := equals && name == strings.ToUpper(name)
	return !strings.HasPrefix(value, "$") && (mixed || variable || quoted && compiled().surely.MatchString(name))
}

func hasLettersAndDigits(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ToLower(text) != strings.ToUpper(text)
}
