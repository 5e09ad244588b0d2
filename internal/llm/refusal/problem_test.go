package refusal

import (
	"strings"
	"testing"

	"agent/internal/llm"
)

// FuzzProblem: no body of an error is too strange to be put into one line.
func FuzzProblem(f *testing.F) {
	for _, body := range []string{`{"error":{"message":["a",{"msg":"b"}],"code":"429"}}`, `[]`, `null`, `{"detail":[{"msg":"x"}]}`, "\x1b[2J", `"x"`, `{"error":{"metadata":{"raw":7}}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := Parse(body)
		if strings.ContainsFunc(p.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) || len(p.Message) > 5000 {
			t.Fatalf("%q gave %q", body, p.Message)
		}
		meaning := p.Meaning()
		kind, hint := meaning.Kind, meaning.Hint
		if hint == "" || kind < llm.Unavailable || kind > llm.NotAnAPI {
			t.Fatalf("%q gave kind %d, hint %q", body, kind, hint)
		}
	})
}
