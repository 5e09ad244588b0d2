package outputschema

import (
	"maps"
	"slices"
)

// plainWords lists the keywords of JSON Schema that servers enforce.
var plainWords = []string{
	"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs", "definitions", "description", "title",
	"$schema", "$id", "default", "examples", "minimum", "maximum", "minItems", "maxItems", "pattern", "format",
}

// annotations lists the keywords in plainWords that do not affect validation. Some servers refuse
// them.
var annotations = []string{"$schema", "$id", "default", "examples", "title"}

// strict changes a schema into the form that servers enforce: objects require all their members,
// and optional members may be null. It returns false if the schema has no such form; the schema is
// then partly changed.
func strict(schema map[string]any) bool {
	for word := range schema {
		if !slices.Contains(plainWords, word) {
			return false
		}
		if slices.Contains(annotations, word) {
			delete(schema, word)
		}
	}
	for _, word := range []string{"$defs", "definitions"} {
		if defined, ok := schema[word].(map[string]any); ok && !strictEach(defined) {
			return false
		}
	}
	for _, below := range []any{schema["items"], schema["anyOf"]} {
		if !strictBelow(below) {
			return false
		}
	}
	if schema["type"] != "object" {
		return schema["properties"] == nil
	}
	return strictObject(schema)
}

func strictEach(schemas map[string]any) bool {
	for _, one := range schemas {
		if !strictBelow(one) {
			return false
		}
	}
	return true
}

// strictBelow applies strict to the value of a keyword: a schema, a list of schemas, or nil if the
// keyword is missing. It returns false if one of the schemas has no strict form.
func strictBelow(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return strict(value)
	case []any:
		return !slices.ContainsFunc(value, func(one any) bool { return !strictBelow(one) })
	}
	return false
}

func strictObject(schema map[string]any) bool {
	properties, named := schema["properties"].(map[string]any)
	if more, given := schema["additionalProperties"]; !named || given && more != false {
		return false // an object with arbitrary members
	}
	if !strictEach(properties) {
		return false
	}
	required, _ := schema["required"].([]any)
	for name, property := range properties {
		if !slices.Contains(required, any(name)) {
			properties[name] = map[string]any{"anyOf": []any{property, map[string]any{"type": "null"}}}
		}
	}
	all := []any{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		all = append(all, name)
	}
	schema["required"], schema["additionalProperties"] = all, false
	return true
}
