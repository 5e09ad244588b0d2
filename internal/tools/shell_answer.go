package tools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/protect/survey"
	"agent/internal/sandbox"
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

// refusals are the words by which programs say that the system refused them
// something, as it does in a sandbox, and what that was.
var refusals = []struct{ words, what string }{
	{"read-only file system", "writing there"},
	{"erofs", "writing there"},
	{"permission denied", "access"},
	{"eacces", "access"},
	{"device or resource busy", "changing what is protected"},
	{"ebusy", "changing what is protected"},
	{"operation not permitted", "that operation"},
	{"eperm", "that operation"},
	{"network is unreachable", "the network"},
	{"enetunreach", "the network"},
	{"no route to host", "the network"},
	{"could not resolve host", "the network"},
	{"name resolution", "the network"},
	{"name or service not known", "the network"},
	{"no such host", "the network"},
	{"eai_again", "the network"},
	{"enotfound", "the network"},
	{"couldn't connect to server", "the network"},
	{"connection refused", "a connection, as of servers only those reach that commands here started,"},
	{"econnrefused", "a connection, as of servers only those reach that commands here started,"},
}

// sandboxNote says in a line that a command failed of the sandbox, and in another
// what of its work was undone; empty when neither is so.
func sandboxNote(command shell.Command, end shell.Result) string {
	if !command.Confined.Active() || command.Profile == sandbox.Open {
		return ""
	}
	var notes []string
	if line, what := refusal(end.Output); end.Exit != 0 && what != "" {
		remedy := "call again with outside and why"
		if namesKeys(line) {
			remedy = "name the file in the command line, which the user is then asked about"
		}
		notes = append(notes, fmt.Sprintf("[sandbox: %s may have been refused (%s); if the command needs it, %s]", what, line, remedy))
	}
	if len(end.Undone) > 0 {
		notes = append(notes, fmt.Sprintf("[sandbox: %s take effect outside of it and are protected; what the command made of them was undone]", strings.Join(end.Undone, ", ")))
	}
	if end.Unwatched {
		notes = append(notes, fmt.Sprintf("[sandbox: the workspace has more than %s; what the command made in others was not looked at for what runs later, so commands are asked about now]", words.Count(survey.MaxFolders, "folder")))
	}
	return strings.Join(notes, "\n")
}

// namesKeys reports whether a line of output is about a file that holds keys by its name.
func namesKeys(line string) bool {
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(notInPaths, r) })
	return slices.ContainsFunc(words, func(word string) bool {
		_, keys := protect.Ends(word)
		return keys
	})
}

// longestQuote is how much of a line is quoted, in characters.
const longestQuote = 160

// refusal finds the last line of an output that speaks of a refusal.
func refusal(output string) (line, what string) {
	for candidate := range strings.Lines(output) {
		lower := strings.ToLower(candidate)
		for _, r := range refusals {
			if strings.Contains(lower, r.words) {
				line, what = strings.TrimSpace(candidate), r.what
				break
			}
		}
	}
	return words.Line(line, longestQuote), what
}

// startJob runs a command in the background.
func startJob(jobs *shell.Jobs, command shell.Command) Answer {
	job, err := jobs.Start(command)
	if err != nil {
		return failed(err)
	}
	return inBackground(job, "Started as job %d%s. Look at it with action tail, end it with action kill.", ", its output goes to ")
}

// leftRunning is the answer of a command that the person put in the background.
func leftRunning(result shell.Result) Answer {
	answer := inBackground(result.Job, "The user put the command in the background: it is still running, as job %d%s. Look at it with action tail, end it with action kill; go on with what does not need its end.", ", all of its output goes to ")
	if result.Output != "" {
		answer.Text += "\nIt has printed until now:\n" + result.Output
	}
	return answer
}

// inBackground is the answer of a command that runs on as a job; said has places for its
// number and for where its output is kept.
func inBackground(job *shell.Job, said, kept string) Answer {
	if job.Spool() == "" {
		kept = ""
	}
	return Answer{Text: fmt.Sprintf(said, job.ID, kept+job.Spool()), Spool: job.Spool(), Summary: fmt.Sprintf("job %d in the background", job.ID)}
}

// jobAction carries out a call of the shell tool that is about jobs.
func jobAction(ctx context.Context, jobs *shell.Jobs, args shellArgs) Answer {
	if args.Action == actionList {
		all := jobs.List()
		return Answer{Text: listJobs(all), Summary: words.Count(len(all), "job")}
	}
	job, err := jobs.Find(args.Job)
	if err != nil {
		return failed(err)
	}
	if args.Action == actionKill {
		job.Kill(ctx)
	} else if err := job.Wait(ctx, time.Duration(args.WaitSeconds)*time.Second); err != nil {
		return failed(err)
	}
	return lookAt(job)
}

func listJobs(all []*shell.Job) string {
	if len(all) == 0 {
		return "There are no jobs."
	}
	var list strings.Builder
	for _, job := range all {
		fmt.Fprintf(&list, "job %d: %s, %s printed: %s\n", job.ID, job.State(), words.Bytes(job.Printed()), job.Line)
	}
	return list.String()
}

// lookAt answers with what a job printed since the last look.
func lookAt(job *shell.Job) Answer {
	text, ended := job.Look()
	answer := Answer{Text: text, Note: fmt.Sprintf("[job %d: %s]", job.ID, job.State()), Spool: job.Spool()}
	if text == "" {
		answer.Note = "[nothing new]\n" + answer.Note
	}
	if ended != nil && ended.NotStarted == nil && !ended.Interrupted && !ended.TimedOut {
		answer.ExitCode = &ended.Exit
	}
	return answer
}
