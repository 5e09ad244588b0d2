// Package decode corrects calls of models that deviate from the declared tools (D-92). Models use the
// names of other coding agents for tools and parameters, add remarks to the arguments, or write JSON
// with small mistakes. Ambiguous calls stay unchanged, so that the tool refuses them.
//
// [Translate] translates a [Call] to the names of our tools before the call is recorded. Approval,
// rules and density thus see the call that runs. [Parameters] then decodes the arguments into a
// struct of the tool. [ClaudeCalls] translates in the other direction, for hooks and rules that use
// the names of Claude Code.
package decode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agent/internal/base/arguments"
	"agent/internal/base/rawjson"
)

// Lookup returns the JSON Schema of the parameters of a tool, and false if no tool has this name. A
// nil schema means a tool of another program. Its calls stay unchanged, and no other name is
// translated to it.
type Lookup func(tool string) (schema json.RawMessage, ok bool)

// A Call is a call of a tool.
type Call struct {
	Name      string
	Arguments arguments.Arguments
	// Notes are messages to the model with the right names.
	Notes []string
	// Remark is the model's reason for the call, written beside the arguments, empty for none.
	Remark string
}

// Translate translates a call to the names of the present tools. A call with the right names stays
// unchanged.
func Translate(name string, sent arguments.Arguments, lookup Lookup) Call {
	asked := Call{Name: name, Arguments: sent}
	meant := asked
	schema, known := lookup(name)
	var given members
	if !known {
		for _, spelt := range spellings(name) {
			if meant.Name, given = target(spelt, sent); meant.Name == "" {
				continue
			}
			if schema, known = lookup(meant.Name); known {
				break
			}
		}
		if !known || schema == nil {
			return asked
		}
		meant.Notes = append(meant.Notes, rightName(meant.Name, name))
	}
	if schema == nil {
		return meant
	}
	tool := newTool(schema)
	if given == nil {
		var ok bool
		if given, ok = tool.read(sent); !ok {
			return meant
		}
	}
	unwrapped := tool.unwrapped(given)
	fitted, notes := tool.fit(unwrapped)
	meant.Notes = append(meant.Notes, notes...)
	meant.Remark = tool.remark(unwrapped)
	if given.equal(fitted) && sent.IsObject() {
		return meant // both texts are equal byte for byte
	}
	meant.Arguments = arguments.Parse(fitted.json())
	return meant
}

// namespaces lists the prefixes that some models write before the name of each function.
var namespaces = []string{"functions.", "default_api.", "default_api:", "functions:", "tools.", "tool."}

