package decode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/rawjson"
)

type member struct {
	name  string
	value json.RawMessage
}

// members holds arguments in the order in which they were sent, without null values.
type members []member

// membersOf returns the members of arguments, and false if they are not an object. The object may
// also be written as a JSON string.
func membersOf(given arguments.Arguments) (members, bool) {
	if !given.IsObject() {
		var text string
		if json.Unmarshal([]byte(given.InvalidText()), &text) != nil {
			return nil, false
		}
		if given = arguments.Parse(text); !given.IsObject() || strings.TrimSpace(text) == "" {
			return nil, false
		}
	}
	all := members{}
	for name, value := range given.All() {
		if string(value) != "null" {
			all = append(all, member{name, value})
		}
	}
	return all, true
}

// parse parses a JSON object inside of arguments.
func parse(object string) (members, bool) {
	if strings.TrimSpace(object) == "" {
		return nil, false
	}
	return membersOf(arguments.Parse(object))
}

func (m members) index(name string) int {
	return slices.IndexFunc(m, func(one member) bool { return one.name == name })
}

// text returns the value of a parameter if it is a text.
func (m members) text(name string) (string, bool) {
	i := m.index(name)
	if i < 0 {
		return "", false
	}
	var text string
	err := json.Unmarshal(m[i].value, &text)
	return text, err == nil
}

func (m members) without(names ...string) members {
	return slices.DeleteFunc(slices.Clone(m), func(one member) bool { return slices.Contains(names, one.name) })
}

func (m members) equal(other members) bool {
	return slices.EqualFunc(m, other, func(a, b member) bool { return a.name == b.name && bytes.Equal(a.value, b.value) })
}

func (m members) json() json.RawMessage {
	out := []byte("{")
	for i, one := range m {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendString(out, one.name), ':'), one.value...)
	}
	return append(out, '}')
}

// lines replaces the numbers of the first and the last line by offset and limit.
func (m members) lines() members {
	first, last := 0, 0
	if i := slices.IndexFunc(m, func(one member) bool { return slices.Contains(ranges, one.name) }); i >= 0 {
		var ok bool
		if first, last, ok = bothLines(m[i].value); !ok {
			return m
		}
	} else {
		first, last = m.number("start_line"), m.number("end_line")
	}
	if first <= 0 && last <= 0 || m.index("offset") >= 0 || m.index("limit") >= 0 {
		return m
	}
	m = m.without("start_line", "end_line").without(ranges...)
	first = max(first, 1)
	m = append(m, member{"offset", number(first)})
	if last >= first {
		m = append(m, member{"limit", number(last - first + 1)})
	}
	return m
}

// number returns the value of a parameter if it is a whole number or a text with one, and 0
// otherwise.
func (m members) number(name string) int {
	i := m.index(name)
	if i < 0 {
		return 0
	}
	n, _ := whole(m[i].value)
	return n
}

// around replaces several numbers of lines around a match by the largest.
func (m members) around() members {
	most, first := 0, ""
	for _, one := range m {
		if !slices.Contains(around, one.name) {
			continue
		}
		n, ok := whole(one.value)
		if !ok || m.index("context") >= 0 {
			return m
		}
		most, first = max(most, n), cmp.Or(first, one.name)
	}
	if first == "" {
		return m
	}
	rest := slices.DeleteFunc(slices.Clone(around), func(name string) bool { return name == first })
	m = m.without(rest...)
	m[m.index(first)].value = number(most)
	return m
}

// ignoringCase converts an option to ignore case into a flag in the pattern of the search.
func (m members) ignoringCase(t tool) members {
	ignored := false
	for name, does := range ignoringCase {
		i := m.index(name)
		if i < 0 || t.has(name) {
			continue
		}
		value := string(truth(m[i].value))
		if value != "true" && value != "false" {
			continue
		}
		ignored = ignored || value == strconv.FormatBool(does)
		m = m.without(name)
	}
	if !ignored {
		return m
	}
	for _, name := range append([]string{"pattern"}, parameterNames["pattern"]...) {
		if pattern, ok := m.text(name); ok {
			m[m.index(name)].value = rawjson.AppendString(nil, "(?i)"+pattern)
			break
		}
	}
	return m
}
