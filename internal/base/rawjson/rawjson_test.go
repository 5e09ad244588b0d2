package rawjson

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestMarshal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		give any
		want string
	}{
		{"a < b && c > d", `"a < b && c > d"`},
		{map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
		{"line\n\x1b", `"line\n\u001b"`},
		{nil, "null"},
	} {
		got, err := Marshal(c.give)
		if err != nil || string(got) != c.want {
			t.Errorf("Marshal(%v) = %s, %v", c.give, got, err)
		}
	}
	if _, err := Marshal(math.NaN()); err == nil {
		t.Error("what is no JSON was written")
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	var line, indented strings.Builder
	v := map[string]string{"a": "<b>"}
	if err := Write(&line, v); err != nil || line.String() != "{\"a\":\"<b>\"}\n" {
		t.Errorf("%q, %v", line.String(), err)
	}
	if err := WriteIndented(&indented, v); err != nil || indented.String() != "{\n  \"a\": \"<b>\"\n}\n" {
		t.Errorf("%q, %v", indented.String(), err)
	}
}

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	for offset, want := range map[int]string{-1: "1:1", 0: "1:1", 1: "1:2", 2: "1:3", 3: "2:1", 4: "2:2", 99: "2:3"} {
		if got := PositionAt([]byte("ab\ncd"), offset).String(); got != want {
			t.Errorf("PlaceOf(%d) = %s, want %s", offset, got, want)
		}
	}
}

// Written text is safe to show in a terminal, and reads back unchanged.
func TestWriteEscapesInvisibleCharacters(t *testing.T) {
	t.Parallel()
	give := "a\u009b31m\u009d\u202egpj\u2066\u200b\x7f\U000e0041 日本 <b>"
	var b strings.Builder
	if err := Write(&b, give); err != nil {
		t.Fatal(err)
	}
	if want := `"a\u009b31m\u009d\u202egpj\u2066\u200b\u007f\udb40\udc41 日本 <b>"` + "\n"; b.String() != want {
		t.Errorf("wrote %s, want %s", b.String(), want)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != give {
		t.Errorf("reads back as %q, %v", back, err)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{``, "{\n  \"a\": 1\n}\n"},
		{`{"a":{"x":2},"b":[1.0]}`, "{\n  \"a\": 1,\n  \"b\": [\n    1.0\n  ]\n}\n"},
		{`[]`, "fails"},
		{`{`, "fails"},
	} {
		got, err := Merge([]byte(c.file), map[string]int{"a": 1})
		if err != nil {
			got = []byte("fails")
		}
		if string(got) != c.want {
			t.Errorf("%q: %q, want %q", c.file, got, c.want)
		}
	}
}
