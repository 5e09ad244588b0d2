package command

import "strings"

// plainBarWidth is the width of a bar without a screen, in characters.
const plainBarWidth = 60

// Plain is the output as lines of text, for where there is no screen.
func (o Output) Plain() []string {
	var lines []string
	if o.Bar != nil {
		lines = append(lines, o.Bar.Text(plainBarWidth))
	}
	lines = append(lines, o.Lines...)
	for _, text := range []string{o.Diff, o.Copy} {
		if text != "" {
			lines = append(lines, strings.TrimRight(text, "\n"))
		}
	}
	return lines
}

// IsCommand reports whether a line is meant as a slash command: a slash, a name and
// arguments. A line that begins with a path (/etc/hosts …) is not.
func IsCommand(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return word != "/" && IsCommandWord(word)
}

// IsCommandWord reports whether a word is, or begins to be, the name of a command:
// a slash, and then nothing but letters, digits, - _ : and ?.
func IsCommandWord(word string) bool {
	name, slash := strings.CutPrefix(word, "/")
	return slash && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_:?", r)
	}) < 0
}
