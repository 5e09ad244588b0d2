package arguments

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The record contains the arguments without white space, and no data of the model is lost.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		written, raw, text string
		object             bool
		names              string
	}{
		{"", `{}`, "", true, ""},
		{" \n", `{}`, "", true, ""},
		{`{}`, `{}`, "", true, ""},
		{"{ \"b\" : 1,\n\"a\": [ ] }", `{"b":1,"a":[]}`, "", true, "b a"},
		{`{"a":"<&> \u003c"}`, `{"a":"<&> \u003c"}`, "", true, "a"},
		{`{"a":1,"b":2,"a":3}`, `{"a":1,"b":2,"a":3}`, "", true, "b a"},
		{`null`, `null`, `null`, false, ""},
		{` "{\"a\":1}"`, `"{\"a\":1}"`, ` "{\"a\":1}"`, false, ""},
		{`[1, 2]`, `[1,2]`, `[1, 2]`, false, ""},
		{`{"a":`, `"{\"a\":"`, `{"a":`, false, ""},
		{`<patch>`, `"\u003cpatch\u003e"`, `<patch>`, false, ""},
	} {
		a := Parse(tt.written)
		var names []string
		for name := range a.All() {
			names = append(names, name)
		}
		if a.String() != tt.raw || a.InvalidText() != tt.text {
			t.Errorf("%q: %s and %q", tt.written, a, a.InvalidText())
		}
		if a.IsObject() != tt.object || strings.Join(names, " ") != tt.names {
			t.Errorf("%q: an object: %v, with %q", tt.written, a.IsObject(), names)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxDecoded)
	a := Parse(`{"n": 7, "s": "a\"b", "none": null, "l": ["x", 1], "long": "` + long + `", "s": "last"}`)
	for name, want := range map[string]any{"n": 7.0, "s": "last", "none": nil, "l": []any{"x", 1.0}, "long": long} {
		if got, given := a.Arg(name); !given || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, %v", name, got, given)
		}
		if got, given := a.CachedArg(name); given == (name == "long") || given && !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, %v if it is short", name, got, given)
		}
	}
	if raw, given := a.Value("l"); !given || string(raw) != `["x",1]` {
		t.Errorf("the JSON of a list is %s, %v", raw, given)
	}
	if a.StringArg("n") != "" || a.StringArg("s") != "last" || a.StringArg("nosuch") != "" {
		t.Error("an argument is a text that is none, or is none that is a text")
	}
	if _, given := a.Arg("nosuch"); given {
		t.Error("an argument is given that is not")
	}
}

// The content of a file is in memory only once.
func TestValuesArePartOfTheWhole(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("x", 1<<20)
	written := []byte(`{"file_path":"a","content":"` + content + `"}`)
	if raw, _ := Parse(written).Value("content"); &raw[0] != &written[bytes.IndexByte(written, ',')+len(`,"content":`)] {
		t.Error("the content was copied")
	}
}

// FuzzParse compares the arguments with the result of encoding/json.
func FuzzParse(f *testing.F) {
	for _, written := range []string{``, `{}`, `{"a":{"b":[1,"x",null]},"c":"\ud800"}`, `{"a":1,"a":2}`, `[{}]`, `{"a"`, "{\"\xff\":\"\xff\"}"} {
		f.Add(written)
	}
	f.Fuzz(func(t *testing.T, written string) {
		a := Parse(written)
		if !json.Valid(a.Raw()) {
			t.Fatalf("%q is recorded as %q", written, a)
		}
		if again := Parse(a.Raw()); again.String() != a.String() || again.IsObject() != a.IsObject() {
			t.Fatalf("%q becomes %q and then %q", written, a, again)
		}
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(written), &want) != nil || want == nil {
			if a.IsObject() != (strings.TrimSpace(written) == "") {
				t.Fatalf("%q is an object: %v", written, a.IsObject())
			}
			return
		}
		got := maps.Collect(a.All())
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%q has %q, want %q", written, got, want)
		}
		for name, raw := range want {
			var compact bytes.Buffer
			if err := json.Compact(&compact, raw); err != nil || compact.String() != string(got[name]) {
				t.Errorf("%q: %q is %s, want %s", written, name, got[name], raw)
			}
		}
	})
}
