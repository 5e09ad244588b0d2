package trustedfile

import (
	"cmp"
	"strings"
)

// Fields maps the names of the frontmatter fields of a file, between two lines of dashes, to their
// values. A list has one item per line.
type Fields map[string]string

// Frontmatter splits a text into its frontmatter fields and the rest. ok is false if there are
// none. It leniently parses the part of YAML that such files use. Values may be quoted, continue in
// indented lines, and contain a colon without quotes. Lists may be in brackets or in lines with
// dashes.
func Frontmatter(text string) (fields Fields, body string, ok bool) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\uFEFF")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return nil, text, false
	}
	head, body, found := cutLine(rest, "---")
	if !found {
		return nil, text, false
	}
	return parseFields(head), body, true
}

// cutLine splits a text around the first line that equals mark.
func cutLine(text, mark string) (before, after string, found bool) {
	at := 0
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \t\n") == mark {
			return text[:at], text[at+len(line):], true
		}
		at += len(line)
	}
	return text, "", false
}

func parseFields(head string) Fields {
	fields := Fields{}
	key, folded := "", false
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		name, value, pair := strings.Cut(line, ":")
		switch item, isItem := strings.CutPrefix(trimmed, "- "); {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case isItem && key != "":
			fields[key] = joined(fields[key], "\n", unquote(withoutComment(item)))
		case pair && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t"):
			key = strings.ToLower(unquote(name))
			value = withoutComment(strings.TrimSpace(value))
			folded = !strings.HasPrefix(value, "|")
			fields[key] = scalar(value)
		case key != "":
			separator := "\n"
			if folded {
				separator = " "
			}
			fields[key] = joined(fields[key], separator, trimmed)
			if folded && strings.HasPrefix(fields[key], "[") {
				fields[key] = scalar(fields[key]) // a list in brackets on several lines, once it ends
			}
		}
	}
	return fields
}

func joined(before, separator, next string) string {
	if before == "" {
		return next
	}
	return before + separator + next
}

// withoutComment returns a value without the comment after it. A # in a number such as "issue #3"
// does not begin a comment.
func withoutComment(value string) string {
	end := 0
	if at := strings.IndexAny(value, `"'[`); at == 0 {
		closing := map[byte]string{'[': "]"}[value[0]]
		end = 1 + strings.LastIndex(value[1:], cmp.Or(closing, value[:1])) + 1
	}
	before, _, _ := strings.Cut(value[end:], " # ")
	return strings.TrimSpace(value[:end] + before)
}

// scalar parses the value on the line of a key.
func scalar(value string) string {
	switch {
	case value != "" && strings.Trim(value, "|>+-0123456789") == "" && strings.ContainsAny(value[:1], "|>"):
		return "" // a block follows on the next lines
	case strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]"):
		return strings.Join(items(value[1:len(value)-1]), "\n")
	case value == "null" || value == "~":
		return ""
	}
	return unquote(value)
}

// List returns a field as a list: its lines if it has several, otherwise the items between commas.
func (f Fields) List(key string) []string {
	value := f[key]
	if strings.Contains(value, "\n") {
		return strings.Split(value, "\n")
	}
	return items(value)
}

// Rules returns a field as a list of rules, separated by commas, blanks or line breaks, such as
// "Bash(git add:*) Read". Text in parentheses belongs to the rule before it.
func (f Fields) Rules(key string) []string {
	var all []string
	for _, item := range f.List(key) {
		depth, start := 0, 0
		for i, r := range item {
			switch {
			case r == '(':
				depth++
			case r == ')':
				depth--
			case r == ' ' && depth <= 0 && !strings.HasPrefix(strings.TrimLeft(item[i:], " "), "("):
				if rule := strings.TrimSpace(item[start:i]); rule != "" {
					all = append(all, rule)
				}
				start = i
			}
		}
		if rule := strings.TrimSpace(item[start:]); rule != "" {
			all = append(all, rule)
		}
	}
	return all
}

// Bool returns a field as a boolean. It returns usually if the field is missing or not a boolean.
func (f Fields) Bool(key string, usually bool) bool {
	switch strings.ToLower(f[key]) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0":
		return false
	}
	return usually
}

// items splits a text at commas that are not inside brackets, braces or quotes.
func items(s string) []string {
	var parts []string
	depth, start := 0, 0
	quote := rune(0)
	for i, r := range s + "," {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case strings.ContainsRune("{([", r):
			depth++
		case strings.ContainsRune("})]", r):
			depth--
		case r == ',' && depth <= 0:
			if part := unquote(s[start:i]); part != "" {
				parts = append(parts, part)
			}
			start = i + 1
		}
	}
	if rest := unquote(s[min(start, len(s)):]); rest != "" {
		parts = append(parts, rest)
	}
	return parts
}

// unquote returns a value without the quotes around it.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		inside := s[1 : len(s)-1]
		if s[0] == '"' {
			return strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`).Replace(inside)
		}
		return strings.ReplaceAll(inside, "''", "'")
	}
	return s
}