// spellings returns a name in three forms: unchanged, without a namespace, and as words in lower
// case with underscores between them.
func spellings(name string) []string {
	bare := strings.TrimSpace(name)
	for _, space := range namespaces {
		bare = strings.TrimPrefix(bare, space)
	}
	var words strings.Builder
	for i, r := range bare {
		if i > 0 && unicode.IsUpper(r) && !strings.HasSuffix(words.String(), "_") {
			words.WriteByte('_')
		}
		if r == '-' {
			r = '_'
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return []string{name, bare, words.String()}
}

// target returns the tool for a name. For an editor tool with several commands, it also returns the
// arguments without the command.
func target(name string, sent arguments.Arguments) (string, members) {
	lower := strings.ToLower(name)
	if !slices.Contains(editors, lower) {
		if ours := ToolsByClaudeName(lower); ours != nil {
			return ours[0], nil
		}
		return cmp.Or(toolNames[lower], lower), nil
	}
	given, ok := membersOf(sent)
	if !ok {
		return "", nil
	}
	command, _ := given.text("command")
	return editorCommands[command], given.without("command")
}

// tool holds the types of a tool's parameters, and the required ones.
type tool struct {
	types    map[string]string
	required []string
}

func newTool(schema json.RawMessage) tool {
	var parsed struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(schema, &parsed) // an invalid schema has no parameters
	t := tool{types: map[string]string{}, required: parsed.Required}
	for parameter, property := range parsed.Properties {
		t.types[parameter], _ = property.Type.(string)
	}
	return t
}

func (t tool) has(parameter string) bool { _, ok := t.types[parameter]; return ok }

// read parses arguments. If they are broken, it repairs them and accepts a repair that fits the
// tool.
func (t tool) read(sent arguments.Arguments) (members, bool) {
	if given, ok := membersOf(sent); ok {
		return given, true
	}
	text := sent.InvalidText()
	if t.has("input") && strings.HasPrefix(strings.TrimSpace(text), "*** Begin Patch") {
		return members{{"input", rawjson.AppendString(nil, text)}}, true // as in the free form
	}
	for _, repaired := range repairs(text) {
		given, ok := parse(repaired)
		if !ok {
			continue
		}
		if fitted, _ := t.fit(t.unwrapped(given)); t.accepts(fitted) {
			return given, true
		}
	}
	return nil, false
}

// unwrapped returns the arguments inside a wrapper if they fit the tool and the wrapper does not.
func (t tool) unwrapped(given members) members {
	if len(given) != 1 || !slices.Contains(wrappers, given[0].name) {
		return given
	}
	wrapper := given[0]
	inner, ok := parse(string(wrapper.value))
	if !ok || t.has(wrapper.name) && ofType(t.types[wrapper.name], wrapper.value) {
		return given
	}
	if fitted, _ := t.fit(inner); !t.accepts(fitted) {
		return given
	}
	return inner
}

// accepts reports whether arguments fit the schema: every name is known, no required parameter is
// missing, and the types are right.
func (t tool) accepts(given members) bool {
	for _, m := range given {
		if !t.has(m.name) || !ofType(t.types[m.name], m.value) {
			return false
		}
	}
	return !slices.ContainsFunc(t.required, func(name string) bool { return given.index(name) < 0 })
}

// ofType reports whether a value can be of a type. A text fits every type except object, because it
// may contain the value in quotes.
func ofType(want string, value json.RawMessage) bool {
	switch value[0] {
	case '"':
		return want != "object"
	case '[':
		return want == "array" || want == ""
	case '{':
		return want == "object" || want == ""
	case 't', 'f':
		return want == "boolean" || want == ""
	case 'n':
		return true
	default:
		return want == "integer" || want == "number" || want == ""
	}
}

// fit translates arguments to the parameters of the tool.
func (t tool) fit(given members) (fitted members, notes []string) {
	given = t.whole(given)
	for _, m := range given {
		name, value := t.meant(m, given, fitted)
		switch {
		case name != "":
			if name != m.name {
				notes = append(notes, rightParameter(name, m.name, value))
			}
			fitted = append(fitted, member{name, value})
		case slices.Contains(remarks, m.name), slices.Contains(withoutEffect, m.name):
		default:
			fitted = append(fitted, m)
		}
	}
	return fitted, notes
}

// remark returns the text of the first extra argument that is a remark on the call.
func (t tool) remark(given members) string {
	for _, m := range given {
		if !t.has(m.name) && slices.Contains(remarks, m.name) {
			text, _ := given.text(m.name)
			return text
		}
	}
	return ""
}

// rightName returns a note with the right name of a tool or a parameter.
func rightName(name, sent string) string {
	return fmt.Sprintf("the name here is %s, not %s", name, sent)
}

// rightParameter returns a note with the right name of a parameter. For a duration it adds the
// value in seconds, because other programs count milliseconds.
func rightParameter(name, sent string, value json.RawMessage) string {
	note := rightName(name, sent)
	if name == "timeout_seconds" {
		note += fmt.Sprintf(", and its value was read as %s seconds", value)
	}
	return note
}

// meant returns the parameter of the tool for a name, with the value in the right form. It returns
// "" if the call also has that parameter.
func (t tool) meant(m member, given, before members) (name string, value json.RawMessage) {
	value, ok := m.value, true
	if t.has(m.name) {
		name = m.name
	} else {
		for own, others := range parameterNames {
			if t.has(own) && slices.Contains(others, m.name) && given.index(own) < 0 && before.index(own) < 0 && (name == "" || own < name) {
				name = own
			}
		}
		if meaning := meanings[m.name]; meaning != nil {
			value, ok = meaning(value)
		}
	}
	if name == "" || !ok {
		return "", nil
	}
	if form := forms[name]; form != nil {
		return name, form(value)
	}
	return name, coerce(t.types[name], value)
}

// whole combines parameters that only have a meaning together, such as the first and last line of a
// file, or the options of a search.
func (t tool) whole(given members) members {
	if t.has("offset") && t.has("limit") && !t.has("start_line") {
		given = given.lines()
	}
	if t.has("pattern") && t.has("context") {
		given = given.around().ignoringCase(t)
	}
	return given
}

// NotObjectMessage returns an error message for arguments that are not a JSON object.
func NotObjectMessage(tool, arguments string) string {
	return fmt.Sprintf("the arguments of %s %s", tool, problem(arguments))
}

func problem(arguments string) string {
	var object map[string]json.RawMessage
	err := json.Unmarshal([]byte(arguments), &object)
	var syntax *json.SyntaxError
	switch {
	case !errors.As(err, &syntax):
		return "are not a JSON object; send the call again with valid JSON"
	case isCut(err):
		return "are not valid JSON: they end in the middle; write less in one call"
	}
	const around = 10
	at := int(syntax.Offset)
	near := arguments[max(0, min(at, len(arguments))-around):min(len(arguments), at+around)]
	return fmt.Sprintf("are not valid JSON: %s at byte %d, near %q; send the call again with valid JSON", syntax, at, strings.ToValidUTF8(near, ""))
}
