package llm

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// object is a JSON object from a server. Each member is decoded by itself and as
// what is asked for, so that one of an unexpected shape costs nothing but itself.
type object map[string]json.RawMessage

// readObject decodes raw, to nil if it is no object.
func readObject(raw []byte) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// text returns a member that is a string, or what is text in a list of parts or in
// one part. Anything else is "".
func (o object) text(key string) string { return textOf(o[key]) }

func textOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return ""
		}
		return text
	case '{':
		return readObject(raw).text("text")
	case '[':
		var b strings.Builder
		for _, part := range listOf(raw) {
			b.WriteString(textOf(part))
		}
		return b.String()
	}
	return ""
}

// number returns a member that is a whole number, or a string that is one.
func (o object) number(key string) (int, bool) {
	text := strings.Trim(string(o[key]), `"`)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}

// tokens returns a member that counts tokens, 0 if it is none.
func (o object) tokens(key string) int {
	n, _ := o.number(key)
	return max(n, 0)
}

func (o object) object(key string) object { return readObject(o[key]) }

// list returns the items of a member. A single object counts as a list of one.
func (o object) list(key string) []json.RawMessage {
	raw := o[key]
	if len(raw) > 0 && raw[0] == '{' {
		return []json.RawMessage{raw}
	}
	return listOf(raw)
}

func listOf(raw json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil
	}
	return items
}

// present returns a member that is there and not null, without white space.
func (o object) present(key string) json.RawMessage {
	raw := bytes.TrimSpace(o[key])
	if string(raw) == "null" {
		return nil
	}
	return raw
}
