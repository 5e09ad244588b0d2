package question

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// deepest limits the depth, in levels, to which nested values are indented. A value that is nested deeper
// stays on its row.
const deepest = 16

// argumentsText returns all arguments of a call as JSON, with a row for each parameter and without the
// outer braces. Line breaks within a text stay visible as \n and break the row, so that no text can look
// like another parameter. If the arguments are not an object, they are returned unchanged.
func argumentsText(arguments json.RawMessage) string {
	d := jsontext.NewDecoder(bytes.NewReader(arguments), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if start, err := d.ReadToken(); err != nil || start.Kind() != jsontext.KindBeginObject {
		return string(arguments)
	}
	var b strings.Builder
	for opened := true; ; {
		token, err := d.ReadToken()
		if err != nil {
			return string(arguments)
		}
		kind, depth := token.Kind(), d.StackDepth()
		closes := kind == jsontext.KindEndObject || kind == jsontext.KindEndArray
		if closes && depth == 0 {
			return b.String()
		}
		opens := kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray
		within := depth // the depth of the object or list that contains the token
		if opens {
			within--
		}
		in, place := d.StackIndex(within)
		name := in == jsontext.KindBeginObject && place%2 == 1
		switch {
		case closes && !opened:
			newRow(&b, within-1)
		case closes, in == jsontext.KindBeginObject && !name: // the bracket or value continues the row
		case within > 1:
			if !opened {
				b.WriteByte(',')
			}
			newRow(&b, within-1)
		case !opened:
			b.WriteByte('\n')
		}
		if kind == jsontext.KindString {
			writeText(&b, token.String(), within-1)
		} else {
			b.WriteString(token.String())
		}
		if name {
			b.WriteString(": ")
		}
		opened = opens
	}
}

// newRow begins a row. If values are nested too deep, it only adds a space.
func newRow(b *strings.Builder, depth int) {
	if depth > deepest {
		b.WriteByte(' ')
		return
	}
	b.WriteString("\n" + strings.Repeat("  ", depth))
}

// writeText writes a text in quotes. It does not change invisible characters, because the question reveals
// and counts them later.
func writeText(b *strings.Builder, text string, depth int) {
	lineEnd := `\n` + "\n" + strings.Repeat("  ", min(depth, deepest)+1)
	body := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", lineEnd).Replace(strings.TrimSuffix(text, "\n"))
	if strings.HasSuffix(text, "\n") {
		body += `\n`
	}
	b.WriteString(`"` + body + `"`)
}
