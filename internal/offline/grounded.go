package offline

import (
	"encoding/json"
	"regexp"
	"strings"

	"agent/internal/history"
)

// editTool is the tool whose calls quote the text they change.
const editTool = "replace"

// countEdits counts the replace calls of an ai entry and those whose old text the
// model could still see in the request that the entry answers.
func (a *Account) countEdits(entry *history.Content, visible []*history.Content) {
	for _, call := range entry.Calls() {
		if call.Name != editTool {
			continue
		}
		var args struct {
			OldString string `json:"old_string"`
		}
		if json.Unmarshal(call.Parameters, &args) != nil || args.OldString == "" {
			continue
		}
		a.Edits++
		if shows(visible, args.OldString) {
			a.Grounded++
		}
	}
}

// shows reports whether text stands anywhere in what the model sees, newest first.
func shows(entries []*history.Content, text string) bool {
	for i := len(entries) - 1; i >= 0; i-- {
		for _, block := range entries[i].Blocks {
			if blockShows(block, text) {
				return true
			}
		}
	}
	return false
}

func blockShows(block history.Block, text string) bool {
	switch b := block.(type) {
	case *history.Text:
		return strings.Contains(b.Text, text)
	case *history.ToolResponse:
		return resultShows(b.Result.Text(), text) || strings.Contains(b.Error, text)
	case *history.ToolCall:
		var parameters any
		return json.Unmarshal(b.Parameters, &parameters) == nil && valueShows(parameters, text)
	default:
		return false
	}
}

// lineNumber is what tools put before the lines of a file: "  12|".
var lineNumber = regexp.MustCompile(`(?m)^ *\d+\|`)

// resultShows looks for text in a result as it stands and, if the result numbers
// its lines, without the numbers.
func resultShows(result, text string) bool {
	if strings.Contains(result, text) {
		return true
	}
	_, rest, several := strings.Cut(text, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	// Most results have no such line, which is found out sooner than by taking
	// all numbers away.
	if !several || !strings.Contains(result, "|"+second) {
		return false
	}
	return strings.Contains(lineNumber.ReplaceAllLiteralString(result, ""), text)
}

func valueShows(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		for _, item := range v {
			if valueShows(item, text) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if valueShows(item, text) {
				return true
			}
		}
	}
	return false
}
