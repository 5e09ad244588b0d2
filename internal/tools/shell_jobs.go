package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agent/internal/shell"
	"agent/internal/words"
)

// startJob runs a command in the background.
func startJob(jobs *shell.Jobs, command shell.Command) Answer {
	job, err := jobs.Start(command)
	if err != nil {
		return failed(err)
	}
	kept := ""
	if path := job.Spool(); path != "" {
		kept = ", its output goes to " + path
	}
	return Answer{
		Text:    fmt.Sprintf("Started as job %d%s. Look at it with action tail, end it with action kill.", job.ID, kept),
		Spool:   job.Spool(),
		Summary: fmt.Sprintf("job %d in the background", job.ID),
	}
}

// leftRunning is the answer of a command that the person put in the background.
func leftRunning(result shell.Result) Answer {
	kept := ""
	if result.Spool != "" {
		kept = ", all of its output goes to " + result.Spool
	}
	text := fmt.Sprintf("The user put the command in the background: it is still running, as job %d%s. Look at it with action tail, end it with action kill; go on with what does not need its end.", result.Job.ID, kept)
	if result.Output != "" {
		text += "\nIt has printed until now:\n" + result.Output
	}
	return Answer{Text: text, Spool: result.Spool, Summary: fmt.Sprintf("job %d in the background", result.Job.ID)}
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
