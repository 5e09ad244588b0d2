package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf maps the methods of messages from the agent to the schema definitions of their
// parameters.
var schemaOf = map[string]string{
	"session/update":             "SessionNotification",
	"session/request_permission": "RequestPermissionRequest",
	"fs/read_text_file":          "ReadTextFileRequest",
	"$/cancel_request":           "CancelRequestNotification",
	"elicitation/create":         "CreateElicitationRequest",
	"elicitation/complete":       "CompleteElicitationNotification",
}

// resultOf maps the methods that the editor requests to the schema definitions of their results.
var resultOf = map[string]string{
	"initialize":                "InitializeResponse",
	"authenticate":              "AuthenticateResponse",
	"session/new":               "NewSessionResponse",
	"session/load":              "LoadSessionResponse",
	"session/resume":            "ResumeSessionResponse",
	"session/list":              "ListSessionsResponse",
	"session/close":             "CloseSessionResponse",
	"session/delete":            "DeleteSessionResponse",
	"session/prompt":            "PromptResponse",
	"session/set_mode":          "SetSessionModeResponse",
	"session/set_config_option": "SetSessionConfigOptionResponse",
}

// validate checks every line from the agent against the schema of the protocol. It does nothing
// unless ACP_SCHEMA names schema/v1/schema.json of the official package.
func (e *peer) validate() {
	e.t.Helper()
	file := os.Getenv("ACP_SCHEMA")
	if file == "" {
		return
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		e.t.Fatal(err)
	}
	known := map[string]*jsonschema.Resolved{}
	for _, line := range e.lines {
		var m struct {
			JSONRPC               string
			ID                    json.RawMessage
			Method                string
			Params, Result, Error any
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
			e.t.Errorf("%s: %v", line, err)
			continue
		}
		definition, value := schemaOf[m.Method], m.Params
		switch {
		case m.Error != nil:
			definition, value = "Error", m.Error
		case m.Method == "":
			// The mutated lines have unknown IDs, so their methods are unknown too.
			method, ok := e.asked[string(m.ID)]
			if !ok {
				continue
			}
			definition, value = resultOf[method], m.Result
		}
		if definition == "" {
			e.t.Errorf("no definition for %s", line)
			continue
		}
		if known[definition] == nil {
			known[definition] = resolveDefinition(e.t, raw, definition)
		}
		if err := known[definition].Validate(value); err != nil {
			e.t.Errorf("%s: %v", line, err)
		}
	}
}

// resolveDefinition returns one definition of a schema.
func resolveDefinition(t *testing.T, raw []byte, definition string) *jsonschema.Resolved {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(map[string]any{"$defs": schema["$defs"], "$ref": "#/$defs/" + definition})
	var parsed jsonschema.Schema
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}
