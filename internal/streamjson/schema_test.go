package streamjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/snapshot"
	"agent/internal/tools"

	"github.com/google/jsonschema-go/jsonschema"
)

// What fits the schema of input is taken, and what is refused does not fit.
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

// Every line that is printed is as the schema says, and the schema refuses others.
func TestLinesFitTheSchema(t *testing.T) {
	t.Parallel()
	resolve := func(s *jsonschema.Schema, err error) *jsonschema.Resolved {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s) // as a script reads it
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
	events, result := resolve(EventsSchema()), resolve(ResultSchema())
	fits := func(schema *jsonschema.Resolved, line string) error {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, run := range []Run{done(), failed()} {
		var out, people strings.Builder
		p := NewPrinter(StreamJSON, &out, &people)
		p.Start("s1", Loaded{Servers: []LoadedServer{}, Skills: []string{}, Commands: []string{}, Hooks: []string{}})
		for _, e := range eventful() {
			_ = p.Event(e)
		}
		_ = p.Event(chat.ApprovalRequested{Approval: chat.Approval{ID: 1, Preview: tools.Preview{Inquiries: []tools.Inquiry{{Question: "?", Options: []tools.Option{{Label: "a"}}}}}}})
		_ = p.Event(chat.ApprovalSettled{ID: 1})
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
			if line.name != "error" && line.name != "compression_started" && !seen[line.name] {
				t.Errorf("no line of type %s was tried", line.name)
			}
		}
		out.Reset()
		p = NewPrinter(JSON, &out, &people)
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
