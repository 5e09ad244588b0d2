package tools

import (
	"fmt"
	"path"
	"slices"

	"agent/internal/cmdline"
	"agent/internal/shell"
	"agent/internal/text/lines"
	"agent/internal/words"
)

// searchers are programs that end with 1 where they find nothing, which is no failure.
var searchers = []string{"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"}

// foundNothing reports whether a command ended with a search that found nothing.
func foundNothing(line string, end shell.Result) bool {
	if end.Exit != 1 || end.Lines > 0 || end.TimedOut || end.Interrupted || end.Signal != "" {
		return false
	}
	parsed, err := cmdline.Parse(line)
	if err != nil {
		return false
	}
	last := parsed.Commands[len(parsed.Commands)-1]
	program := path.Base(last[0].Text)
	return slices.Contains(searchers, program) || program == "git" && len(last) > 1 && last[1].Text == "grep"
}

// answerCommand is the answer to a command that ran to its end.
func answerCommand(command shell.Command, end shell.Result) Answer {
	if end.NotStarted != nil {
		return failed(fmt.Errorf("the command could not be started: %w", end.NotStarted))
	}
	answer := Answer{Text: end.Output, Spool: end.Spool, Summary: words.Count(end.Lines, "line")}
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
		answer.Note = "[no output]"
	}
	if note := sandboxNote(command, end); note != "" {
		answer.Text = lines.Append(answer.Text, note)
	}
	switch {
	case foundNothing(command.Line, end):
		answer.Note, answer.Summary = "[nothing found: "+end.Outcome()+"]", "no hits"
	case end.TimedOut:
		answer.Error = fmt.Sprintf("timed out after %s; the command and all it had started were ended. "+
			"Give timeout_seconds for more time, or run it in the background", words.Took(command.Timeout))
	case end.Interrupted:
		answer.Error = "interrupted; the command and all it had started were ended"
	default:
		answer.ExitCode = &end.Exit
		if end.Exit != 0 {
			answer.Error = "the command failed: " + end.Outcome()
		} else {
			answer = answer.Noted("[" + end.Outcome() + "]")
		}
	}
	return answer
}
