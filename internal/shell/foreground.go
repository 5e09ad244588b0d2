package shell

import (
	"context"
	"io"
	"time"
)

// Run runs a command to its end. What it prints is also written to screen as it
// comes, unless that is nil; a slow screen does not hold the command up. A command that
// Leaves may become a job before: then the result is what it printed until then. The
// error is ErrClosed.
func (j *Jobs) Run(ctx context.Context, command Command, screen io.Writer) (Result, error) {
	if !j.enter() {
		return Result{}, ErrClosed
	}
	running, end := context.WithCancelCause(j.running)
	hurried, hurry := context.WithCancel(context.Background())
	keeps := context.AfterFunc(ctx, func() { end(context.Cause(ctx)); hurry() })
	defer keeps()
	if ctx.Err() != nil { // AfterFunc ends it beside the command, which may have begun by then
		end(context.Cause(ctx))
	}
	if command.Timeout > 0 {
		timer := time.AfterFunc(command.Timeout, func() { end(errTimedOut) })
		defer timer.Stop()
		command.Timeout = 0
	}
	began, leave := time.Now(), j.mayLeave(command)
	defer j.stays(leave)
	out := newOutput(command.OutputBytes, command.SpoolDir, &j.room)
	var to io.Writer = out
	if screen != nil {
		shown := newLive(screen)
		defer shown.close()
		to = io.MultiWriter(out, shown)
	}
	var ending Ending
	done := make(chan struct{})
	go func() {
		defer j.group.Done()
		defer end(nil)
		defer hurry()
		ending = j.run(running, hurried, command, to)
		out.close()
		close(done)
	}()
	select {
	case <-done:
	case <-leave:
		if keeps() { // else it is being interrupted
			cancel := func() { end(context.Canceled) }
			return j.adopt(&Job{Line: command.Line, began: began, output: out, cancel: cancel, hurry: hurry}, done, &ending), nil
		}
		<-done
	}
	text, spool := out.text()
	return Result{Ending: ending, Output: text, Lines: out.lineCount(), Spool: spool}, nil
}

// mayLeave returns a channel that is closed when the command is to become a job.
func (j *Jobs) mayLeave(command Command) chan struct{} {
	leave := make(chan struct{})
	if command.Leaves {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.leaving == nil {
			j.leaving = map[chan struct{}]bool{}
		}
		j.leaving[leave] = true
	}
	return leave
}

// stays ends that the command of a channel may become a job.
func (j *Jobs) stays(leave chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.leaving, leave)
}

// Background makes jobs of the commands that callers wait for and that may become some.
// It returns how many.
func (j *Jobs) Background() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, room := 0, maxJobs-j.runningCount()
	for leave := range j.leaving {
		if n == room {
			break
		}
		close(leave)
		delete(j.leaving, leave)
		n++
	}
	return n
}

// adopt makes a job of a command that runs. Its whole output is the job's; of what it
// printed until now the result is the first look.
func (j *Jobs) adopt(job *Job, done <-chan struct{}, ending *Ending) Result {
	text, _ := job.output.text()
	lines := job.output.lineCount()
	j.mu.Lock()
	job.ID, job.done, job.shown = len(j.all)+1, make(chan struct{}), job.output.follow()
	j.all = append(j.all, job)
	j.OnJob(JobChange{ID: job.ID, Command: job.Line})
	watched := !j.closed
	if watched {
		j.group.Add(1)
	}
	j.mu.Unlock()
	go func() {
		if watched {
			defer j.group.Done()
		}
		<-done
		j.record(job, *ending)
	}()
	return Result{Output: text, Lines: lines, Spool: job.Spool(), Job: job}
}
