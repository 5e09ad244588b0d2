package tools

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// call runs a command to its end and answers with its output. It is also shown on
// screen as it comes, unless screen is nil.
func (j *Jobs) call(ctx context.Context, command commandLine, out *output, screen io.Writer) Answer {
	j.mu.Lock()
	closed := j.closed
	j.mu.Unlock()
	if closed {
		return failed(errClosed)
	}
	var to io.Writer = out
	if screen != nil {
		shown := newLive(screen)
		defer shown.close()
		to = io.MultiWriter(out, shown)
	}
	end := command.run(ctx, to)
	out.close()
	return answerCommand(command, end, out)
}

func answerCommand(command commandLine, end ending, out *output) Answer {
	if end.started != nil {
		return failed(fmt.Errorf("the command could not be started: %w", end.started))
	}
	text, spooled := out.text()
	if text == "" {
		text = noOutput + "\n"
	}
	note := "[" + end.outcome() + "]"
	if end.leftBehind {
		note += "\n[What the command had put in the background was ended with it; use background to keep something running.]"
	}
	answer := Answer{Result: withLine(text, note), Spool: spooled}
	switch {
	case end.timedOut:
		answer.Error = fmt.Sprintf("timed out after %s; the command and all it had started were ended. "+
			"Give timeout_seconds for more time, or run it in the background", durationText(command.timeout))
	case end.interrupted:
		answer.Error = "interrupted; the command and all it had started were ended"
	default:
		answer.ExitCode = &end.exit
		if end.exit != 0 {
			answer.Error = "the command failed: " + end.exitText()
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
		text = withLine(text, notes)
	}
	return strings.TrimPrefix(text, "\n")
}

// outcome says in a few words how a command ended and how long it took.
func (e ending) outcome() string {
	took := durationText(e.duration)
	switch {
	case e.started != nil:
		return fmt.Sprintf("not started: %v", e.started)
	case e.timedOut:
		return "timed out after " + took
	case e.interrupted:
		return "killed after " + took
	default:
		return e.exitText() + " after " + took
	}
}

func (e ending) exitText() string {
	if e.signal != "" {
		return fmt.Sprintf("exit %d (%s)", e.exit, e.signal)
	}
	return fmt.Sprintf("exit %d", e.exit)
}

// withLine adds a last line to a text.
func withLine(text, line string) string {
	return strings.TrimSuffix(text, "\n") + "\n" + line
}

// durationText writes a duration as precisely as a person cares.
func durationText(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}
