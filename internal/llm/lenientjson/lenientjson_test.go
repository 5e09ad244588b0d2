package lenientjson_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/lenientjson"
)

type reply struct {
	Text  lenientjson.Text         `json:"text"`
	Count lenientjson.Int          `json:"count"`
	Args  lenientjson.JSON         `json:"args"`
	Items lenientjson.List[member] `json:"items"`
	Plain string                   `json:"plain"`
}

type member struct {
	Name string `json:"name"`
}

// A member with a wrong type only loses its own value. Plausible types are converted.
func TestDecode(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]reply{
		`{"text":"a","count":3,"args":"{}","items":[{"name":"x"}],"plain":"p"}`:                  {"a", lenientjson.Int{Value: 3, Is: true}, "{}", lenientjson.List[member]{{"x"}}, "p"},
		`{"text":[{"text":"a"},7,{"text":"b"}],"count":"3","args":{"a":1},"items":{"name":"x"}}`: {"ab", lenientjson.Int{Value: 3, Is: true}, `{"a":1}`, lenientjson.List[member]{{"x"}}, ""},
		`{"text":7,"count":1.5,"args":null,"items":["x",{"name":7}],"plain":{}}`:                 {"", lenientjson.Int{}, "", lenientjson.List[member]{{}}, ""},
		`{"text":{"text":"a"},"count":1e300,"items":"x","plain":"p"}`:                            {"a", lenientjson.Int{}, "", nil, "p"},
		`{"count":"3","count":[{}]}`: {},
		`[1]`:                        {},
		`x`:                          {},
	} {
		if diff := cmp.Diff(want, lenientjson.Decode[reply]([]byte(data))); diff != "" {
			t.Errorf("%s: %s", data, diff)
		}
	}
	if got := (lenientjson.Int{Value: -1, Is: true}).NonNegative(); got != 0 {
		t.Errorf("a count of %d", got)
	}
}

// FuzzDecode checks that any JSON can be decoded.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"text":[{"text":"a"}],"count":"3","args":{},"items":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := lenientjson.Decode[reply](data); got.Count.NonNegative() < 0 || !got.Count.Is && got.Count.Value != 0 {
			t.Fatalf("%q gave %+v", data, got)
		}
	})
}
