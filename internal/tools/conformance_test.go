package tools

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/compression/cacheaware"
	"agent/internal/websearch"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

func TestEveryToolDescribesItself(t *testing.T) {
	t.Parallel()
	// Parameters with these names need no description.
	plain := map[string]bool{"file_path": true, "content": true, "new_string": true, "url": true, "pattern": true, "timeout_seconds": true, "job": true}
	for _, tool := range Default() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			var schema jsonschema.Schema
			if err := json.Unmarshal(tool.Parameters(), &schema); err != nil {
				t.Fatal(err)
			}
			if _, err := schema.Resolve(nil); err != nil {
				t.Errorf("schema: %v", err)
			}
			if schema.Type != "object" || tool.Description == "" {
				t.Errorf("type %q, description %q", schema.Type, tool.Description)
			}
			if len(tool.Words) == 0 || tool.Words[len(tool.Words)-1].Given != "" {
				t.Error("it declares no words for the screen")
			}
			if !tool.Reads && !tool.Edits && !tool.Runs && !tool.Network && !tool.Stateful && !tool.Asks {
				t.Error("it does not declare what its calls do")
			}
			for name, property := range schema.Properties {
				if property.Description == "" && !plain[name] || property.Type == "" {
					t.Errorf("parameter %s has type %q, description %q", name, property.Type, property.Description)
				}
			}
			if _, ok := schema.Properties[tool.Key]; !ok && tool.Key != "" {
				t.Errorf("the key parameter %q is not in the schema", tool.Key)
			}
			if (tool.ShowsFile() || tool.WritesFile()) && len(tool.Patch) == 0 {
				if tool.Key != "file_path" {
					t.Errorf("key parameter %q: density finds the file by file_path (D-14)", tool.Key)
				}
			}
		})
	}
}

func TestREQ_HD_005_2_and_3_ReadAndWriteSets(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for _, tool := range Default() {
		switch {
		case tool.ShowsFile():
			got["read"] = append(got["read"], tool.Name)
		case tool.ShowsFiles():
			got["read many"] = append(got["read many"], tool.Name)
		case tool.WritesFile() && len(tool.Density.Patch) > 0: // D-96
			got["patch"] = append(got["patch"], tool.Name)
		case tool.WritesFile():
			got["write"] = append(got["write"], tool.Name)
		}
	}
	want := map[string][]string{
		"read":      {"read_file", "read_line_range", "ast_read_file"},
		"read many": {"read_many_files"},
		"write":     {"write_file", "replace", "ast_edit", "insert_at_line", "delete_line_range"},
		"patch":     {"apply_patch"},
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
		"apply_patch":       {"input"},
		"replace":           {"file_path"}, // and old_string and new_string, or edits
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
		if err := json.Unmarshal(tool.Parameters(), &schema); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(required, schema.Required); d != "" {
			t.Errorf("%s requires (-want +got):\n%s", name, d)
		}
	}
}

func TestWrongArgumentsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, tool := range append(Default(), searches()) {
		for _, raw := range []string{`[1]`, `{`, `"x"`, `null`, `7`, `{"no_such_parameter":1}`} {
			if _, err := tool.Plan(t.Context(), fileEnv(t, nil), arguments.Parse(raw)); raw != `null` && err == nil {
				t.Errorf("%s %s: no error", tool.Name, raw)
			}
		}
	}
}

func TestRegistryKeepsItsOrderAndOffersTheNearestName(t *testing.T) {
	t.Parallel()
	registry := NewRegistry(Tool{Name: "b"}, Tool{Name: "read_file"}, Tool{Name: "old", Traits: Traits{Unoffered: true}}, Tool{Name: "b", Description: "later"})
	if names := registry.Names(); !slices.Equal(names, []string{"b", "read_file", "old"}) {
		t.Errorf("names are %v", names)
	}
	if tool, err := registry.Get("b"); err != nil || tool.Description != "later" {
		t.Errorf("got %v, %v", tool, err)
	}
	_, err := registry.Get("readfile")
	var unknown *UnknownToolError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean read_file? (available: b, read_file)`) {
		t.Errorf("got %v", err)
	}
}

// searches returns the web search tool with a service that this test does not call.
func searches() Tool {
	return WebSearchTool(websearch.New(websearch.Config{Settings: func() websearch.Settings { return websearch.Settings{Way: websearch.SearXNG} }}))
}

// REQ-HD-005.2, REQ-HD-005.3, REQ-HD-005.9, D-45: these are the facts about tools that density
// uses. The results of tools that change something cannot be obtained by running them again.
func TestWhatDensityKnowsOfTheTools(t *testing.T) {
	t.Parallel()
	acts := map[cacheaware.Effect][]string{}
	for _, tool := range append(Default(), searches()) {
		if tool.IsRetrievable() != (tool.Reads || tool.Runs || tool.Network) || tool.Edits != tool.WritesFile() {
			t.Errorf("%s: %s", tool.Name, tool.Traits)
		}
		d := tool.Density
		for _, name := range slices.Concat(d.From, d.To, d.Count, d.Old, d.New, d.List, d.Body, d.Patch, d.Command) {
			given, err := json.Marshal(params{name: nil})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tool.Plan(t.Context(), fileEnv(t, nil), arguments.Parse(given)); err == nil || strings.Contains(err.Error(), "unknown parameter") {
				t.Errorf("%s declares %s, which it does not take", tool.Name, name)
			}
		}
		act := cacheaware.EffectOf(tool.Traits)
		acts[act] = append(acts[act], tool.Name)
	}
	for _, names := range acts {
		slices.Sort(names)
	}
	want := map[cacheaware.Effect][]string{
		cacheaware.EffectView:   {"ast_read_file", "read_file", "read_line_range"},
		cacheaware.EffectWrite:  {"write_file"},
		cacheaware.EffectEdit:   {"apply_patch", "ast_edit", "delete_line_range", "insert_at_line", "replace"},
		cacheaware.EffectShell:  {"run_shell_command"},
		cacheaware.EffectKeep:   {"ask_user", "present_plan", "todo_read", "todo_write"},
		cacheaware.EffectSearch: {"glob", "list_directory", "read_many_files", "recall", "search_file_content", "web_fetch", "web_search"},
	}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
}
