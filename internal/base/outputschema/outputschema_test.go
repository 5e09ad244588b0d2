package outputschema

import (
	"strings"
	"testing"
)

const findings = `{"$schema":"x","type":"object","required":["findings"],"properties":{"findings":{"type":"array","items":{"type":"object","required":["file","line"],"properties":{"file":{"type":"string"},"line":{"type":"integer"},"note":{"type":"string"}}}}}}`

func TestFit(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(findings))
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		`{"findings":[]}`: "",
		"```json\n{\"findings\":[{\"file\":\"a\",\"line\":1}]}\n```": "",
		`{"findings":[{"file":"a","line":1,"note":null}]}`:           "",
		`{"findings":[{"file":"a","line":"x"}]}`:                     "/findings/*/line: ",
		`{"findings":[{"file":"a"}]}`:                                "/findings/*: ",
		`{}`:                                                         `/: required: missing properties: ["findings"]`,
		`here: {"findings":[]}`:                                      "it is not valid JSON",
		`{"findings":[]} that is all`:                                "text follows the JSON",
		``:                                                           "it is not valid JSON",
	} {
		got, err := s.ParseAnswer(answer)
		if want == "" && (err != nil || !strings.Contains(string(got), "findings") || strings.Contains(string(got), "null")) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %s, %v; want %s", answer, got, err, want)
		}
	}
	if want := `{"additionalProperties":false,"properties":{"findings":{"items":{"additionalProperties":false,"properties":{"file":{"type":"string"},"line":{"type":"integer"},"note":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["file","line","note"],"type":"object"},"type":"array"}},"required":["findings"],"type":"object"}`; string(s.Strict()) != want {
		t.Errorf("%s", s.Strict())
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for text, strict := range map[string]bool{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}`: true,
		`{"type":"object","properties":{"a":{"enum":["x",1]}}}`:                                                                                true,
		`{"type":"object"}`: false,
		`{"type":"object","properties":{},"additionalProperties":true}`:                                   false,
		`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`: false,
		`{"type":"array","items":{"type":"string"}}`:                                                      false,
		`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]}}}`:                              false,
		`{"type":"object","properties":{"a":{"items":true}}}`:                                             false,
		`{}`: false,
	} {
		s, err := Parse([]byte(text))
		if err != nil || (s.Strict() != nil) != strict {
			t.Errorf("%s: %v, strict %s", text, err, s.Strict())
		}
	}
	for _, wrong := range []string{``, `[]`, `{"type":"objekt","$ref":"http://127.0.0.1:1/x"}`, `{"type":7}`, `{"$ref":"#/$defs/none"}`} {
		if _, err := Parse([]byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// A schema that refers to itself without descending into the answer is refused, because the library
// would recurse without end. A schema that descends is accepted.
func TestEndlessSchemas(t *testing.T) {
	t.Parallel()
	for text, taken := range map[string]bool{
		`{"$ref":"#"}`:             false,
		`{"allOf":[{"$ref":"#"}]}`: false,
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}}`: false,
		`{"properties":{"x":{"$ref":"#/properties/x"}}}`:                                           false,
		`{"$anchor":"me","anyOf":[{"type":"string"},{"$ref":"#me"}]}`:                              false,
		`{"if":{"$ref":"#/if"}}`: false,
		`{"$id":"https://h/s.json","oneOf":[{"$ref":"https://h/s.json"}]}`:                                            false,
		`{"properties":{"a/b":{"$ref":"#/properties/a~1b"}}}`:                                                         false,
		`{"properties":{"a":{"$ref":"#"}}}`:                                                                           true,
		`{"type":"object","properties":{"l":{"type":"array","items":{"$ref":"#"}}}}`:                                  true,
		`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}}}`: true,
		`{"properties":{"a":{"$ref":"#/$defs/s"},"b":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`:          true,
	} {
		s, err := Parse([]byte(text))
		if (err == nil) != taken {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil {
			_, _ = s.ParseAnswer(`{"a":{"a":1},"l":[{"l":[]}],"next":{"next":null}}`)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add(findings, "```\n{}\n```")
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#"}],"if":{"$anchor":"x"}}},"$anchor":"y"}`, `{"a":[1]}`)
	f.Fuzz(func(t *testing.T, schema, answer string) {
		if s, err := Parse([]byte(schema)); err == nil {
			if value, err := s.ParseAnswer(answer); err == nil {
				if _, err := s.ParseAnswer(string(value)); err != nil {
					t.Errorf("%s fits and then does not: %v", value, err)
				}
			}
		}
	})
}
