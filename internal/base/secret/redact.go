package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A known is a kind of secret that is recognized by its form.
type known struct {
	// marks are texts. Each line with such a secret contains at least one of them.
	marks []string
	// value matches the secret. Its first group is the text before the secret, and its last group
	// the text after it.
	value *regexp.Regexp
	// random is set if a match is a secret only if it looks random.
	random bool
}

// forms holds the expressions of Without, compiled at first use.
type forms struct {
	known []known
	// pairs is indexed by the first two bytes of a mark. marks maps these bytes to the marks that
	// begin with them.
	pairs [1 << 16]bool
	marks map[int][]string
	// block matches a private key.
	block *regexp.Regexp
}

var compiled = sync.OnceValue(func() *forms {
	f := &forms{
		marks: map[int][]string{},
		known: []known{
			{issued, regexp.MustCompile(keyForm), false},
			{[]string{"://"}, regexp.MustCompile(addressForm + `(@)`), false},
			{[]string{"://"}, regexp.MustCompile(`(://)[\w\-.]{20,}(@)`), true},
			{[]string{"eyJ"}, regexp.MustCompile(tokenForm), false},
			{[]string{"Bearer ", "bearer "}, regexp.MustCompile(`([Bb]earer\s+)[A-Za-z0-9_\-.=+/]{16,}`), false},
			{[]string{"hooks.slack.com/", "discord.com/", "discordapp.com/", "webhook.office.com/", "api.telegram.org/"}, regexp.MustCompile(webhookForm), false},
			{[]string{"sshpass "}, regexp.MustCompile(`(\bsshpass\s+-p\s*)[^\s$]\S{3,}`), false},
			{[]string{"redis-cli "}, regexp.MustCompile(`(\bredis-cli\b[^|;&\n]*\s-a\s+)[^\s$]\S{3,}`), false},
			{[]string{"mysql", "mariadb"}, regexp.MustCompile(`(\b(?:mysql|mariadb)[a-z\-]*\s(?:[^|;&\n]*\s)?-p)[^\s$]\S{3,}`), false},
			{[]string{"login "}, regexp.MustCompile(`(\blogin\b[^|;&\n]*\s-p\s+)[^\s$]\S{3,}`), false},
			{[]string{"pass:"}, regexp.MustCompile(`(-pass(?:in|out)?\s+pass:)[^\s$]\S{3,}`), false},
			{[]string{"curl ", "wget ", "http ", "https ", "xh "}, regexp.MustCompile(`(\b(?:curl|wget|https?|xh) (?:[^|;&\n]*\s)?(?:-u|-a|--user|--proxy-user|--auth)[\s=]*["']?[^\s:"'$/]+:)[^\s"'$:/][^\s"']{3,}`), false},
		},
		block: regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`),
	}
	for _, k := range f.known {
		for _, mark := range k.marks {
			f.pairs[pair(mark)] = true
			f.marks[pair(mark)] = append(f.marks[pair(mark)], mark)
		}
	}
	return f
})

// Redact returns a text with a placeholder for each secret that it recognizes. It recognizes the
// secrets that In finds, and values that look like a secret and are assigned to the name of one. It
// is for texts that are stored or searched, where a word removed by mistake does no harm.
func Redact(text string) string {
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
		if !f.pairs[pair(rest[i:])] || !f.isMark(rest[i:]) {
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

func (f *forms) isMark(text string) bool {
	return slices.ContainsFunc(f.marks[pair(text)], func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// inLine replaces the secrets of a known kind in a line.
func (f *forms) inLine(line string) string {
	for _, k := range f.known {
		if slices.ContainsFunc(k.marks, func(mark string) bool { return strings.Contains(line, mark) }) {
			line = k.value.ReplaceAllStringFunc(line, func(found string) string {
				if k.random && !isRandom(found) {
					return found
				}
				return k.value.ReplaceAllString(found, "${1}"+Placeholder+"${2}")
			})
		}
	}
	return line
}
