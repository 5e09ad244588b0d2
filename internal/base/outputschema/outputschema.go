// Package outputschema reads the JSON Schema that an answer must match, converts it to the form
// that servers enforce, and validates answers.
package outputschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a JSON Schema that an answer must match.
type Schema struct {
	text     json.RawMessage
	strict   json.RawMessage
	resolved *jsonschema.Resolved
}

// Parse reads a JSON Schema. The error describes why a text cannot be used. Parse does not fetch
// other documents.
func Parse(text []byte) (*Schema, error) {
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if endless(plain) {
		return nil, errors.New("it contains a $ref loop: a schema refers to itself for the same value")
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(text, &parsed); err != nil {
		return nil, err
	}
	parsed.Schema = "" // few schemas depend on the version of the draft
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

// Strict returns the schema in the form that servers enforce, or nil if it has no such form. In
// that case only the text of RequestPrompt asks for the schema.
func (s *Schema) Strict() json.RawMessage { return s.strict }

// RequestPrompt returns the message that asks the model for the answer.
func (s *Schema) RequestPrompt() string {
	return "Now give your answer as JSON alone, without any other text and without calling tools. It must fit this JSON Schema:\n\n" + string(s.text)
}

// RetryPrompt returns the message that asks again after an answer that does not match.
func (s *Schema) RetryPrompt(misfit error) string {
	return "That does not fit the schema: " + misfit.Error() + ". Give the whole answer again, as JSON alone."
}

// ParseAnswer returns the JSON in an answer, which may be in a fenced code block. The error names the path
// in the answer that does not match.
func (s *Schema) ParseAnswer(answer string) (json.RawMessage, error) {
	answer = unfenced(strings.TrimSpace(answer))
	decoder := json.NewDecoder(strings.NewReader(answer))
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, errors.New("it is not valid JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the JSON")
	}
	misfit := s.resolved.Validate(value)
	if misfit == nil {
		return json.RawMessage(answer), nil
	}
	if bare := withoutNull(value); s.resolved.Validate(bare) == nil { // strict servers write null for optional members
		return json.Marshal(bare)
	}
	return nil, errors.New(readable(misfit))
}

// unfenced returns the content of an answer that is a single fenced code block, and other answers
// unchanged.
func unfenced(answer string) string {
	inside, opened := strings.CutPrefix(answer, "```")
	inside, closed := strings.CutSuffix(inside, "```")
	if _, body, found := strings.Cut(inside, "\n"); opened && closed && found {
		return strings.TrimSpace(body)
	}
	return answer
}

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

// readable returns the message of a validation error, with the position as a path in the answer.
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
