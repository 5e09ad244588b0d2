package tools

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

func TestEveryToolDescribesItself(t *testing.T) {
	t.Parallel()
	for _, tool := range Default() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			var schema jsonschema.Schema
			if err := json.Unmarshal(tool.Schema, &schema); err != nil {
				t.Fatal(err)
			}
			if _, err := schema.Resolve(nil); err != nil {
				t.Errorf("schema: %v", err)
			}
			if schema.Type != "object" || tool.Description == "" {
				t.Errorf("type %q, description %q", schema.Type, tool.Description)
			}
			for name, property := range schema.Properties {
				if property.Description == "" || property.Type == "" {
					t.Errorf("parameter %s has type %q, description %q", name, property.Type, property.Description)
				}
			}
			if _, ok := schema.Properties[tool.KeyParameter]; !ok && tool.KeyParameter != "" {
				t.Errorf("the key parameter %q is not in the schema", tool.KeyParameter)
			}
			if tool.Access == AccessRead || tool.Access == AccessWrite {
				if tool.KeyParameter != "file_path" {
					t.Errorf("key parameter %q: density finds the file by file_path (D-14)", tool.KeyParameter)
				}
			}
		})
	}
}

func TestREQ_HD_005_2_and_3_ReadAndWriteSets(t *testing.T) {
	t.Parallel()
	got := map[Access][]string{}
	for _, tool := range Default() {
		got[tool.Access] = append(got[tool.Access], tool.Name)
	}
	delete(got, AccessNone)
	want := map[Access][]string{
		AccessRead:     {"read_file", "read_line_range", "ast_read_file"},
		AccessReadMany: {"read_many_files"},
		AccessWrite:    {"write_file", "replace", "ast_edit", "insert_at_line", "delete_line_range"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("declared access (-want +got):\n%s", d)
	}
}

func TestRequiredParametersAreThoseOfTheInterface(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"read_file":         {"file_path"},
		"read_line_range":   {"file_path", "start_line", "end_line"},
		"read_many_files":   {"paths"},
		"ast_read_file":     {"file_path"},
		"write_file":        {"file_path", "content"},
		"replace":           {"file_path", "old_string", "new_string"},
		"ast_edit":          {"file_path", "symbol", "new_code"},
		"insert_at_line":    {"file_path", "line_number", "content"},
		"delete_line_range": {"file_path", "start_line", "end_line"},
	}
	registry := NewRegistry(Default()...)
	for name, required := range want {
		tool, err := registry.Get(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(tool.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(required, schema.Required); d != "" {
			t.Errorf("%s requires (-want +got):\n%s", name, d)
		}
	}
}

func TestWrongArgumentsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, tool := range Default() {
		for _, raw := range []string{`[1]`, `{`, `"x"`, `null`, `7`, `{"no_such_parameter":1}`} {
			if _, err := tool.Plan(t.Context(), fileEnv(t, nil), json.RawMessage(raw)); raw != `null` && err == nil {
				t.Errorf("%s %s: no error", tool.Name, raw)
			}
		}
	}
}

func TestRegistryKeepsItsOrderAndOffersTheNearestName(t *testing.T) {
	t.Parallel()
	registry := NewRegistry(Tool{Name: "b"}, Tool{Name: "read_file"}, Tool{Name: "b", Description: "later"})
	if names := registry.Names(); !slices.Equal(names, []string{"b", "read_file"}) {
		t.Errorf("names are %v", names)
	}
	if tool, err := registry.Get("b"); err != nil || tool.Description != "later" {
		t.Errorf("got %v, %v", tool, err)
	}
	_, err := registry.Get("readfile")
	var unknown *UnknownToolError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean read_file?`) {
		t.Errorf("got %v", err)
	}
}
