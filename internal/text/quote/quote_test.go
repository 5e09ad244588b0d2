package quote

import (
	"strings"
	"testing"
)

func FuzzNearMiss(f *testing.F) {
	f.Add("a\nb\nc\n", "b\n\nc")
	f.Add("", "x")
	f.Add("\tone  two\n\xff\xfe", "one two\n")
	f.Add("a", "a\n\n\n")
	f.Fuzz(func(t *testing.T, text, old string) {
		if old == "" || strings.Contains(text, old) {
			return
		}
		message := notFound("f", text, old, "new").Error()
		if !strings.HasPrefix(message, "old_string was not found in f") || len(message) > 40_000 {
			t.Errorf("%d bytes: %.200s", len(message), message)
		}
	})
}
