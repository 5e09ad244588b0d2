package compression

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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
	if written := writtenPaths(call, facts); facts.WritesFile() && len(written) > 0 {
		return words.Line(strings.Join(written, ", "), maxKeyLength)
	}
	if facts.ShowsFile() || facts.Key == "" {
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
		if v, _ := call.Arg(key); v != nil && v != "" {
			return words.Line(valueText(v), maxKeyLength)
		}
	}
	if facts.Key != "" {
		return words.Line(scalars(call), maxKeyLength)
	}
	return ""
}

// maxScalars bounds the parameters in which scalars looks, in bytes.
const maxScalars = 1000

// scalars returns the texts and numbers of a call, by the names of its parameters. They
// distinguish calls that do without their key parameter, such as "tail 2" of a shell's
// background jobs.
func scalars(call *history.ToolCall) string {
	var parameters map[string]any
	if len(call.Parameters) > maxScalars || json.Unmarshal(call.Parameters, &parameters) != nil {
		return ""
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		switch v := parameters[name].(type) {
		case string, float64:
			texts = append(texts, valueText(v))
		}
	}
	return strings.Join(texts, " ")
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
