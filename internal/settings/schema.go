package settings

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// ProfileSchema returns the JSON Schema of a profile file, generated from the
// registry, so that editors complete and check it. Keys it does not know are
// marked although the program keeps them: they are typing errors far more often
// than the keys of another version.
func (r *Registry) ProfileSchema() (*jsonschema.Schema, error) {
	profile := closedObject("A profile of agent: a model and settings by name.")
	profile.Schema = "https://json-schema.org/draft/2020-12/schema"
	only := any(version)
	profile.Properties[fieldVersion] = &jsonschema.Schema{Const: &only, Description: "version of the file"}
	profile.Properties[fieldSchema] = &jsonschema.Schema{Type: "string", Description: "where an editor finds this schema"}
	values := closedObject("Settings that differ from their defaults.")
	for _, spec := range r.specs {
		schema, err := spec.schema()
		if err != nil {
			return nil, err
		}
		if spec.Key == KeyModel {
			profile.Properties[fieldModel] = schema
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

// closedObject is an object without other properties than those added to it.
func closedObject(description string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		Description:          description,
		Properties:           make(map[string]*jsonschema.Schema),
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// schema is the JSON Schema of one setting.
func (s *Spec) schema() (*jsonschema.Schema, error) {
	schema := &jsonschema.Schema{Description: s.Help}
	if s.Default != nil {
		encoded, err := json.Marshal(s.Default)
		if err != nil {
			return nil, err
		}
		schema.Default = encoded
	}
	switch s.Type {
	case TypeInt, TypeNumber, TypeBool:
		schema.Type = string(s.Type)
	case TypeEnum:
		for _, value := range s.Enum {
			schema.Enum = append(schema.Enum, value)
		}
	default:
		one := 1
		schema.Type, schema.MinLength = "string", &one
	}
	bounds := &jsonschema.Schema{Minimum: s.Range.Min, Maximum: s.Range.Max}
	if s.Range.OpenMin {
		bounds.Minimum, bounds.ExclusiveMinimum = nil, s.Range.Min
	}
	if s.Range.Also == nil {
		schema.Minimum, schema.ExclusiveMinimum, schema.Maximum = bounds.Minimum, bounds.ExclusiveMinimum, bounds.Maximum
		return schema, nil
	}
	also := any(*s.Range.Also)
	schema.AnyOf = []*jsonschema.Schema{bounds, {Const: &also}}
	return schema, nil
}
