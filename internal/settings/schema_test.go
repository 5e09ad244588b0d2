package settings_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"agent/internal/settings"
)

func profileSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	schema, err := newRegistry().ProfileSchema()
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// For every setting, by name and by alias, the schema and the program accept the same values.
func TestSchemaAgreesWithStore(t *testing.T) {
	t.Parallel()
	schema := profileSchema(t)
	store, _ := newStore(t)
	path := writeProfile(t, store, "work", "")
	var names []string
	for _, spec := range newRegistry().Specs() {
		if spec.Type() != settings.TypeURL && spec.Key != settings.PriceTiers.Key() { // a schema cannot express their format
			names = append(append(names, spec.Key), spec.Aliases...)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "name")
		value := rapid.SampledFrom([]string{
			"-2", "-1", "-0.1", "0", "0.1", "1", "1.5", "2", "2.5", "3", "true", "false", `""`, `"m"`, `"auto"`,
			`"high-density"`, `"ask"`, `"high"`, "[]", "{}", `"1"`, `"true"`,
		}).Draw(t, "value")
		text := fmt.Sprintf(`{"version":1,"settings":{%q:%s}}`, name, value)
		if name == settings.Model.Key() {
			text = fmt.Sprintf(`{"version":1,"model":%s}`, value)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, loadErr := store.Load("work")
		if schemaErr := validate(t, schema, text); (loadErr == nil) != (schemaErr == nil) {
			t.Fatalf("%s: the program says %v, the schema %v", text, loadErr, schemaErr)
		}
	})
}

// The schema contains the default of every setting, so that an editor can show it.
func TestSchemaHasDefaults(t *testing.T) {
	t.Parallel()
	schema, err := newRegistry().ProfileSchema()
	if err != nil {
		t.Fatal(err)
	}
	values := schema.Properties["settings"].Properties
	for key, want := range map[string]string{"max-turns": "-1", "compression.strategy": `"high-density"`, "compression.density.fileDedupe": "true", "temperature": ""} {
		if got := string(values[key].Default); got != want {
			t.Errorf("%s: default %s, want %s", key, got, want)
		}
	}
}

// With the schema, an editor marks typing errors and accepts files that the program wrote.
func TestSchemaOfCompleteFiles(t *testing.T) {
	t.Parallel()
	schema := profileSchema(t)
	store, _ := newStore(t)
	s := newSettings()
	for _, spec := range s.Registry().Specs() {
		set(t, s, settings.LayerSession, strings.Replace(spec.Key, "NAME", "X-Test", 1), sample(spec))
	}
	if _, err := store.Save("all", s.PersistentValues()); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(store.Path("all"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema, string(saved)); err != nil {
		t.Errorf("the schema refuses a saved profile: %v", err)
	}
	for _, wrong := range []string{`{"version":1,"modle":"m"}`, `{"version":1,"settings":{"colour":1}}`, `{"version":2}`, `[]`} {
		if validate(t, schema, wrong) == nil {
			t.Errorf("the schema accepts %s", wrong)
		}
	}
}

func validate(t interface{ Fatal(...any) }, schema *jsonschema.Resolved, text string) error {
	var instance any
	if err := json.Unmarshal([]byte(text), &instance); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(instance)
}
