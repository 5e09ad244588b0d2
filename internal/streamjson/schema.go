package streamjson

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"agent/internal/history"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaVersion is the version of the stream-json lines. Adding members does not change the version.
// Removing a member or changing its type requires a new version.
const SchemaVersion = 1

// A LineType is a type of line: its name and its Go type.
type LineType struct {
	Name string
	Line any
}

// lineTypes lists the types of stream-json lines.
var lineTypes = []LineType{
	{"session", sessionLine{}},
	{"text", deltaLine{}},
	{"reasoning", deltaLine{}},
	{"tool_call", toolCallLine{}},
	{"tool_result", toolResultLine{}},
	{"approval", approvalLine{}},
	{"settled", settledLine{}},
	{"turn", turnLine{}},
	{"density", densityLine{}},
	{"compression_started", compressionStartedLine{}},
	{"compression", compressionLine{}},
	{"usage", usageLine{}},
	{"retry", retryLine{}},
	{"notice", noticeLine{}},
	{"search", searchLine{}},
	{"warm", warmLine{}},
	{"note", noteLine{}},
	{"error", errorLine{}},
	{"result", resultLine{}},
}

// clientLines lists the types of lines that only clients of a running session receive, and the types that
// have additional members for clients.
var clientLines = []LineType{
	{StateLine, SessionState{}},
	{"user", userLine{}},
	{"turn_start", typeLine{}},
	{"request", typeLine{}},
	{"reply", replyLine{}},
	{"void", voidLine{}},
	{"tool_start", toolStartLine{}},
	{"tool_output", toolOutputLine{}},
	{"tool_result", shownResult{}},
	{"approval", shownApproval{}},
	{"waiting", waitingLine{}},
	{"queue", queueLine{}},
	{"returned", returnedLine{}},
	{"status", statusLine{}},
	{"agent_start", agentStartLine{}},
	{"agent_end", agentEndLine{}},
	{"command_result", CommandResult{}},
	{"completion", Completion{}},
	{"unqueued", UnqueuedMessage{}},
}

// dialect is the version of JSON Schema that the schemas use.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// EventsSchema returns the JSON Schema of a line of stream-json.
func EventsSchema() (*jsonschema.Schema, error) {
	return linesSchema("A line of agent --output-format stream-json", lineTypes)
}

// ClientEventsSchema returns the JSON Schema of a line that a running session sends to its clients. carried
// lists the line types of the connection itself.
func ClientEventsSchema(carried ...LineType) (*jsonschema.Schema, error) {
	types := slices.Concat(carried, clientLines)
	for _, t := range lineTypes {
		if !slices.ContainsFunc(types, func(own LineType) bool { return own.Name == t.Name }) && t.Name != "session" && t.Name != "result" {
			types = append(types, t)
		}
	}
	return linesSchema("A line that a running session of agent sends to a client; n is its number", types)
}

// linesSchema returns the schema of a line of one of the types.
func linesSchema(title string, types []LineType) (*jsonschema.Schema, error) {
	all := &jsonschema.Schema{Schema: dialect, Title: title}
	for _, t := range types {
		line, err := schemaOf(t.Line)
		if err != nil {
			return nil, err
		}
		var name any = t.Name
		line.Properties["type"] = &jsonschema.Schema{Const: &name}
		all.OneOf = append(all.OneOf, line)
	}
	return all, nil
}

// inputType is a type of input line with its members. At least one of the members in needs must be present.
type inputType struct {
	name           string
	members, needs []string
}

var inputTypes = []inputType{
	{"user", []string{"text", "content"}, []string{"text", "content"}},
	{"answer", []string{"id", "allow", "always", "sandbox", "reason", "answers"}, []string{"id"}},
	{"cancel", nil, nil},
}

