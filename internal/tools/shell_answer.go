package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/shell"
	"agent/internal/text/lines"
)

// foundNothing reports whether a command exited with an error only because the search at its end
// had no match.
func foundNothing(line *cmdline.CommandLine, end shell.Result) bool {
	if end.Exit != 1 || end.TimedOut || end.Interrupted || end.Signal != "" {
		return false
	}
	searches, surely := line.EndsInSearch()
	return searches && (surely || end.Lines == 0)
}

// advice returns notes for the model on the refusals of the sandbox. It returns one line for each
// clear kind, and a single line for the vaguer messages.
func (e *Env) advice(command shell.Command, end shell.Result) []string {
	if !command.Confined.Guarantees(command.Profile).Files {
		return nil
	}
	found := refusalsIn(command, end)
	var notes []string
	for kind := refusedWrite; kind <= refusedTemp; kind++ {
		r, ok := found[kind]
		if !ok || kind > refusedNetwork && len(notes) > 0 || !e.Advised.first(kind) {
			continue
		}
		notes = append(notes, r.advice(command))
	}
	return notes
}

func (e *Env) answerCommand(command shell.Command, end shell.Result) Answer {
	if end.NotStarted != nil {
		return failedAnswer(fmt.Errorf("can't start the command: %w", end.NotStarted))
	}
	answer := Answer{Text: end.Output, Spool: end.Spool, Summary: humanize.Count(end.Lines, "line")}
	if end.Lines == 0 {
		answer.Summary = "no output"
	}
	if end.LeftBehind {
		answer.Text = lines.Append(answer.Text, "[Background processes of the command were stopped with it; use background to keep one running.]")
	}
	if end.TooMany {
		answer.Text = lines.Append(answer.Text, "[The command started thousands of processes and was stopped with all of them.]")
	}
	if answer.Text == "" {
		answer.Note = "[no output]"
	}
	for _, note := range slices.Concat(e.advice(command, end), undoneLines(end), coldLines(end)) {
		answer.Text = lines.Append(answer.Text, note)
	}
	switch {
	case foundNothing(command.Read(), end):
		if end.Lines > 0 {
			answer = answer.WithNote("[no match for the last search: " + end.Outcome() + "]")
			break
		}
		answer.Note, answer.Summary = "[nothing found: "+end.Outcome()+"]", "no hits"
	case end.TimedOut:
		answer.Error = fmt.Sprintf("timed out after %s; the command and its processes were stopped. "+
			"Give timeout_seconds for more time, or run it in the background", humanize.Duration(command.Timeout))
	case end.Interrupted:
		answer.Error = "interrupted; the command and its processes were stopped"
	default:
		answer.ExitCode = &end.Exit
		if end.Exit != 0 {
			answer.Error = "the command failed: " + end.Outcome()
		} else {
			answer = answer.WithNote("[" + end.Outcome() + "]")
		}
	}
	return answer
}

// slow is the least duration of a command whose answer mentions an empty cache as the cause.
const slow = 20 * time.Second

// coldLines returns a line if a command was slow because build tools had to fill an empty cache.
func coldLines(end shell.Result) []string {
	if len(end.ColdCaches) == 0 || !end.TimedOut && end.Took < slow {
		return nil
	}
	return []string{fmt.Sprintf("[sandbox: slow because the cache of %s was empty; the next run is faster]", strings.Join(end.ColdCaches, ", "))}
}

func startJob(jobs *shell.Jobs, command shell.Command) Answer {
	job, err := jobs.Start(command)
	if err != nil {
		return failedAnswer(err)
	}
	return inBackground(job, "Started as job %d%s. Look at it with action tail, end it with action kill.", "; its output goes to ")
}

// leftRunning returns the answer for a command that the user moved to the background.
func leftRunning(result shell.Result) Answer {
	answer := inBackground(result.Job, "The user put the command in the background: it is still running, as job %d%s. Look at it with action tail, end it with action kill; continue with work that does not need its result.", "; its whole output goes to ")
	if result.Output != "" {
		answer.Text += "\nOutput so far:\n" + result.Output
	}
	return answer
}

// inBackground returns the answer for a command that continues as a job. said is a format with
// verbs for the number of the job and for the file of its output. kept is the text before the name
// of that file.
func inBackground(job *shell.Job, said, kept string) Answer {
	if job.Spool() == "" {
		kept = ""
	}
	return Answer{Text: fmt.Sprintf(said, job.ID, kept+job.Spool()), Spool: job.Spool(), Summary: fmt.Sprintf("job %d in the background", job.ID)}
}

func listJobs(all []*shell.Job) string {
	if len(all) == 0 {
		return "There are no jobs."
	}
	var list strings.Builder
	for _, job := range all {
		fmt.Fprintf(&list, "job %d: %s, %s printed: %s\n", job.ID, job.State(), humanize.Bytes(job.OutputSize()), job.Command.Line)
	}
	return list.String()
}

// lookAt returns an answer with the output of a job since the last answer.
func (e *Env) lookAt(job *shell.Job) Answer {
	text, ended := job.ReadNew()
	now := shell.Result{Output: text}
	if ended != nil {
		now.ExitInfo = *ended
	}
	answer := Answer{Text: text, Note: fmt.Sprintf("[job %d: %s]", job.ID, job.State()), Spool: job.Spool()}
	for _, note := range e.advice(job.Command, now) {
		answer.Text = lines.Append(answer.Text, note)
	}
	if text == "" {
		answer.Note = "[nothing new]\n" + answer.Note
	}
	if ended != nil && ended.NotStarted == nil && !ended.Interrupted && !ended.TimedOut {
		answer.ExitCode = &ended.Exit
	}
	return answer
}
