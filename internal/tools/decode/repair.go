package decode

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

// repairs returns possible corrections of broken arguments, the likeliest first. It does not
// correct arguments that end early, because the tool would write an incomplete text.
func repairs(arguments string) []string {
	text := unfenced(strings.TrimSpace(arguments))
	if isCut(json.Unmarshal([]byte(escaped(text)), new(any))) && isCut(json.Unmarshal([]byte(text), new(any))) {
		return nil
	}
	meant := []string{escaped(text)}
	if strings.HasPrefix(text, "{'") {
		meant = append(meant, escaped(doubleQuoted(text)))
	}
	for _, one := range meant {
		if plain, err := hujson.Minimize([]byte(one)); err == nil { // removes trailing commas
			meant = append(meant, string(plain))
		}
	}
	return meant
}

// isCut reports whether an error means that JSON ends too early.
func isCut(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end")
}

// unfenced returns the text inside a code fence.
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

// controls maps control characters that JSON strings may not contain to their escapes.
var controls = map[byte]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}

// escaped escapes line feeds and tabs within strings.
func escaped(text string) string {
	var out strings.Builder
	within := false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case within && b == '\\' && i+1 < len(text):
			out.WriteString(text[i : i+2])
			i++
		case within && controls[b] != "":
			out.WriteString(controls[b])
		default:
			within = within != (b == '"')
			out.WriteByte(b)
		}
	}
	return out.String()
}

// pythons replaces the literals of Python by those of JSON.
var pythons = strings.NewReplacer("True", "true", "False", "false", "None", "null")

// doubleQuoted rewrites a Python object as JSON: strings in double quotes, and the literals of
// JSON.
func doubleQuoted(text string) string {
	var out strings.Builder
	quote, from := byte(0), 0 // the closing quote, and the start of the text outside strings
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
