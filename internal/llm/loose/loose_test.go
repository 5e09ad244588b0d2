package loose_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/loose"
)

type reply struct {
	Text  loose.Text         `json:"text"`
	Count loose.Int          `json:"count"`
	Args  loose.JSON         `json:"args"`
	Items loose.List[member] `json:"items"`
	Plain string             `json:"plain"`
}

type member struct {
	Name string `json:"name"`
}

// A member of the wrong shape costs nothing but itself; shapes that make sense are
// read.
func TestDecode(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]reply{
		`{"text":"a","count":3,"args":"{}","items":[{"name":"x"}],"plain":"p"}`:                  {"a", loose.Int{Value: 3, Is: true}, "{}", loose.List[member]{{"x"}}, "p"},
		`{"text":[{"text":"a"},7,{"text":"b"}],"count":"3","args":{"a":1},"items":{"name":"x"}}`: {"ab", loose.Int{Value: 3, Is: true}, `{"a":1}`, loose.List[member]{{"x"}}, ""},
		`{"text":7,"count":1.5,"args":null,"items":["x",{"name":7}],"plain":{}}`:                 {"", loose.Int{}, "", loose.List[member]{{}}, ""},
		`{"text":{"text":"a"},"count":1e300,"items":"x","plain":"p"}`:                            {"a", loose.Int{}, "", nil, "p"},
		`{"count":"3","count":[{}]}`: {},
		`[1]`:                        {},
		`x`:                          {},
	} {
		if diff := cmp.Diff(want, loose.Decode[reply]([]byte(data))); diff != "" {
			t.Errorf("%s: %s", data, diff)
		}
	}
	if got := (loose.Int{Value: -1, Is: true}).Count(); got != 0 {
		t.Errorf("a count of %d", got)
	}
}

// FuzzDecode: no JSON is too strange to be read.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"text":[{"text":"a"}],"count":"3","args":{},"items":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := loose.Decode[reply](data); got.Count.Count() < 0 || !got.Count.Is && got.Count.Value != 0 {
			t.Fatalf("%q gave %+v", data, got)
		}
	})
}
