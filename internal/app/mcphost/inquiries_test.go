package mcphost

import (
	"fmt"
	"testing"

	"agent/internal/extend/mcp"
	"agent/internal/tools"
)

// The answer of a user to a field of a server's form is converted to the type of the field. Fields
// without an answer stay empty.
func TestFieldsOfForms(t *testing.T) {
	t.Parallel()
	chosen := func(labels ...string) tools.InquiryAnswer { return tools.InquiryAnswer{Chosen: labels} }
	for _, tt := range []struct {
		field   mcp.Field
		options string
		given   tools.InquiryAnswer
		want    string
	}{
		{mcp.Field{Name: "n", Type: "string", Required: true}, "", tools.InquiryAnswer{Words: "x y"}, "x y true"},
		{mcp.Field{Name: "n", Type: "string", Required: true, Default: []byte(`"usual"`)}, "usual", chosen("usual"), "usual true"},
		{mcp.Field{Name: "n", Type: "string"}, leaveOut, chosen(leaveOut), "<nil> false"},
		{mcp.Field{Name: "n", Type: "string", Required: true, Options: []mcp.Option{{Value: "r", Title: "Red"}, {Value: "b", Title: "Blue"}}}, "Red,Blue", chosen("Blue"), "b true"},
		{mcp.Field{Name: "n", Type: "boolean", Required: true}, "yes,no", chosen("no"), "false true"},
		{mcp.Field{Name: "n", Type: "boolean"}, "yes,no," + leaveOut, chosen("yes"), "true true"},
		{mcp.Field{Name: "n", Type: "integer", Required: true}, "", tools.InquiryAnswer{Words: " 12 "}, "12 true"},
		{mcp.Field{Name: "n", Type: "number", Required: true}, "", tools.InquiryAnswer{Words: "many"}, "many true"},
		{mcp.Field{Name: "n", Type: "list", Options: []mcp.Option{{Value: "r", Title: "Red"}, {Value: "b", Title: "Blue"}}}, "Red,Blue," + leaveOut, chosen("Red", "Blue"), "[r b] true"},
		{mcp.Field{Name: "n", Type: "list", Options: []mcp.Option{{Value: "r", Title: "Red"}}}, "Red," + leaveOut, chosen(leaveOut), "[] false"},
	} {
		inquiry := inquiryOf(tt.field)
		options := ""
		for i, o := range inquiry.Options {
			if i > 0 {
				options += ","
			}
			options += o.Label
		}
		value, filled := valueOf(tt.field, tt.given)
		if got := fmt.Sprint(value, " ", filled); got != tt.want || options != tt.options || inquiry.Several != (tt.field.Type == "list") || inquiry.YesNo != (options == "yes,no") {
			t.Errorf("%+v: %q, options %q", tt.field, got, options)
		}
	}
}
