package history

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Result is the answer of a tool: a string, or any other JSON value, stored unchanged. The zero
// Result is JSON null.
type Result struct {
	raw  jsontext.Value
	text string
	str  bool
}

// TextResult returns a Result with the string s.
func TextResult(s string) Result { return Result{text: s, str: true} }

// Text returns the string, or the compact JSON of any other value. It returns "" for null.
func (r Result) Text() string {
	if r.str {
		return r.text
	}
	if len(r.raw) == 0 || string(r.raw) == "null" {
		return ""
	}
	return string(r.raw)
}

// MarshalJSON implements json.Marshaler.
func (r Result) MarshalJSON() ([]byte, error) { return json.Marshal(r, asItCame) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Result) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, r, asItCame) }

// MarshalJSONTo writes the result unchanged.
func (r Result) MarshalJSONTo(out *jsontext.Encoder) error {
	if r.str {
		return out.WriteToken(jsontext.String(r.text))
	}
	if len(r.raw) == 0 {
		return out.WriteToken(jsontext.Null)
	}
	return out.WriteValue(r.raw)
}

// UnmarshalJSONFrom reads any JSON value.
func (r *Result) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	*r = Result{}
	if in.PeekKind() == '"' {
		r.str = true
		return json.UnmarshalDecode(in, &r.text)
	}
	value, err := in.ReadValue()
	if err != nil {
		return err
	}
	r.raw = value.Clone()
	return r.raw.Compact()
}
