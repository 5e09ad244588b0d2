package tools

import (
	"fmt"

	"agent/internal/shell"
	"agent/internal/text/lines"
	"agent/internal/words"
)

// answerCommand is the answer to a command that ran to its end.
func answerCommand(command shell.Command, end shell.Result) Answer {
	if end.NotStarted != nil {
		return failed(fmt.Errorf("the command could not be started: %w", end.NotStarted))
	}
	answer := Answer{Text: end.Output, Note: "[" + end.Outcome() + "]", Spool: end.Spool, Summary: words.Count(end.Lines, "line")}
	if end.Lines == 0 {
		answer.Summary = "no output"
	}
	if end.LeftBehind {
		answer.Text = lines.Append(answer.Text, "[What the command had put in the background was ended with it; use background to keep something running.]")
	}
	if end.TooMany {
		answer.Text = lines.Append(answer.Text, "[The command had started thousands of processes and was ended with all of them.]")
	}
	if answer.Text == "" {
		answer.Note = "[no output]\n" + answer.Note
	}
	if note := sandboxNote(command, end); note != "" {
		answer.Text = lines.Append(answer.Text, note)
	}
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
