package mcp

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A form that refers to itself is refused, because checking an answer against it would never end.
func TestFormsThatReferToThemselves(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		`{"type":"object","$ref":"#","properties":{"a":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","allOf":[{"$ref":"#/properties/a"}]}}}`,
	} {
		if _, _, err := questionOf("s", &sdk.ElicitParams{Message: "m", RequestedSchema: json.RawMessage(form)}); err == nil {
			t.Errorf("%s is asked for", form)
		}
	}
}
