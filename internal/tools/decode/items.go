package decode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/rawjson"
)

// item says how the members of an item of a list are called.
type item struct {
	// names are ours, each with those of other agents.
	names map[string][]string
	// forms bring the values of some into ours.
	forms map[string]func(json.RawMessage) json.RawMessage
	// strict keeps members of other names, but those without effect, for the tool to refuse
	// them.
	strict bool
	// bare is the member that an item is taken for that is only a text, empty for none.
	bare string
}

// edits puts the items of several edits, which may come as a text or be one, into our words.
func edits(value json.RawMessage) json.RawMessage {
	if value[0] == '{' {
		value = listOf(value)
	}
	names := map[string][]string{}
	for _, name := range []string{"old_string", "new_string", "replace_all"} {
		names[name] = parameterNames[name]
	}
	return item{names: names, forms: map[string]func(json.RawMessage) json.RawMessage{"replace_all": truth}, strict: true}.all(value)
}

// todos puts the items of a list of tasks into our words.
func todos(value json.RawMessage) json.RawMessage {
	return item{
		names: map[string][]string{"id": nil, "content": contents, "status": nil, "subtasks": nil},
		forms: map[string]func(json.RawMessage) json.RawMessage{"id": identifier, "status": status, "subtasks": todos},
		bare:  "content",
	}.all(value)
}

// questions puts what the user is asked into our words.
func questions(value json.RawMessage) json.RawMessage {
	return item{
		names: map[string][]string{"question": nil, "header": nil, "multiSelect": {"multiple"}, "options": nil},
		forms: map[string]func(json.RawMessage) json.RawMessage{"options": item{
			names: map[string][]string{"label": nil, "description": nil},
			bare:  "label",
		}.all},
	}.all(value)
}

// identifier is the id of a task, which may be a number.
func identifier(value json.RawMessage) json.RawMessage {
	if strings.ContainsRune("-0123456789", rune(value[0])) {
		return rawjson.AppendString(nil, string(value))
	}
	return value
}

// status is how far a task is in our words; one that is not understood stays what it is.
func status(value json.RawMessage) json.RawMessage {
	return reworded(value, func(text string) string {
		plain := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(text)))
		return cmp.Or(statuses[plain], text)
	})
}

// all puts every item of a list, which may come as a text, into our words.
func (i item) all(value json.RawMessage) json.RawMessage {
	list := []byte(value)
	var text string
	if json.Unmarshal(value, &text) == nil {
		list = []byte(text)
	}
	var all []json.RawMessage
	if json.Unmarshal(list, &all) != nil {
		if text == "" || i.bare == "" {
			return value
		}
		all = []json.RawMessage{value}
	}
	out := []byte("[")
	for at, raw := range all {
		if at > 0 {
			out = append(out, ',')
		}
		if one, ok := parse(string(raw)); ok && raw[0] == '{' {
			raw = i.said(one).json()
		} else if raw[0] == '"' && i.bare != "" {
			raw = members{{i.bare, raw}}.json()
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}

// said puts an item into our words.
func (i item) said(given members) (said members) {
	for _, m := range given {
		known := false
		for name, others := range i.names {
			if m.name != name && (!slices.Contains(others, m.name) || given.index(name) >= 0 || said.index(name) >= 0) {
				continue
			}
			if form := i.forms[name]; form != nil {
				m.value = form(m.value)
			}
			m.name, known = name, true
			break
		}
		if known || i.strict && !slices.Contains(remarks, m.name) && !slices.Contains(withoutEffect, m.name) {
			said = append(said, m)
		}
	}
	return said
}
