package decode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agent/internal/cmdline"
	"agent/internal/rawjson"
)

// ordered are the parameters that have other names, in a fixed order.
var ordered = slices.Sorted(maps.Keys(parameterNames))

// member is a parameter with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members are arguments in the order in which they were sent. Null is left out.
type members []member

// parse reads a JSON object, or one that is written as a text.
func parse(arguments string) (members, bool) {
	var text string
	if json.Unmarshal([]byte(arguments), &text) == nil {
		arguments = text
	}
	if !json.Valid([]byte(arguments)) {
		return nil, false
	}
	decoder := json.NewDecoder(strings.NewReader(arguments))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	all := members{}
	for decoder.More() {
		token, err := decoder.Token()
		name, isName := token.(string)
		var value json.RawMessage
		if err != nil || !isName || decoder.Decode(&value) != nil {
			return nil, false
		}
		if all = all.without(name); string(value) != "null" {
			all = append(all, member{name, value})
		}
	}
	return all, true
}

func (m members) index(name string) int {
	return slices.IndexFunc(m, func(one member) bool { return one.name == name })
}

// text is the value of a parameter that is a text.
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

// taken reports whether another name of the same parameter comes before.
func (m members) taken(own string, one member, t tool) bool {
	for _, before := range m {
		if before.name == one.name {
			return false
		}
		if !t.has(before.name) && slices.Contains(parameterNames[own], before.name) {
			return true
		}
	}
	return false
}

// lines puts the first and the last line of a file into offset and limit.
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

// number is the value of a parameter that is a whole number, also as a text; else 0.
func (m members) number(name string) int {
	i := m.index(name)
	if i < 0 {
		return 0
	}
	n, _ := whole(m[i].value)
	return n
}

func whole(value json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(strings.Trim(string(value), `" `), 64)
	return int(f), err == nil && f == float64(int(f))
}

func number(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }

// next is the number after the one of a line.
func next(value json.RawMessage) (json.RawMessage, bool) {
	n, ok := whole(value)
	return number(n + 1), ok
}

// millisecond is how many of them are a second.
const millisecond = 1000

// seconds is a timeout in seconds. What is called so in milliseconds, or is too long to be
// seconds, is in milliseconds.
func seconds(m member) (json.RawMessage, bool) {
	n, ok := whole(m.value)
	if m.name == "timeout_ms" || n >= millisecond {
		n = (n + millisecond - 1) / millisecond
	}
	return number(n), ok
}

// around makes the largest of several numbers of lines around a match the one that counts.
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

// ignoringCase puts into the pattern of a search that it ignores case.
func (m members) ignoringCase(t tool) members {
	ignored := false
	for name, does := range ignoringCase {
		i := m.index(name)
		if i < 0 || t.has(name) {
			continue
		}
		value, err := strconv.ParseBool(strings.ToLower(strings.Trim(string(m[i].value), `"`)))
		if err != nil {
			continue
		}
		ignored = ignored || value == does
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

// withoutScheme is the path of a file that is named by a URL.
func withoutScheme(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) == nil && strings.HasPrefix(text, "file:///") {
		if named, err := url.Parse(text); err == nil && named.RawQuery == "" && named.Fragment == "" {
			return rawjson.AppendString(nil, named.Path)
		}
	}
	return value
}

// truth is a boolean that is written as a number or as a text.
func truth(value json.RawMessage) json.RawMessage {
	is, err := strconv.ParseBool(strings.ToLower(strings.Trim(string(value), `" `)))
	if err != nil {
		return value
	}
	return strconv.AppendBool(nil, is)
}

// bothLines are the first and the last line of a range: two numbers, or "12-40".
func bothLines(value json.RawMessage) (first, last int, ok bool) {
	var both []int
	var text string
	if json.Unmarshal(value, &both) == nil {
		if len(both) != 2 {
			return 0, 0, false
		}
		return both[0], both[1], true
	}
	if json.Unmarshal(value, &text) != nil {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(text, "-")
	first, one := whole([]byte(strings.TrimSpace(from)))
	last, other := whole([]byte(strings.TrimSpace(to)))
	return first, last, one && other
}

// mode is a mode of a search by our name.
func mode(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) == nil && modes[text] != "" {
		return rawjson.AppendString(nil, modes[text])
	}
	return value
}

// ofFileType is the glob of the files of a type.
func ofFileType(value json.RawMessage) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(value, &text) != nil || text == "" {
		return nil, false
	}
	if !strings.ContainsAny(text, "*?.[{/") {
		text = "*." + cmp.Or(suffixes[text], text)
	}
	return rawjson.AppendString(nil, text), true
}

