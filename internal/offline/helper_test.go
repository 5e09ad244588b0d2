package offline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// byteCounter counts one token for each byte, so that expected numbers are easy to compute.
type byteCounter struct{}

func (byteCounter) Count(text string) int { return len(text) }

// newEngine returns an engine with default settings and the settings in flags, each "key=value".
// Each reading of its clock advances it by a millisecond.
func newEngine(t testing.TB, flags ...string) *Engine {
	t.Helper()
	s := settings.New(settings.NewRegistry(settings.All(), settings.Choices{settings.CompressionStrategy.Key(): compression.Names()}))
	for _, flag := range flags {
		key, value, _ := strings.Cut(flag, "=")
		if err := s.Set(settings.LayerFlags, key, value); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Unix(0, 0)
	return &Engine{
		Settings: s,
		Counter:  func(string) history.Counter { return byteCounter{} },
		// Only the names count in the tool definitions: 9 + 7 bytes.
		Tools: tools.NewRegistry(
			tools.Tool{Name: "read_file", Traits: tools.Traits{Reads: true, File: toolspec.FileNames, Key: "file_path"}},
			tools.Tool{Name: "replace", Traits: tools.Traits{Edits: true, File: toolspec.FileNames, Key: "file_path", Density: toolspec.Density{Old: []string{"old_string"}, New: []string{"new_string"}}}},
		),
		System: func(bool, []string, func(string) bool) (string, bool) { return "sys", false },
		Now: func() time.Time {
			now = now.Add(time.Millisecond)
			return now
		},
	}
}

// parse reads a document.
func parse(t *testing.T, text string) Input {
	t.Helper()
	in, notices, err := Parse("test.json", []byte(text))
	if err != nil || len(notices) > 0 {
		t.Fatal(err, notices)
	}
	return in
}

// document returns a document that reads file a, edits it with a quote from that read, and edits it
// again. The trailing comments are sizes in tokens, which are bytes plus the overhead of a
// provider.
func document(config string) string {
	entries := []string{
		`{"speaker":"human","blocks":[{"type":"text","text":"q"}]}`,                                                                                       // 4+1 = 5
		`{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"read_file","parameters":{"file_path":"a"}}]}`,                                     // 4+8+9+17 = 38
		`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"read_file","result":"alpha beta"}]}`,                                // 4+6+10 = 20
		`{"speaker":"ai","blocks":[{"type":"tool_call","id":"2","name":"replace","parameters":{"file_path":"a","old_string":"alpha","new_string":"x"}}]}`, // 4+8+7+55 = 74
		`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"2","toolName":"replace","result":"ok"}]}`,                                          // 4+6+2 = 12
		`{"speaker":"ai","blocks":[{"type":"tool_call","id":"3","name":"replace","parameters":{"file_path":"a","old_string":"beta","new_string":"x"}}]}`,  // 73
		`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"3","toolName":"replace","result":"ok"}]}`,                                          // 12
		`{"speaker":"ai","blocks":[{"type":"text","text":"done"}]}`,                                                                                       // 8
	}
	return "{\"workspaceRoot\":\"/w\",\n\"history\":[" + strings.Join(entries, ",") + "],\n\"config\":" + config + "}"
}

// answered is a call with its answer. result is the content of a JSON string.
type answered struct{ tool, result, problem string }

// recorded returns a document with the calls in order.
func recorded(config string, calls ...answered) string {
	var entries []string
	for i, c := range calls {
		entries = append(entries,
			fmt.Sprintf(`{"speaker":"ai","blocks":[{"type":"tool_call","id":"%d","name":%q,"parameters":{}}]}`, i, c.tool),
			fmt.Sprintf(`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"%d","toolName":%q,"result":"%s","error":%q}]}`, i, c.tool, c.result, c.problem))
	}
	return `{"workspaceRoot":"/w","history":[` + strings.Join(entries, ",") + `],"config":` + config + "}"
}
