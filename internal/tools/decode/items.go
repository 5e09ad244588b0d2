package decode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/base/rawjson"
)

// item describes how the items of a list are translated.
type item struct {
	// names maps each of our names to the names in other coding agents.
	names map[string][]string
	// forms converts the values of some members. The keys are our names.
	forms map[string]func(json.RawMessage) json.RawMessage
	// strict keeps members with unknown names, so that the tool refuses them. It drops members
	// without effect.
	strict bool
	// bare is the member for the text of an item that is only a text, empty if an item cannot be a
	// text.
	bare string
}

// edits translates the items of several edits. The value may also be a text, or a single edit.
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

// todos translates the items of a list of tasks.
func todos(value json.RawMessage) json.RawMessage {
	return item{
		names: map[string][]string{"id": nil, "content": contents, "status": nil, "subtasks": nil},
		forms: map[string]func(json.RawMessage) json.RawMessage{"id": identifier, "status": status, "subtasks": todos},
		bare:  "content",
	}.all(value)
}

func questions(value json.RawMessage) json.RawMessage {
	return item{
		names: map[string][]string{"question": nil, "header": nil, "multiSelect": {"multiple"}, "options": nil},
		forms: map[string]func(json.RawMessage) json.RawMessage{"options": item{
			names: map[string][]string{"label": nil, "description": nil},
			bare:  "label",
		}.all},
	}.all(value)
}

// identifier returns the id of a task as a text; the id may be a number.
func identifier(value json.RawMessage) json.RawMessage {
	if strings.ContainsRune("-0123456789", rune(value[0])) {
		return rawjson.AppendString(nil, string(value))
	}
	return value
}

// status translates the status of a task. It returns an unknown status unchanged.
func status(value json.RawMessage) json.RawMessage {
	return reworded(value, func(text string) string {
		plain := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(text)))
		return cmp.Or(statuses[plain], text)
	})
}

// all translates every item of a list. The list may also be a text.
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

// said returns one item with our names.
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
