package compression

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"agent/internal/history"
	"agent/internal/words"
)

// maxSummaryLength bounds a summary line, in characters (D-26).
const maxSummaryLength = 200

// maxToolLabel bounds how much of a tool's name a summary shows, in characters.
const maxToolLabel = 40

// summarize returns the response with its result replaced by one line that says
// what the call was and how it ended (D-26), such as
//
//	[read_file: src/index.ts — success, 245 lines]
//
// or the response itself when the line would not be shorter, and when the result
// is such a line or the pointer already. A nil call has no key parameter.
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

// summaryLine says a response in a line: "[tool: key — what became of it]".
func summaryLine(response *history.ToolResponse, key, fate string) string {
	label := toolLabel(response)
	if key != "" {
		label += ": " + key
	}
	return "[" + label + " — " + fate + "]"
}

func toolLabel(response *history.ToolResponse) string {
	if label := words.Line(response.ToolName, maxToolLabel); label != "" {
		return label
	}
	return "tool"
}

// isSummary recognises what summaryLine and recency pruning write.
func isSummary(text string, response *history.ToolResponse) bool {
	if text == PrunedPointer {
		return true
	}
	return utf8.RuneCountInString(text) < maxSummaryLength &&
		strings.HasPrefix(text, "["+toolLabel(response)) && strings.HasSuffix(text, "]") &&
		strings.Contains(text, " — ") && !strings.Contains(text, "\n")
}

// outcome says how the call ended by what was recorded, never by what the text
// says: a source file may well contain "Error:".
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

// size says how much a text is: in lines, or in characters when it is only one.
func size(text string) string {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if lines > 1 {
		return words.Count(lines, "line")
	}
	return words.Count(utf8.RuneCountInString(strings.TrimSuffix(text, "\n")), "character")
}
