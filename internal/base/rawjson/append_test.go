package rawjson_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/base/rawjson"
)

// FuzzAppendString compares AppendString with jsontext.AppendQuote, and with the text that
// encoding/json reads.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\t\r\x00\x1f\x7f", "é世\U0001F600\u2028", "\xff\xc3(\xe2\x82", "<&>", "\ufffd", "12345678\"", "1234567\\\x1f!\"# \x80", "\u0100\x00\x01\"\x01 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := rawjson.AppendString(nil, s)
		if want, _ := jsontext.AppendQuote(nil, s); string(got) != string(want) {
			t.Fatalf("%q gave %s, want %s", s, got, want)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil || !utf8.Valid(got) {
			t.Fatalf("%q gave %q: %v", s, got, err)
		}
		quoted, err := json.Marshal(s)
		var want string
		if err != nil || json.Unmarshal(quoted, &want) != nil || back != want {
			t.Fatalf("%q reads back as %q, want %q", s, back, want)
		}
	})
}
