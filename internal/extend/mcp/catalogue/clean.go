package catalogue

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/text/lines"
)

// Clean removes invisible characters (control, bidi, zero-width and tag characters) from a server's
// text. removed is their number.
func Clean(text string) (clean string, removed int) {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, string(utf8.RuneError)), "\r\n", "\n")
	clean = strings.Map(func(r rune) rune {
		if humanize.IsHidden(r) {
			removed++
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(clean), removed
}

func (t *cleaner) clean(text string) string {
	clean, removed := Clean(text)
	t.removed += removed
	return clean
}

func (t *cleaner) line(text string, limit int) string { return humanize.Line(t.clean(text), limit) }

func shorten(text string, limit int) string {
	const note = 40
	if len(text) <= limit {
		return text
	}
	return lines.Cut(text, limit-note)
}

// cleanSchema returns a schema for the model, and its nesting depth. The schema describes an object
// and has no invisible characters. The error describes a schema that cannot be used.
func (t *cleaner) cleanSchema(raw json.RawMessage) (schema json.RawMessage, depth int, err error) {
	if len(raw) == 0 {
		return nil, 0, errors.New("it has no schema")
	}
	value, err := rawjson.Decode(raw)
	if err != nil {
		return nil, 0, errors.New("its schema is not valid JSON")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, 0, errors.New("its schema is not an object")
	}
	switch kind := object["type"].(type) {
	case nil:
		object["type"] = "object"
	case string:
		if kind != "object" {
			return nil, 0, errors.New("its schema describes a " + humanize.Line(kind, 20) + ", not an object")
		}
	default:
		object["type"] = "object" // type may be a list, but arguments are always an object
	}
	if properties, there := object["properties"]; there {
		if _, ok := properties.(map[string]any); !ok {
			return nil, 0, errors.New("the properties of its schema are not an object")
		}
	}
	delete(object, "$schema") // models do not need it, and it costs 20 tokens per tool
	clean, depth := t.cleanValue(object)
	schema, err = rawjson.Marshal(clean)
	return schema, depth, err
}

// cleanValue returns a decoded value with cleaned texts and member names. depth is its nesting
// depth.
func (t *cleaner) cleanValue(value any) (clean any, depth int) {
	inner := 0
	switch v := value.(type) {
	case string:
		if clean, n := Clean(v); n > 0 {
			t.removed += n
			return clean, 0
		}
		return v, 0
	case []any:
		for i := range v {
			v[i], inner = t.cleanValue(v[i])
			depth = max(depth, inner)
		}
	case map[string]any:
		for name := range v {
			if clean, n := Clean(name); n > 0 {
				t.removed += n
				v[clean] = v[name]
				delete(v, name)
				name = clean
			}
			v[name], inner = t.cleanValue(v[name])
			depth = max(depth, inner)
		}
	default:
		return value, 0
	}
	return value, depth + 1
}