// clientInputTypes lists the types of lines that a client sends.
var clientInputTypes = []inputType{
	{"user", []string{"text", "content"}, []string{"text", "content"}},
	{"answer", []string{"id", "allow", "always", "keep", "sandbox", "reason", "answers", "given"}, []string{"id"}},
	{"command", []string{"id", "text", "plan"}, []string{"text", "plan"}},
	{"complete", []string{"id", "text"}, []string{"text"}},
	{"shell", []string{"text", "private"}, []string{"text"}},
	{"mode", nil, nil},
	{"unqueue", []string{"id"}, []string{"id"}},
	{"refresh", nil, nil},
	{"aside_end", nil, nil},
	{"key", nil, nil},
	{"stop", nil, nil},
	{"cancel", nil, nil},
}

// InputSchema returns the JSON Schema of a line of --input-format stream-json.
func InputSchema() (*jsonschema.Schema, error) {
	return inputSchema("A line of agent --input-format stream-json", Input{}, inputTypes)
}

// ClientInputSchema returns the JSON Schema of a line that a client sends to a running session. first is
// the type of the client's first line.
func ClientInputSchema(first LineType) (*jsonschema.Schema, error) {
	all, err := inputSchema("A line that a client sends to a running session of agent", ClientInput{}, clientInputTypes)
	if err != nil {
		return nil, err
	}
	begin, err := linesSchema("", []LineType{first})
	if err != nil {
		return nil, err
	}
	all.OneOf = append(begin.OneOf, all.OneOf...)
	return all, nil
}

// inputSchema returns the schema of an input line of one of the types. of is a value of the Go type with
// their members.
func inputSchema(title string, of any, types []inputType) (*jsonschema.Schema, error) {
	whole, err := schemaOf(of)
	if err != nil {
		return nil, err
	}
	part := whole.Properties["content"].Items
	part.Required, part.Properties["type"] = []string{"type"}, &jsonschema.Schema{Enum: []any{"text", "data", "image"}}
	whole.Properties["content"].Types, whole.Properties["content"].Type = nil, "array"
	whole.Properties["answers"] = &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}}}}
	all := &jsonschema.Schema{Schema: dialect, Title: title}
	for _, t := range types {
		var name any = t.name
		line := &jsonschema.Schema{Type: "object", Required: []string{"type"}, Properties: map[string]*jsonschema.Schema{"type": {Const: &name}}}
		for _, member := range t.members {
			line.Properties[member] = whole.Properties[member]
		}
		for _, member := range t.needs {
			line.AnyOf = append(line.AnyOf, &jsonschema.Schema{Required: []string{member}})
		}
		all.OneOf = append(all.OneOf, line)
	}
	return all, nil
}

// ResultSchema returns the JSON Schema of the result of --output-format json.
func ResultSchema() (*jsonschema.Schema, error) {
	result, err := schemaOf(Result{})
	if err != nil {
		return nil, err
	}
	result.Schema, result.Title = dialect, "The result of agent --output-format json"
	return result, nil
}

// schemaOf returns the schema of a struct. The schema allows additional members, because later versions may
// add some.
func schemaOf(v any) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(reflect.TypeOf(v), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():     {},
		reflect.TypeFor[history.PruneCounts](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "integer"}},
	}})
	if err != nil {
		return nil, err
	}
	open(s)
	for field := range reflect.TypeOf(v).Fields() {
		if field.Anonymous && field.Type.Kind() == reflect.Pointer {
			s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return hasMember(field.Type.Elem(), name) })
		}
	}
	return s, nil
}

// hasMember reports whether the JSON form of a struct always has a member with a name. If a struct is
// embedded by a pointer, its members are absent if the pointer is nil.
func hasMember(t reflect.Type, name string) bool {
	for field := range t.Fields() {
		if member, _, _ := strings.Cut(field.Tag.Get("json"), ","); member == name {
			return true
		}
	}
	return false
}

// open makes every object of a schema accept members that the schema does not name.
func open(s *jsonschema.Schema) {
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	if s.Items != nil {
		open(s.Items)
	}
}
