package history

import (
	"errors"
	"strings"
	"testing"
)

func TestParseDocument(t *testing.T) {
	t.Parallel()
	for id, text := range map[string]string{
		"plain":           `{"workspaceRoot":"/w","history":[{"speaker":"human","blocks":[{"type":"text","text":"hi"}]}],"config":{"fileDedupe":false}}`,
		"other order":     `{"config":{"fileDedupe":false},"later":[1],"history":[{"blocks":[{"text":"hi","type":"text"}],"speaker":"human"}],"workspaceRoot":"/w"}`,
		"of another land": "\uFEFF{\r\n\"workspaceRoot\":\"/w\",\r\n\"config\":{\"fileDedupe\":false},\r\n\"history\":[\r\n{\"speaker\":\"human\",\"blocks\":[{\"type\":\"text\",\"text\":\"hi\"}]}]}\r\n",
	} {
		d, err := ParseDocument([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if d.WorkspaceRoot != "/w" || len(d.History) != 1 || d.History[0].Text() != "hi" || string(d.Config["fileDedupe"]) != "false" {
			t.Errorf("%s: got %+v", id, d)
		}
	}
	d, err := ParseDocument([]byte(`{"history":[]}`))
	if err != nil || len(d.History) != 0 || d.WorkspaceRoot != "" || d.Config != nil {
		t.Errorf("an empty history: %+v, %v", d, err)
	}
}

// If a document is invalid, the error names the line and the wrong field.
func TestParseDocumentErrors(t *testing.T) {
	t.Parallel()
	const ok = `{"speaker":"human","blocks":[{"type":"text","text":"a"}]}`
	for _, c := range []struct {
		id   string
		text string
		want string
	}{
		{"empty", "", "line 1: is empty; expected a JSON document"},
		{"blank", "\n\n", "line 1: is empty; expected a JSON document"},
		{"not an object", "\n[]", `line 2: is not an object with "workspaceRoot" and "history"`},
		{"null", "null", `line 1: is not an object with "workspaceRoot" and "history"`},
		{"syntax: comma before the end", "{\n\"history\":[],\n}", "line 2: is not valid JSON: invalid character ','"},
		{"syntax: cut", "{\n\"history\":[\n", "line 2: is not valid JSON: unexpected EOF"},
		{"syntax: line break in a string", "{\"history\":[],\n\"x\":\"a\n\"}", "line 2: is not valid JSON: "},
		{"syntax: two documents", "{\"history\":[]}\n{}", "line 2: is not valid JSON: "},
		{"syntax: too deep", "{\"history\":[],\n\"x\":" + strings.Repeat("[", 20_000), "line 2: is not valid JSON: exceeded max depth"},
		{"no history", "{\n\"workspaceRoot\":\"/w\"}", "line 1: history: is missing"},
		{"no history, blank lines before", "\n\n{}", "line 3: history: is missing"},
		{"history null", "{\n\"history\":null}", "line 2: history: must be a list"},
		{"history an object", "{\n\"history\":\n{}}", "line 3: history: must be a list"},
		{"workspace a number", "{\"history\":[],\n\"workspaceRoot\":7}", "line 2: workspaceRoot: must be a string"},
		{"config a list", "{\"history\":[],\n\"config\":[]}", "line 2: config: must be an object"},
		{"entry null", "{\"history\":[" + ok + ",\nnull]}", "line 2: history[1]: is not a JSON object"},
		{"speaker missing", "{\"history\":[" + ok + ",\n{\n\"blocks\":[]}]}", "line 2: history[1].speaker: is missing"},
		{"speaker wrong", "{\"history\":[" + ok + ",\n{\"blocks\":[],\n\"speaker\":\"system\"}]}", `line 3: history[1].speaker: "system" is not one of human, ai, tool`},
		{"type missing", "{\"history\":[\n{\"speaker\":\"ai\",\"blocks\":[\n{\"text\":\"a\"}]}]}", "line 3: history[0].blocks[0].type: is missing"},
		{"type unknown", "{\"history\":[{\"speaker\":\"ai\",\"blocks\":[{\"text\":\"a\",\n\"type\":\"video\"}]}]}", "line 2: history[0].blocks[0].type: unknown block type \"video\""},
		{"equal value before", "{\"history\":[{\"speaker\":\"ai\",\"metadata\":{\"x\":7},\n\"blocks\":[\n{\"type\":\"text\",\"n\":7,\n\"text\":7}]}]}", "line 4: history[0].blocks[0].text: must be a string"},
		{"equal entry before", "{\"config\":{\"x\":{\"speaker\":\"x\",\"blocks\":[]}},\n\"history\":[\n{\"speaker\":\"x\",\"blocks\":[]}]}", `line 3: history[0].speaker: "x" is not`},
		{"in a text that looks like it", "{\"history\":[{\"speaker\":\"ai\",\"blocks\":[{\"type\":\"text\",\"text\":\"{\\\"callId\\\":5}\"},\n{\"type\":\"tool_response\",\"toolName\":\"f\",\n\"callId\":5}]}]}", "line 3: history[0].blocks[1].callId: must be a string"},
		{"member twice, the last counts", "{\"history\":[],\n\"history\":\n7}", "line 3: history: must be a list"},
		{"carriage returns", "{\r\n\"history\":[\r\n{\"speaker\":\"ai\",\r\n\"blocks\":7}]}", "line 4: history[0].blocks: must be a list"},
		{"unicode before", "{\"workspaceRoot\":\"/wörk/日本語\u2028👩‍🚀\",\n\"history\":[{\"speaker\":\"ai\",\n\"blocks\":7}]}", "line 3: history[0].blocks: must be a list"},
		{"byte order mark before", "\uFEFF{\n\"history\":7}", "line 2: history: must be a list"},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			d, err := ParseDocument([]byte(c.text))
			var wrong *DocumentError
			if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if d != nil {
				t.Error("half a document beside the error")
			}
		})
	}
}

func TestConfigError(t *testing.T) {
	t.Parallel()
	d, err := ParseDocument([]byte("{\"history\":[],\"x\":0.5,\n\"config\":{\n\"threshold\":0.5,\n\"compression.threshold\":\n0.5}}"))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"threshold":             "line 3: config.threshold: is odd",
		"compression.threshold": "line 5: config.compression.threshold: is odd",
		"absent":                "line 2: config.absent: is odd",
	} {
		if got := d.ConfigError(key, "is odd").Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzParseDocument(f *testing.F) {
	f.Add([]byte(`{"workspaceRoot":"/w","history":[{"speaker":"human","blocks":[{"type":"text","text":"hi"}]}],"config":{"":1}}`))
	f.Add([]byte("\uFEFF{\"history\":[{\"speaker\":\"ai\",\r\n\"blocks\":[{\"type\":1}]}]}"))
	f.Add([]byte(`{"history":[{"speaker":"ai","blocks":[[]]},`))
	f.Add([]byte(`{"history":{"0":{}},"history":[0]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDocument(data)
		var wrong *DocumentError
		switch {
		case err == nil:
			for key := range d.Config {
				_ = d.ConfigError(key, "").Error()
			}
			Validate(Repair(d.History, "cut"))
		case !errors.As(err, &wrong) || d != nil:
			t.Fatalf("got %v beside %v", err, d)
		case wrong.Line < 1 || wrong.Line > 1+strings.Count(string(data), "\n"):
			t.Fatalf("line %d of %q", wrong.Line, data)
		}
	})
}
