package compression

import (
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// maxKeyLength bounds how much of a call's key parameter is shown (D-26), in
// characters.
const maxKeyLength = 80

// keyValue returns the value of a call's key parameter on one line, cut to
// maxKeyLength characters, or "" when it has none. A nil call has none.
func (f Facts) keyValue(call *history.ToolCall) string {
	if call == nil {
		return ""
	}
	facts := f.of(call.Name)
	if facts.Reads || facts.Writes || facts.Key == "" {
		// The file may be named by any of the path parameters.
		if p := filePath(call); p != "" {
			return words.Line(p, maxKeyLength)
		}
	}
	keys := usualKeys[:]
	if facts.Key != "" {
		keys = []string{facts.Key}
	}
	for _, key := range keys {
		if v, _ := call.Arg(key); v != nil {
			return words.Line(valueText(v), maxKeyLength)
		}
	}
	return ""
}

// usualKeys are the parameters that, besides a path, distinguish the calls of most
// tools. They serve tools that declare nothing, such as those of another program's
// recording (D-26).
var usualKeys = [...]string{"command", "pattern", "url"}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = valueText(item)
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		data, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(data)
	default:
		return fmt.Sprint(v)
	}
}
