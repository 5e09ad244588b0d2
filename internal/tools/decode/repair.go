package decode

import (
	"encoding/json"
	"errors"
	"strings"
)

// repairs are what broken arguments may have been meant as, the likeliest first. Those
// that end in the middle have none: a text that was cut would be written.
func repairs(arguments string) []string {
	text := unfenced(strings.TrimSpace(arguments))
	if isCut(escaped(text)) && isCut(text) {
		return nil
	}
	found := []string{escaped(text), withoutTrailingCommas(escaped(text))}
	if strings.HasPrefix(text, "{'") {
		found = append(found, withoutTrailingCommas(escaped(doubleQuoted(text))))
	}
	return found
}

// isCut reports whether a text is JSON that ends too early.
func isCut(text string) bool {
	var value any
	err := json.Unmarshal([]byte(text), &value)
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end")
}

// unfenced is what a code fence holds.
func unfenced(text string) string {
	rest, fenced := strings.CutPrefix(text, "```")
	if !fenced {
		return text
	}
	_, rest, _ = strings.Cut(rest, "\n")
	body, closed := strings.CutSuffix(strings.TrimSpace(rest), "```")
	if !closed {
		return text
	}
	return strings.TrimSpace(body)
}

// each calls outside for every byte of a text that is not within a JSON string, and inside
// for those that are, escapes left out; both return what represents it.
func each(text string, outside func(i int) string, inside func(b byte) string) string {
	var out strings.Builder
	within := false
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case within && b == '\\' && i+1 < len(text):
			out.WriteString(text[i : i+2])
			i++
		case b == '"':
			within = !within
			out.WriteByte(b)
		case within:
			out.WriteString(inside(b))
		default:
			out.WriteString(outside(i))
		}
	}
	return out.String()
}

// escaped escapes line feeds and tabs within strings.
func escaped(text string) string {
	return each(text, func(i int) string { return text[i : i+1] }, func(b byte) string {
		switch b {
		case '\n':
			return `\n`
		case '\r':
			return `\r`
		case '\t':
			return `\t`
		}
		return string([]byte{b})
	})
}

// withoutTrailingCommas leaves out commas that nothing follows.
func withoutTrailingCommas(text string) string {
	return each(text, func(i int) string {
		if rest := strings.TrimLeft(text[i+1:], " \t\r\n"); text[i] == ',' && rest != "" && (rest[0] == '}' || rest[0] == ']') {
			return ""
		}
		return text[i : i+1]
	}, func(b byte) string { return string([]byte{b}) })
}

// pythons are the words of Python that JSON writes otherwise.
var pythons = strings.NewReplacer("True", "true", "False", "false", "None", "null")

// doubleQuoted writes an object of Python in JSON: strings in double quotes, and its words.
func doubleQuoted(text string) string {
	var out strings.Builder
	quote, from := byte(0), 0 // what closes the string, and where what is outside begins
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case quote == 0 && (b == '\'' || b == '"'):
			out.WriteString(pythons.Replace(text[from:i]) + `"`)
			quote = b
		case quote == 0:
		case b == '\\' && i+1 < len(text):
			if i++; text[i] != '\'' {
				out.WriteByte(b)
			}
			out.WriteByte(text[i])
		case b == quote:
			out.WriteByte('"')
			quote, from = 0, i+1
		case b == '"':
			out.WriteString(`\"`)
		default:
			out.WriteByte(b)
		}
	}
	if quote == 0 {
		out.WriteString(pythons.Replace(text[from:]))
	}
	return out.String()
}
