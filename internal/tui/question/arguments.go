package question

import (
	"bytes"
	"encoding/json"
	"strings"
)

// deepest is how far nested values are indented; what is nested deeper stays on its row.
const deepest = 16

// argumentsText is all of a call's arguments as JSON, a parameter a row and without the
// outer braces. Line breaks within a text stay visible as \n and break the row, so that
// no text can pass for another parameter.
func argumentsText(arguments json.RawMessage) string {
	w := argumentsWriter{decoder: json.NewDecoder(bytes.NewReader(arguments))}
	w.decoder.UseNumber()
	if start, err := w.decoder.Token(); err != nil || start != json.Delim('{') {
		return string(arguments)
	}
	for first := true; w.decoder.More(); first = false {
		if !first {
			w.WriteByte('\n')
		}
		if w.member(0) != nil {
			return string(arguments)
		}
	}
	return w.String()
}

// argumentsWriter writes values as they are read.
type argumentsWriter struct {
	strings.Builder
	decoder *json.Decoder
}

// member writes a name and its value.
func (w *argumentsWriter) member(depth int) error {
	name, err := w.decoder.Token()
	if err != nil {
		return err
	}
	w.text(name.(string), depth)
	w.WriteString(": ")
	return w.value(depth)
}

func (w *argumentsWriter) value(depth int) error {
	token, err := w.decoder.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return w.several(token, depth)
	case string:
		w.text(token, depth)
	case json.Number:
		w.WriteString(token.String())
	case bool:
		w.WriteString(map[bool]string{true: "true", false: "false"}[token])
	default:
		w.WriteString("null")
	}
	return nil
}

// several writes the values of an object or a list that was opened.
func (w *argumentsWriter) several(opened json.Delim, depth int) error {
	w.WriteString(opened.String())
	each := w.value
	if opened == '{' {
		each = w.member
	}
	empty := !w.decoder.More()
	for first := true; w.decoder.More(); first = false {
		if !first {
			w.WriteByte(',')
		}
		w.newRow(depth + 1)
		if err := each(depth + 1); err != nil {
			return err
		}
	}
	closed, err := w.decoder.Token()
	if err != nil {
		return err
	}
	if !empty {
		w.newRow(depth)
	}
	w.WriteString(closed.(json.Delim).String())
	return nil
}

// newRow begins a row, or continues behind a space where values are nested too deep.
func (w *argumentsWriter) newRow(depth int) {
	if depth > deepest {
		w.WriteByte(' ')
		return
	}
	w.WriteString("\n" + strings.Repeat("  ", depth))
}

// text writes a text in quotes. Characters that would not be seen stay as they are: the
// question reveals and counts them.
func (w *argumentsWriter) text(text string, depth int) {
	lineEnd := `\n` + "\n" + strings.Repeat("  ", min(depth, deepest)+1)
	body := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", lineEnd).Replace(strings.TrimSuffix(text, "\n"))
	if strings.HasSuffix(text, "\n") {
		body += `\n`
	}
	w.WriteString(`"` + body + `"`)
}
