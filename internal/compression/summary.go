package compression

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// maxSummaryLength limits the length of a summary line, in characters (D-26).
const maxSummaryLength = 200

// maxToolLabel limits the length of a tool's name in a summary, in characters.
const maxToolLabel = 40

// summarize returns the response with its result replaced by one line that names the call and its
// outcome (D-26), such as
//
//	[read_file: src/index.ts — success, 245 lines]
//
// It returns the response itself if the line would not be shorter, or if the result is already such a
// line or the pointer. A nil call has no key parameter.
func summarize(response *history.ToolResponse, call *history.ToolCall, facts TraitsLookup) *history.ToolResponse {
	text := response.Result.Text()
	if isSummary(text, response) {
		return response
	}
	line := summaryLine(response, facts.keyValue(call), outcome(response)+", "+size(text))
	if utf8.RuneCountInString(line) >= utf8.RuneCountInString(text) {
		return response
	}
	return response.WithResult(line)
}

// summaryLine returns a line for a response: "[tool: key — fate]".
func summaryLine(response *history.ToolResponse, key, fate string) string {
	label := toolLabel(response)
	if key != "" {
		label += ": " + key
	}
	return "[" + label + " — " + fate + "]"
}

func toolLabel(response *history.ToolResponse) string {
	if label := humanize.Line(response.ToolName, maxToolLabel); label != "" {
		return label
	}
	return "tool"
}

// isSummary reports whether text was written by summaryLine or recency pruning.
func isSummary(text string, response *history.ToolResponse) bool {
	if text == PrunedPlaceholder {
		return true
	}
	return utf8.RuneCountInString(text) < maxSummaryLength &&
		strings.HasPrefix(text, "["+toolLabel(response)) && strings.HasSuffix(text, "]") &&
		strings.Contains(text, " — ") && !strings.Contains(text, "\n")
}

// outcome returns the recorded outcome of the call. It never examines the result's text, because a
// source file may contain "Error:".
func outcome(response *history.ToolResponse) string {
	switch {
	case response.ExitCode != nil && *response.ExitCode != 0:
		return fmt.Sprintf("exit %d", *response.ExitCode)
	case response.Error != "":
		return "error"
	default:
		return "success"
	}
}

// size describes the size of a text: in lines, or in characters if the text is a single line.
func size(text string) string {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if lines > 1 {
		return humanize.Count(lines, "line")
	}
	return humanize.Count(utf8.RuneCountInString(strings.TrimSuffix(text, "\n")), "character")
}
