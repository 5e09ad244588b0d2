package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxWritten is the greatest length of the schema in an error, in bytes.
const maxWritten = 2 << 10

// Check returns an error with the schema of the tool if arguments do not match it. A schema that
// cannot be checked matches everything, because the server also checks the arguments.
func (t Tool) Check(given arguments.Arguments) error {
	if !given.IsObject() {
		return t.misfit("they must be an object")
	}
	resolved, err := t.resolvedSchema()
	if err != nil {
		return nil
	}
	if err := resolved.Validate(given.Map()); err != nil {
		return t.misfit(humanize.Line(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "validating root: "), "validating ", ""), maxProblem))
	}
	return nil
}

// maxProblem is the greatest length of the description of a mismatch, in characters.
const maxProblem = 500

func (t Tool) misfit(problem string) error {
	return fmt.Errorf("nothing was sent: the arguments do not match the schema: %s\nThe schema of %s: %s", problem, t.Shown, shorten(string(t.Schema), maxWritten))
}

// resolvedSchema returns the schema in a form for validation. It first replaces references by their
// targets, because the library would follow a recursive reference forever.
func (t Tool) resolvedSchema() (*jsonschema.Resolved, error) {
	var root any
	if err := json.Unmarshal(t.Schema, &root); err != nil {
		return nil, err
	}
	w := unfolding{root: root, left: maxUnfolded}
	plain, err := json.Marshal(w.unfold(root, nil))
	if err != nil || w.left < 0 {
		return nil, errors.Join(err, errors.New("the schema is too large"))
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(plain, &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}

// maxUnfolded is the greatest number of values in a schema after its references are replaced.
const maxUnfolded = 5000

// unfolding replaces references in a schema by their targets. A reference that is recursive, refers
// to another document or has no target allows any value.
type unfolding struct {
	root any
	left int
}

// notSchemas holds the keywords whose values are not schemas and contain no references.
var notSchemas = map[string]bool{"enum": true, "const": true, "default": true, "examples": true}

// ofSchemas holds the keywords whose values map names to schemas. These names are not keywords.
var ofSchemas = map[string]bool{"properties": true, "patternProperties": true, "dependentSchemas": true}

// unfold returns a value with its references replaced. within lists the references that lead to the
// value.
func (u *unfolding) unfold(value any, within []string) any {
	if u.left--; u.left < 0 {
		return true
	}
	switch v := value.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = u.unfold(v[i], within)
		}
		return all
	case map[string]any:
		return u.object(v, within)
	}
	return value
}

func (u *unfolding) object(v map[string]any, within []string) any {
	with := map[string]any{}
	for name, member := range v {
		switch name {
		case "$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "$id", "$anchor", "$dynamicAnchor", "$schema", "$vocabulary":
			if _, text := member.(string); text || name == "$defs" || name == "definitions" {
				continue
			}
		}
		named, several := member.(map[string]any)
		switch {
		case notSchemas[name]:
			with[name] = member
		case several && ofSchemas[name]:
			inner := map[string]any{}
			for property, schema := range named {
				inner[property] = u.unfold(schema, within)
			}
			with[name] = inner
		default:
			with[name] = u.unfold(member, within)
		}
	}
	reference, is := v["$ref"].(string)
	if !is {
		return with
	}
	target, found := u.lookup(reference)
	for _, outer := range within {
		found = found && outer != reference
	}
	if found {
		inner := u.unfold(target, append(within[:len(within):len(within)], reference))
		if len(with) == 0 {
			return inner
		}
		all, _ := with["allOf"].([]any)
		with["allOf"] = append(all[:len(all):len(all)], inner)
	}
	return with
}

// lookup returns the target of a reference inside the schema.
func (u *unfolding) lookup(reference string) (any, bool) {
	path, local := strings.CutPrefix(reference, "#")
	if !local {
		return nil, false
	}
	at := u.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" {
			continue
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = object[strings.NewReplacer("~1", "/", "~0", "~", "%24", "$").Replace(part)]; !ok {
			return nil, false
		}
	}
	return at, true
}
