package tools

import (
	"fmt"
	"strings"

	"agent/internal/tools/lines"
	"agent/internal/tools/shell"
	"agent/internal/words"
)

// answerCommand is the answer to a command that ran to its end.
func answerCommand(command shell.Command, end shell.Result) Answer {
	if end.NotStarted != nil {
		return failed(fmt.Errorf("the command could not be started: %w", end.NotStarted))
	}
	text := end.Output
	if text == "" {
		text = noOutput + "\n"
	}
	note := "[" + end.Outcome() + "]"
	if end.LeftBehind {
		note += "\n[What the command had put in the background was ended with it; use background to keep something running.]"
	}
	answer := Answer{Result: lines.Append(text, note), Spool: end.Spool}
	switch {
	case end.TimedOut:
		answer.Error = fmt.Sprintf("timed out after %s; the command and all it had started were ended. "+
			"Give timeout_seconds for more time, or run it in the background", words.Took(command.Timeout))
	case end.Interrupted:
		answer.Error = "interrupted; the command and all it had started were ended"
	default:
		answer.ExitCode = &end.Exit
		if end.Exit != 0 {
			answer.Error = "the command failed: " + end.ExitText()
		}
	}
	return answer
}

// noOutput stands for the output of a command that printed nothing.
const noOutput = "[no output]"

// Output is what a command printed, for a person who is told of its end elsewhere:
// Result without the line that says so. Other answers are all output.
func (a Answer) Output() string {
	at := -1
	switch {
	case a.ExitCode != nil:
		at = strings.LastIndex(a.Result, "\n[exit ")
	case a.Error != "":
		at = max(strings.LastIndex(a.Result, "\n[killed after "), strings.LastIndex(a.Result, "\n[timed out after "))
	}
	if at < 0 {
		return a.Result
	}
	text := strings.TrimSuffix(a.Result[:at], noOutput)
	if _, notes, found := strings.Cut(a.Result[at+1:], "\n"); found {
		text = lines.Append(text, notes)
	}
	return strings.TrimPrefix(text, "\n")
}
