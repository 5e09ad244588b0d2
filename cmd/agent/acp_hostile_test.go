package main

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/testing/llmtest"
)

// An editor shows each title, each name and each item of a plan as one visible line of limited
// length, whatever the endpoint sends.
func TestEditorShowsBoundedLines(t *testing.T) {
	t.Parallel()
	const most = 500
	text := hostile + "\nmore"
	for len(text) < 20_000 {
		text += " " + text
	}
	for name, turn := range hostileFields {
		if name == "error" || name == "error in the stream" || name == "error without JSON" || name == "headers" {
			continue // these end the turn without a call
		}
		var answers atomic.Int64
		e := startEditorOf(t, t.TempDir(), llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
			if answers.Add(1) > 1 {
				return llmtest.Say("done")
			}
			return turn(text)
		}))
		e.response(e.prompt(e.start(t.TempDir()), "go"), func(string) string { return allowOnce("") })
		for _, line := range e.lines {
			var m struct {
				Params struct {
					Update struct {
						Title, Name string
						Entries     []struct{ Content string }
					}
				}
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				continue // the content has another form
			}
			shown := []string{m.Params.Update.Title, m.Params.Update.Name}
			for _, entry := range m.Params.Update.Entries {
				shown = append(shown, entry.Content)
			}
			for _, one := range shown {
				if humanize.Line(one, 0) != one || utf8.RuneCountInString(one) > most {
					t.Errorf("%s: an editor shows %d bytes, %.200q", name, len(one), one)
				}
			}
		}
	}
}
