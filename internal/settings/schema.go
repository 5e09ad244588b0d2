package settings

import (
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"
)

// ProfileSchema returns the JSON Schema of profile files, for completion and checks in editors. It
// does not allow unknown keys, although the program keeps them. They are far more often typing
// errors than keys of another version.
func (r *Registry) ProfileSchema() (*jsonschema.Schema, error) {
	profile := closedObject("A profile of agent: a model and settings under a name.")
	profile.Schema = "https://json-schema.org/draft/2020-12/schema"
	only := any(version)
	profile.Properties[fieldVersion] = &jsonschema.Schema{Const: &only, Description: "version of the file"}
	profile.Properties[fieldSchema] = &jsonschema.Schema{Type: "string", Description: "address of this schema, for editors"}
	values := closedObject("Settings that differ from their defaults.")
	for _, spec := range r.specs {
		schema, err := spec.schema()
		if err != nil {
			return nil, err
		}
		if spec.Key == Model.Key() {
			profile.Properties[fieldModel] = schema
			continue
		}
		if spec.Key == Headers.Key() {
			values.PatternProperties = map[string]*jsonschema.Schema{"^" + regexp.QuoteMeta(headerPrefix) + ".": schema}
			continue
		}
		values.Properties[spec.Key] = schema
		for _, alias := range spec.Aliases {
			other := *schema
			other.Description, other.Deprecated = "another name of "+spec.Key, true
			values.Properties[alias] = &other
		}
	}
	profile.Properties[fieldSettings] = values
	return profile, nil
}

// closedObject returns the schema of an object that allows no properties. The caller adds
// properties.
func closedObject(description string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		Description:          description,
		Properties:           make(map[string]*jsonschema.Schema),
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}
