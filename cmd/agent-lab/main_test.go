package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/chat/cachewarm"
)

// recording is a document in which a file is read and edited twice.
const recording = `{"workspaceRoot":"/w","history":[
{"speaker":"human","blocks":[{"type":"text","text":"change a"}]},
{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"read_file","parameters":{"file_path":"a"}}]},
{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"read_file","result":"alpha beta"}]},
{"speaker":"ai","blocks":[{"type":"tool_call","id":"2","name":"replace","parameters":{"file_path":"a","old_string":"alpha","new_string":"x"}}]},
{"speaker":"tool","blocks":[{"type":"tool_response","callId":"2","toolName":"replace","result":"ok"}]},
{"speaker":"ai","blocks":[{"type":"tool_call","id":"3","name":"replace","parameters":{"file_path":"a","old_string":"beta","new_string":"x"}}]},
{"speaker":"tool","blocks":[{"type":"tool_response","callId":"3","toolName":"replace","result":"ok"}]},
{"speaker":"ai","blocks":[{"type":"text","text":"done"}]}]}`

// lab runs the program with the recording in a file and returns its output.
func lab(t *testing.T, args ...string) (string, error) {
	t.Helper()
	p := &app.Process{Home: t.TempDir(), Dir: t.TempDir(), Now: time.Now}
	if err := os.WriteFile(filepath.Join(p.Dir, "doc.json"), []byte(recording), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	root := newRoot(p)
	root.SetArgs(args)
	root.SetOut(&out)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func TestRecordingsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"requests doc.json", "says nothing of single requests"},
		{"warm none.json", "none.json"},
		{"warm doc.json --set nothing=1", "nothing"},
		{"warm", "at least 1 arg"},
	} {
		if out, err := lab(t, strings.Fields(c.args)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s, %v", c.args, out, err)
		}
	}
}

// A wait counts as work if a command or a subagent explains it, and otherwise as a question. The
// simulation has a line for each combination.
func TestWarm(t *testing.T) {
	t.Parallel()
	out, err := lab(t, "warm", "--json", "doc.json")
	var all []*timedRequests
	if err != nil || json.Unmarshal([]byte(out), &all) != nil || len(all) != 1 {
		t.Fatalf("%s, %v", out, err)
	}
	var waits []cachewarm.Wait
	for _, r := range all[0].Requests {
		waits = append(waits, r.Wait)
	}
	if want := []cachewarm.Wait{cachewarm.WaitForMessage, cachewarm.WaitForAnswer, cachewarm.WaitForAnswer, cachewarm.WaitForAnswer}; !slices.Equal(waits, want) {
		t.Errorf("the waits are %v", waits)
	}
	if last := all[0].Requests[3]; last.Prefix == 0 || last.Prefix >= last.Tokens {
		t.Errorf("the last request is %+v", last)
	}
	if out, err = lab(t, "warm", "doc.json"); err != nil || strings.Count(out, "\n") != 25 {
		t.Errorf("%s, %v", out, err)
	}
}
