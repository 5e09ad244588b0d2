package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// settled is how long a job must be quiet after it printed something for a
// waiting look at it to return.
const settled = time.Second

// jobAction carries out a call of the shell tool that is about jobs.
func jobAction(ctx context.Context, jobs *Jobs, args shellArgs) Answer {
	if args.Action == actionList {
		return Answer{Result: listJobs(jobs.list())}
	}
	job, err := jobs.find(args.Job)
	if err != nil {
		return failed(err)
	}
	if args.Action == actionKill {
		job.cancel()
		<-job.done
	} else if err := job.waitFor(ctx, time.Duration(args.WaitSeconds)*time.Second); err != nil {
		return failed(err)
	}
	return job.look()
}

func listJobs(all []*job) string {
	if len(all) == 0 {
		return "There are no jobs."
	}
	var list strings.Builder
	for _, job := range all {
		fmt.Fprintf(&list, "job %d: %s, %s printed: %s\n", job.id, job.state(), byteSize(job.output.size()), job.line)
	}
	return list.String()
}

// state says in a few words whether the job runs.
func (b *job) state() string {
	if b.isDone() {
		return b.end.outcome()
	}
	return fmt.Sprintf("running for %s", durationText(time.Since(b.began)))
}

// waitFor waits until the job ended, or printed something new and then fell quiet,
// or at most for limit.
func (b *job) waitFor(ctx context.Context, limit time.Duration) error {
	b.mu.Lock()
	seen := b.shown
	b.mu.Unlock()
	over := time.After(limit)
	var quiet <-chan time.Time
	for limit > 0 {
		select {
		case <-b.done:
			return nil
		case <-over:
			return nil
		case <-quiet:
			return nil
		case <-ctx.Done():
			return errors.New("interrupted while waiting for the job; it is still running")
		case <-b.output.wait(seen):
			seen = b.output.size()
			quiet = time.After(settled)
		}
	}
	return nil
}

// look answers with what the job printed since the last look.
func (b *job) look() Answer {
	done := b.isDone()
	b.mu.Lock()
	text, lost, shown := b.output.since(b.shown)
	b.shown = shown
	b.mu.Unlock()

	answer := Answer{Spool: b.output.spool.path()}
	if lost > 0 {
		text = fmt.Sprintf("[%s left out here; %s]\n%s", byteSize(lost), b.output.kept(), text)
	}
	if text == "" {
		text = "[nothing new]\n"
	}
	answer.Result = withLine(text, fmt.Sprintf("[job %d: %s]", b.id, b.state()))
	if done && b.end.started == nil && !b.end.interrupted && !b.end.timedOut {
		answer.ExitCode = &b.end.exit
	}
	return answer
}
