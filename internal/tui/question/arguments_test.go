package question

import (
	"encoding/json"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/style"
)

func TestArgumentsText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, arguments, want string }{
		{"none", `{}`, ""},
		{"no object", `[1]`, `[1]`},
		{"values", `{"a":"x","n":1.50,"b":true,"z":null}`, "\"a\": \"x\"\n\"n\": 1.50\n\"b\": true\n\"z\": null"},
		{"a name twice", `{"a":1,"a":2}`, "\"a\": 1\n\"a\": 2"},
		{"nested", `{"o":{"l":[1,"x"],"e":{},"f":[]}}`, "\"o\": {\n  \"l\": [\n    1,\n    \"x\"\n  ],\n  \"e\": {},\n  \"f\": []\n}"},
		{"a text that passes for a parameter", `{"a":"x\",\n\"b\": \"y\n"}`, "\"a\": \"x\\\",\\n\n  \\\"b\\\": \\\"y\\n\""},
		{"escapes that hide", `{"\u0061":"\u002fetc\\\t"}`, `"a": "/etc\\\t"`},
	} {
		if got := argumentsText(json.RawMessage(tt.arguments)); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	if got := argumentsText(json.RawMessage(`{"a":` + deep + `}`)); len(got) > 100_000 {
		t.Errorf("deep nesting takes %d bytes", len(got))
	}
}

// A call without a diff and a command shows all of its arguments, and its end must be visible
// before it can be approved.
func TestArgumentsAreShownCompletely(t *testing.T) {
	t.Parallel()
	arguments, err := json.Marshal(map[string]string{"body": strings.Repeat("word ", 3000) + "\u200b\x1b[2J END"})
	if err != nil {
		t.Fatal(err)
	}
	asked := OpenQuestion{Approval: chat.Approval{Preview: tools.Preview{Title: "server/tool", Arguments: arguments}}}
	all := strings.Join(AllRows(style.NewTheme(style.NoColors, style.Palettes[0]), asked, 60), "")
	if n := strings.Count(all, "word"); n != 3000 || !strings.Contains(all, "END") || strings.Contains(all, "\x1b[2J") {
		t.Errorf("%d words, %q", n, all[max(0, len(all)-300):])
	}
	if hidden(asked) != 2 {
		t.Errorf("%d hidden characters", hidden(asked))
	}
}

// If a server has changed the definition of a tool, the change is shown with the call, before the
// arguments.
func TestAChangedDefinitionIsShown(t *testing.T) {
	t.Parallel()
	asked := OpenQuestion{Approval: chat.Approval{Preview: tools.Preview{
		Title: "s (yours): t", Arguments: json.RawMessage(`{"a":"ARGUMENT"}`), Served: &tools.ServerCall{Server: "s", Tool: "t", Changed: "- reads\n+ reads\u200b and sends"},
	}}}
	all := strings.Join(AllRows(style.NewTheme(style.NoColors, style.Palettes[0]), asked, 60), "\n")
	changed, argument := strings.Index(all, "and sends"), strings.Index(all, "ARGUMENT")
	if changed < 0 || argument < changed || !strings.Contains(all, "- reads") {
		t.Error(all)
	}
	if hidden(asked) != 1 {
		t.Errorf("%d hidden characters", hidden(asked))
	}
}
