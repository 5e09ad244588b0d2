package compression

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// maxSummaryLength is the greatest length of a summary line, in characters (D-26).
const maxSummaryLength = 200

// maxToolLabel is the greatest length of a tool's name in a summary, in characters.
const maxToolLabel = 40

// summarize returns the response with its result replaced by one line that names the call and its
// outcome (D-26), such as
//
//	[read_file: src/index.ts — success, 245 lines]
//
// It returns the response itself if the line would not be shorter, or if the result is such a
// line or the pointer already. A nil call has no key parameter.
func summarize(response *history.ToolResponse, call *history.ToolCall, facts Facts) *history.ToolResponse {
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

// isSummary reports whether summaryLine or recency pruning wrote text.
func isSummary(text string, response *history.ToolResponse) bool {
	if text == PrunedPointer {
		return true
	}
	return utf8.RuneCountInString(text) < maxSummaryLength &&
		strings.HasPrefix(text, "["+toolLabel(response)) && strings.HasSuffix(text, "]") &&
		strings.Contains(text, " — ") && !strings.Contains(text, "\n")
}

// outcome returns how the call ended, as recorded. It never looks at the result's text: a source
// file may well contain "Error:".
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

// size returns the size of a text in words: in lines, or in characters if it is a single line.
func size(text string) string {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if lines > 1 {
		return humanize.Count(lines, "line")
	}
	return humanize.Count(utf8.RuneCountInString(strings.TrimSuffix(text, "\n")), "character")
}