// commandLine makes a line of a program and its arguments.
func commandLine(value json.RawMessage) (json.RawMessage, bool) {
	var argv []string
	if json.Unmarshal(value, &argv) != nil || len(argv) == 0 {
		return value, false
	}
	shell := argv[0][strings.LastIndex(argv[0], "/")+1:]
	if len(argv) == 3 && slices.Contains([]string{"bash", "sh", "zsh"}, shell) && slices.Contains([]string{"-c", "-lc"}, argv[1]) {
		return rawjson.AppendString(nil, argv[2]), true
	}
	for i, word := range argv {
		argv[i] = cmdline.Quote(word)
	}
	return rawjson.AppendString(nil, strings.Join(argv, " ")), true
}

// edits puts the items of several edits, which may come as a text or be one, into our words.
func edits(value json.RawMessage) json.RawMessage {
	if value[0] == '{' {
		value = slices.Concat(json.RawMessage("["), value, json.RawMessage("]"))
	}
	item := tool{types: map[string]string{"old_string": "string", "new_string": "string", "replace_all": "boolean"}}
	return items(value, "", func(edit members) members {
		fitted, _ := item.fit(edit)
		return fitted
	})
}

// todos puts the items of a list of tasks into our words.
func todos(value json.RawMessage) json.RawMessage {
	return items(value, "content", func(task members) (said members) {
		for _, m := range task {
			switch {
			case m.name == "id" && strings.ContainsRune("-0123456789", rune(m.value[0])):
				m.value = rawjson.AppendString(nil, string(m.value))
			case m.name == "id", m.name == "content":
			case m.name == "status":
				m.value = status(m.value)
			case m.name == "subtasks":
				m.value = todos(m.value)
			case slices.Contains(contents, m.name) && task.index("content") < 0 && said.index("content") < 0:
				m.name = "content"
			default:
				continue // it is not kept
			}
			said = append(said, m)
		}
		return said
	})
}

// status is how far a task is in our words; one that is not understood stays what it is.
func status(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	plain := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(text)))
	return rawjson.AppendString(nil, cmp.Or(statuses[plain], text))
}

// questions puts what the user is asked into our words.
func questions(value json.RawMessage) json.RawMessage {
	return items(value, "", func(question members) (said members) {
		for _, m := range question {
			switch m.name {
			case "question", "header", "multiSelect":
			case "multiple":
				m.name = "multiSelect"
			case "options":
				m.value = items(m.value, "label", func(option members) members {
					return slices.DeleteFunc(option, func(m member) bool { return m.name != "label" && m.name != "description" })
				})
			default:
				continue // it is not shown
			}
			said = append(said, m)
		}
		return said
	})
}

// items changes each object of a list, which may come as a text. An item that is a text is
// an object with that as the member bare, if there is such a name.
func items(value json.RawMessage, bare string, change func(item members) members) json.RawMessage {
	list := []byte(value)
	var text string
	if json.Unmarshal(value, &text) == nil {
		list = []byte(text)
	}
	var all []json.RawMessage
	if json.Unmarshal(list, &all) != nil {
		if text == "" || bare == "" {
			return value
		}
		all = []json.RawMessage{value}
	}
	out := []byte("[")
	for i, raw := range all {
		if i > 0 {
			out = append(out, ',')
		}
		if item, ok := parse(string(raw)); ok && raw[0] == '{' {
			raw = change(item).json()
		} else if raw[0] == '"' && bare != "" {
			raw = members{{bare, raw}}.json()
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}
