package compression

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"agent/internal/history"
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
			return clip(p, maxKeyLength)
		}
	}
	keys := usualKeys[:]
	if facts.Key != "" {
		keys = []string{facts.Key}
	}
	for _, key := range keys {
		if v, _ := call.Arg(key); v != nil {
			return clip(valueText(v), maxKeyLength)
		}
	}
	return ""
}

// usualKeys are the parameters that, besides a path, tell the calls of most tools
// apart. They serve tools that declare nothing, such as those of another program's
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

// clip puts s on one line, every run of spaces, line breaks and control
// characters made one space, and cuts it to limit characters.
func clip(s string, limit int) string {
	if len(s) <= limit && isPlain(s) {
		return s
	}
	var b strings.Builder
	length, gap := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = true
			continue
		}
		if gap && length > 0 {
			b.WriteByte(' ')
			length++
		}
		gap = false
		if length++; length > limit {
			cut := []rune(b.String())
			return string(cut[:limit-1]) + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isPlain reports whether s is ASCII on one line with single spaces inside, as
// most paths and commands are.
func isPlain(s string) bool {
	gap := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' && gap, c < ' ', c > '~':
			return false
		default:
			gap = c == ' '
		}
	}
	return s == "" || !gap
}
