package chat

import (
	"bytes"
	"encoding/json"
	"strings"

	"agent/internal/tools"
)

// callTitle says a call in a line: the tool, the parameter that tells it from
// others, where it looks, and its numbers, such as the lines it is about.
func callTitle(tool tools.Tool, k *call) string {
	title, where := k.name, ""
	var numbers []string
	eachParameter(k.parameters, func(name string, value json.RawMessage) {
		var number json.Number
		switch {
		case name == tool.KeyParameter:
			if key := firstLine(keyText(value)); key != "" && name == "pattern" && strings.Contains(key, " ") {
				title += ` "` + key + `"` // it has an end
			} else if key != "" {
				title += " " + key
			}
		case name == "path":
			if path := firstLine(keyText(value)); path != "" && path != "." {
				where = " in " + path
			}
		case json.Unmarshal(value, &number) == nil && value[0] != '"' && number != "":
			numbers = append(numbers, name+" "+number.String())
		}
	})
	title += where
	if len(numbers) > 0 {
		title += " (" + strings.Join(numbers, ", ") + ")"
	}
	return title
}

// keyText is a text, the texts of a list, or a number.
func keyText(value json.RawMessage) string {
	var text string
	var texts []string
	var number json.Number
	switch {
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &texts) == nil:
		return strings.Join(texts, ", ")
	case json.Unmarshal(value, &number) == nil:
		return number.String()
	}
	return ""
}

// eachParameter goes through the members of an object in their order. What is not
// an object has none.
func eachParameter(parameters json.RawMessage, visit func(name string, value json.RawMessage)) {
	decoder := json.NewDecoder(bytes.NewReader(parameters))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return
		}
		visit(name.(string), value)
	}
}
