// Package shape is the JSON Schema that an answer has to fit: reading it, the form in which
// servers enforce it, and what is wrong with an answer.
package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is what an answer has to fit.
type Schema struct {
	text     json.RawMessage
	strict   json.RawMessage
	resolved *jsonschema.Resolved
}

// Parse reads a JSON Schema. The error says what is wrong with it. Nothing that it refers to
// is fetched.
func Parse(text []byte) (*Schema, error) {
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if endless(plain) {
		return nil, errors.New("a schema in it refers to itself at the same place of the answer, so that checking would not end")
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(text, &parsed); err != nil {
		return nil, err
	}
	parsed.Schema = "" // the differences of the drafts are in what few schemas use
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	s := &Schema{text: compact.Bytes(), resolved: resolved}
	if plain["type"] == "object" && strict(plain) {
		s.strict, err = json.Marshal(plain)
	}
	return s, err
}

// Strict is the schema in the form that servers enforce, nil when it has none: then only the
// words of the request ask for it.
func (s *Schema) Strict() json.RawMessage { return s.strict }

// Request asks for the answer in words.
func (s *Schema) Request() string {
	return "Now give your answer as JSON alone, without any other text and without calling tools. It must fit this JSON Schema:\n\n" + string(s.text)
}

// Again asks once more for an answer that did not fit.
func (s *Schema) Again(misfit error) string {
	return "That does not fit the schema: " + misfit.Error() + ". Give the whole answer again, as JSON alone."
}

// Fit returns the JSON in an answer, which may be in a fence of code. The error says where it
// does not fit.
func (s *Schema) Fit(answer string) (json.RawMessage, error) {
	answer = unfenced(strings.TrimSpace(answer))
	decoder := json.NewDecoder(strings.NewReader(answer))
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, errors.New("it is no JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the JSON")
	}
	misfit := s.resolved.Validate(value)
	if misfit == nil {
		return json.RawMessage(answer), nil
	}
	if bare := withoutNull(value); s.resolved.Validate(bare) == nil { // what strict servers say of members that may be left out
		return json.Marshal(bare)
	}
	return nil, errors.New(readable(misfit))
}

// unfenced is the content of an answer that is one fence of code.
func unfenced(answer string) string {
	inside, opened := strings.CutPrefix(answer, "```")
	inside, closed := strings.CutSuffix(inside, "```")
	if _, body, found := strings.Cut(inside, "\n"); opened && closed && found {
		return strings.TrimSpace(body)
	}
	return answer
}

// withoutNull leaves out members that are null.
func withoutNull(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range value {
			if member != nil {
				kept[name] = withoutNull(member)
			}
		}
		return kept
	case []any:
		for i := range value {
			value[i] = withoutNull(value[i])
		}
	}
	return value
}

// readable is a misfit with its place as a path in the answer.
func readable(misfit error) string {
	place, problem := "", misfit.Error()
	for {
		at, rest, found := strings.Cut(strings.TrimPrefix(problem, "validating "), ": ")
		if !found || !strings.HasPrefix(problem, "validating ") {
			break
		}
		place, problem = at, rest
	}
	place = strings.ReplaceAll("/"+strings.TrimPrefix(strings.TrimPrefix(place, "root"), "/"), "/properties/", "/")
	return strings.ReplaceAll(place, "/items", "/*") + ": " + problem
}
