package todo

import (
	"strings"
	"testing"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Why.\n\n1. **Read** `a.go`\n   more\n2) write\n10. test\n": "Read a.go; write; test",
		"1. one only":                 "",
		"- a\n- b":                    "",
		"```\n1. a\n2. b\n```":        "",
		"1990. a\n2. b":               "",
		"1.a\n2.b":                    "",
		strings.Repeat("1. x\n", 101): "",
	} {
		var got []string
		for _, item := range ParseSteps(text) {
			got = append(got, item.Content)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if steps := ParseSteps("1. a\n2. " + strings.Repeat("ä", 2000)); len(steps) != 2 || len([]rune(steps[1].Content)) != maxContent {
		t.Errorf("%d steps", len(steps))
	}
}
