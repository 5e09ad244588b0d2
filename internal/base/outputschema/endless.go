package outputschema

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// descent searches for schemas that refer to themselves for the same value of the answer. The
// schema library would follow such references forever.
type descent struct {
	root any
	// anchors maps the names in $anchor and $dynamicAnchor to their schemas.
	anchors map[string]map[string]any
	// open is true for schemas on the path to the current one, and false for schemas that are known
	// to have no loop.
	open map[uintptr]bool
}

// endless reports whether a schema, as decoded JSON, contains a schema that refers to itself for
// the same value. Validating a value would then never end.
func endless(root any) bool {
	d := descent{root, map[string]map[string]any{}, map[uintptr]bool{}}
	var all []map[string]any
	everyObject(root, func(object map[string]any) {
		all = append(all, object)
		for _, word := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := object[word].(string); ok {
				d.anchors[name] = object
			}
		}
	})
	return slices.ContainsFunc(all, d.loops)
}

func everyObject(value any, visit func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(value)
		for _, member := range value {
			everyObject(member, visit)
		}
	case []any:
		for _, item := range value {
			everyObject(item, visit)
		}
	}
}

// loops reports whether a schema refers to itself, directly or through other schemas, for the same
// value.
func (d *descent) loops(schema map[string]any) bool {
	key := reflect.ValueOf(schema).Pointer()
	if open, seen := d.open[key]; seen {
		return open
	}
	d.open[key] = true
	if slices.ContainsFunc(d.samePlace(schema), d.loops) {
		return true
	}
	d.open[key] = false
	return false
}

// samePlace returns the schemas that apply to the same value as schema, by references and by
// keywords such as allOf.
func (d *descent) samePlace(schema map[string]any) []map[string]any {
	var candidates []any
	for _, word := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if reference, ok := schema[word].(string); ok {
			candidates = append(candidates, d.target(reference))
		}
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		several, _ := schema[word].([]any)
		candidates = append(candidates, several...)
	}
	for _, word := range []string{"not", "if", "then", "else"} {
		candidates = append(candidates, schema[word])
	}
	dependent, _ := schema["dependentSchemas"].(map[string]any)
	for _, one := range dependent {
		candidates = append(candidates, one)
	}
	var next []map[string]any
	for _, one := range candidates {
		if one, ok := one.(map[string]any); ok {
			next = append(next, one)
		}
	}
	return next
}

// target returns the value that a reference points to, or nil. It reads no other document, and
// resolves a reference to another document within this one.
func (d *descent) target(reference string) any {
	_, path, _ := strings.Cut(reference, "#")
	if path != "" && path[0] != '/' {
		return d.anchors[path]
	}
	at := d.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch value := at.(type) {
		case map[string]any:
			if part != "" || path != "" {
				at = value[part]
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(value) {
				return nil
			}
			at = value[i]
		default:
			return nil
		}
	}
	return at
}
