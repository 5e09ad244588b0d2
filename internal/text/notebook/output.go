package notebook

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/text/lines"
)

// The limits of the shown outputs of a cell.
const (
	mostLines = 20
	mostBytes = 2000
)

// An output is the text that a cell printed, its result, or its error.
type output struct {
	Text  manyLines                  `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Error string                     `json:"ename"`
	Value string                     `json:"evalue"`
}

// manyLines is a text that the file may contain as a list of lines.
type manyLines string

// UnmarshalJSON implements json.Unmarshaler.
func (m *manyLines) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err == nil {
		*m = manyLines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(m))
}

func (o output) outputText() string {
	if o.Error != "" {
		return o.Error + ": " + o.Value
	}
	if o.Data == nil {
		return string(o.Text)
	}
	var plain manyLines
	_ = json.Unmarshal(o.Data["text/plain"], &plain) // if there is no text, the other types are listed
	var others []string
	for _, kind := range slices.Sorted(maps.Keys(o.Data)) {
		if kind != "text/plain" {
			others = append(others, fmt.Sprintf("[%s, %s]", kind, humanize.Bytes(int64(len(o.Data[kind])))))
		}
	}
	return strings.TrimSpace(string(plain) + "\n" + strings.Join(others, "\n"))
}

// boundedOutputs returns the outputs of a cell, cut to whole lines within the limits.
func boundedOutputs(outputs []output) string {
	var all strings.Builder
	for _, o := range outputs {
		if text := strings.TrimRight(strings.ReplaceAll(o.outputText(), "\r\n", "\n"), "\n"); text != "" {
			all.WriteString(text + "\n")
		}
	}
	whole := all.String()
	text, n := "", 0
	for _, line := range lines.Split(whole) {
		if n == mostLines || len(text)+len(line) > mostBytes {
			break
		}
		text, n = text+line, n+1
	}
	if rest := len(whole) - len(text); rest > 0 {
		text += fmt.Sprintf("[… %s more]\n", humanize.Bytes(int64(rest)))
	}
	return text
}
