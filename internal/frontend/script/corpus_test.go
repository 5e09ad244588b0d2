package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agent/internal/base/outputschema"
)

// values are schemas, each with a matching and a non-matching value.
var values = []struct{ schema, good, bad string }{
	{`{"type":"string","minLength":1}`, `"x"`, `7`},
	{`{"type":"integer"}`, `3`, `3.5`},
	{`{"type":"number"}`, `1.5`, `"1"`},
	{`{"type":"boolean"}`, `true`, `"true"`},
	{`{"enum":["a","b"]}`, `"a"`, `"c"`},
	{`{"const":1}`, `1`, `2`},
	{`{"type":"string","pattern":"^[a-z]+$"}`, `"abc"`, `"ABC"`},
	{`{"type":"integer","minimum":1,"maximum":5}`, `5`, `6`},
	{`{"type":"array","items":{"type":"integer"},"minItems":1}`, `[1]`, `["x"]`},
	{`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`, `{"n":1}`, `{"n":"x"}`},
}

// places are schemas that contain another schema S, with a value that contains V at the same
// position.
var places = []struct{ schema, value string }{
	{`{"type":"object","required":["v"],"properties":{"v":S}}`, `{"v":V}`},
	{`{"type":"array","items":S}`, `[V]`},
	{`{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"type":"array","items":S}}}}}`, `{"a":{"b":[V]}}`},
	{`{"type":"object","required":["v"],"properties":{"v":{"$ref":"#/$defs/s"}},"$defs":{"s":S}}`, `{"v":V}`},
	{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","required":["v"],"properties":{"v":S,"next":{"$ref":"#/$defs/n"}}}}}`, `{"v":V,"next":{"v":V}}`},
	{`{"type":"object","properties":{"v":{"anyOf":[S,{"type":"null"}]},"note":{"type":"string"}},"required":["v"]}`, `{"v":V}`},
}

// Sixty schemas are tried with four models. One answers correctly, one wraps its corrected answer
// in a code fence, one never answers correctly, and one writes prose.
func TestCorpusOfSchemas(t *testing.T) {
	t.Parallel()
	for _, v := range values {
		for _, p := range places {
			text := strings.ReplaceAll(p.schema, "S", v.schema)
			good, bad := strings.ReplaceAll(p.value, "V", v.good), strings.ReplaceAll(p.value, "V", v.bad)
			schema, err := outputschema.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if strict := schema.Strict(); strict != nil {
				enforced, err := outputschema.Parse(strict)
				if err != nil {
					t.Fatalf("the strict form %s: %v", strict, err)
				}
				full := good
				if strings.Contains(text, `"note"`) { // strict servers send every member
					full = strings.TrimSuffix(good, "}") + `,"note":null}`
				}
				if _, err := enforced.ParseAnswer(full); err != nil {
					t.Errorf("%s does not fit the strict form %s: %v", full, strict, err)
				}
				if _, err := schema.ParseAnswer(full); err != nil {
					t.Errorf("%s of a strict server does not fit %s: %v", full, text, err)
				}
			}
			for name, model := range map[string]struct {
				answers []string
				problem string
			}{
				"obeys":   {[]string{good}, ""},
				"repairs": {[]string{bad, "```json\n" + good + "\n```"}, ""},
				"never":   {[]string{bad, bad, bad}, "the model's answer does not match the schema: /"},
				"prose":   {[]string{"I think so.", "Sure: " + good, ""}, "the model's answer does not match the schema: it is not valid JSON"},
			} {
				asked := 0
				output, err := inForm(schema, func(question string) (string, bool, error) {
					if again := strings.HasPrefix(question, "That does not fit the schema: "); again != (asked > 0) {
						t.Errorf("question %d is %q", asked, question)
					}
					asked++
					return model.answers[asked-1], true, nil
				})
				said := fmt.Sprint(err)
				if asked != len(model.answers) || (err == nil) != (model.problem == "") || err != nil && !strings.HasPrefix(said, model.problem) || err == nil && string(output) != good {
					t.Errorf("%s, %s: %s, %s after %d answers", text, name, output, said, asked)
				}
				if err == nil && !json.Valid(output) {
					t.Errorf("%s is no JSON", output)
				}
			}
		}
	}
}
