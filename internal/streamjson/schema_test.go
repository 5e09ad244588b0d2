package streamjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/snapshot"
	"agent/internal/tools"

	"github.com/google/jsonschema-go/jsonschema"
)

// ReadInput accepts exactly the lines that match the schema of the input.
func TestInputFitsTheSchema(t *testing.T) {
	t.Parallel()
	s, err := InputSchema()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for line, fits := range map[string]bool{
		`{"type":"user","text":"a"}`: true,
		`{"type":"user","content":[{"type":"text","text":"a"},{"type":"data","text":"b"},{"type":"image","path":"/p.png"}]}`: true,
		`{"type":"cancel"}`:                                                   true,
		`{"type":"cancel","more":1}`:                                          true,
		`{"type":"answer","id":3,"allow":true}`:                               true,
		`{"type":"answer","id":3,"allow":false,"reason":"no"}`:                true,
		`{"type":"answer","id":3,"answers":{"Which?":"a","Both?":["a","b"]}}`: true,
		`{"type":"user"}`:                                                     false,
		`{"type":"user","text":1}`:                                            false,
		`{"type":"user","content":[{"type":"video"}]}`:                        false,
		`{"type":"user","content":"a"}`:                                       false,
		`{"type":"answer","id":"3"}`:                                          false,
		`{"type":"answer","id":3,"allow":"yes"}`:                              false,
		`{"type":"nothing"}`:                                                  false,
		`[]`:                                                                  false,
	} {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		in, taken := parseInput([]byte(line))
		if taken == nil && in.Type == "user" {
			_, taken = in.Message()
		}
		if err := schema.Validate(v); (err == nil) != fits || (taken == nil) != fits {
			t.Errorf("%s: %v; taken: %v", line, err, taken)
		}
	}
}

// Every printed line matches the schema, and the schema refuses other lines.
func TestLinesFitTheSchema(t *testing.T) {
	t.Parallel()
	events, result := resolved(t)(EventsSchema()), resolved(t)(ResultSchema())
	fits := func(schema *jsonschema.Resolved, line string) error {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, run := range []Run{done(), failed()} {
		var out, people strings.Builder
		p := NewPrinter(FormatStreamJSON, &out, &people)
		p.Start("s1", LoadedSetup{Servers: []LoadedServer{}, Skills: []string{}, Commands: []string{}, Hooks: []string{}})
		for _, e := range eventful() {
			_ = p.PrintEvent(e)
		}
		_ = p.PrintEvent(chat.ApprovalRequested{Approval: chat.Approval{ID: 1, Preview: tools.Preview{Inquiries: []tools.Inquiry{{Question: "?", Options: []tools.Option{{Label: "a"}}}}}}})
		_ = p.PrintEvent(chat.ApprovalSettled{ID: 1})
		p.Turn(chat.TurnEnded{Outcome: run.Outcome, Err: run.Err, Changes: snapshot.Changes{Files: []string{"a.go"}, Added: 1}})
		_ = p.Finish(run)
		p.Problem(errors.New("nothing comes after the result"))
		seen := map[string]bool{}
		for line := range strings.Lines(out.String()) {
			if err := fits(events, line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			var typed struct{ Type string }
			_ = json.Unmarshal([]byte(line), &typed)
			seen[typed.Type] = true
		}
		for _, line := range lineTypes {
			if line.Name != "error" && line.Name != "compression_started" && !seen[line.Name] {
				t.Errorf("no line of type %s was tried", line.Name)
			}
		}
		out.Reset()
		p = NewPrinter(FormatJSON, &out, &people)
		_ = p.Finish(run)
		if err := fits(result, out.String()); err != nil {
			t.Errorf("%s: %v", out.String(), err)
		}
	}
	for _, wrong := range []string{`{"type":"nothing"}`, `{"type":"text"}`, `{"type":"text","delta":1}`, `{}`} {
		if fits(events, wrong) == nil {
			t.Errorf("%s fits", wrong)
		}
	}
}

// Each line from a session to its clients matches exactly one type of the schema. So does each line
// that the session accepts from a client.
func TestClientLinesFitTheirSchema(t *testing.T) {
	t.Parallel()
	joined := struct {
		Type string `json:"type"`
		Run  string `json:"run"`
	}{"joined", "r"}
	events, input := resolved(t)(ClientEventsSchema(LineType{"joined", joined})), resolved(t)(ClientInputSchema(LineType{"join", joined}))
	fits := func(schema *jsonschema.Resolved, line any) error {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	lines := []any{joined, SessionState{Type: StateLine, State: "idle"}, CommandResult{Type: "command_result", Ask: &CommandQuestion{}}, Completion{Type: "completion", Proposals: []command.Completion{}}, UnqueuedMessage{Type: "unqueued"}}
	for _, e := range followed() {
		lines = append(lines, ClientLine(e))
	}
	for _, line := range lines {
		if err := fits(events, line); err != nil {
			text, _ := json.Marshal(line)
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, kind := range clientTypes {
		line := ClientInput{Input: Input{Type: kind, ID: 1, Text: "x"}}
		if err := fits(input, line); err != nil {
			t.Errorf("%+v: %v", line, err)
		}
	}
	for _, wrong := range []any{ClientInput{Input: Input{Type: "nothing"}}, map[string]any{"type": "answer"}} {
		if fits(input, wrong) == nil {
			t.Errorf("%+v fits", wrong)
		}
	}
}

// resolved returns a function that resolves a schema after encoding it, as a script reads it.
func resolved(t *testing.T) func(s *jsonschema.Schema, err error) *jsonschema.Resolved {
	return func(s *jsonschema.Schema, err error) *jsonschema.Resolved {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s) // the form that a script reads
		if err != nil {
			t.Fatal(err)
		}
		var read jsonschema.Schema
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		resolved, err := read.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return resolved
	}
}
