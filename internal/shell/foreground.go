package shell

import (
	"context"
	"io"
	"sync"
	"time"
)

// Run runs a command to its end. Unless screen is nil, Run also copies the output to it
// immediately; a slow screen slows the command down. A command with Leaves set may become a job
// before its end. Then the Result contains the output up to that time. Nothing is written to screen
// after Run has returned. The only error is ErrClosed.
func (j *Jobs) Run(ctx context.Context, command Command, screen io.Writer) (Result, error) {
	if !j.countIn() {
		return Result{}, ErrClosed
	}
	out := newOutput(command.OutputBytes, command.Fit, command.SpoolDir, &j.room)
	var to io.Writer = out
	if screen != nil {
		shown := &foreground{screen: screen}
		defer shown.end()
		to = io.MultiWriter(out, shown)
	}
	limit, leave := command.Timeout, make(chan struct{})
	command.Timeout = 0 // the timer below replaces it, because it must not end a job
	job, detach := j.begin(ctx, command, out, to)
	defer detach()
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { job.stop(errTimedOut) })
		defer timer.Stop()
	}
	if command.Leaves {
		j.mu.Lock()
		j.leaving[leave] = command.Call
		j.mu.Unlock()
		defer func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			delete(j.leaving, leave)
		}()
	}
	select {
	case <-job.done:
	case <-leave:
		if detach() { // if detach fails, the command is being interrupted
			return j.turnIntoJob(job), nil
		}
		<-job.done
	}
	text, spool := out.text()
	return Result{ExitInfo: job.end, Output: text, Lines: out.lineCount(), Spool: spool}, nil
}

// foreground copies output to a screen until the command leaves the foreground.
type foreground struct {
	mu     sync.Mutex
	screen io.Writer
}

func (f *foreground) Write(data []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.screen != nil {
		_, _ = f.screen.Write(data) // the screen reports its own failures
	}
	return len(data), nil
}

func (f *foreground) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.screen = nil
}

// begin starts a command that enter has already counted. The job has no number yet. If ctx ends,
// begin ends the command, unless an earlier call of detach returned true.
func (j *Jobs) begin(ctx context.Context, command Command, out *output, to io.Writer) (job *Job, detach func() bool) {
	running, stop := context.WithCancelCause(j.running)
	hurried, hurry := context.WithCancel(context.Background())
	job = &Job{Command: command, began: time.Now(), output: out, stop: stop, hurry: hurry, done: make(chan struct{})}
	detach = context.AfterFunc(ctx, func() { stop(context.Cause(ctx)); hurry() })
	if ctx.Err() != nil { // AfterFunc runs in parallel, so the command might start before it
		stop(context.Cause(ctx))
	}
	go func() {
		defer j.group.Done()
		defer stop(nil)
		defer hurry()
		end := j.run(running, hurried, command, to)
		out.close()
		j.mu.Lock()
		defer j.mu.Unlock()
		job.end = end
		if job.ID > 0 {
			j.announceEnd(job)
		}
		close(job.done)
	}()
	return job, detach
}

// add assigns a number to a job and calls OnJob.
func (j *Jobs) add(job *Job) {
	job.ID = len(j.all) + 1
	j.all = append(j.all, job)
	j.OnJob(JobChange{ID: job.ID, Command: job.Command.Line})
}

func (j *Jobs) announceEnd(job *Job) {
	j.OnJob(JobChange{ID: job.ID, Command: job.Command.Line, Ended: true})
	if !job.end.Interrupted {
		j.ended = append(j.ended, job)
	}
}

// Background turns the foreground command of a call into a job. It returns false if the field Leaves
// of the command is not set, if the command has ended, or if the limit of jobs is reached.
func (j *Jobs) Background(call int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for leave, number := range j.leaving {
		if number == call && j.runningCount() < maxJobs {
			close(leave)
			delete(j.leaving, leave)
			return true
		}
	}
	return false
}

// turnIntoJob turns a running command into a job. The job has the whole output. The Result contains
// the output so far, and the job's first ReadNew returns only later output.
func (j *Jobs) turnIntoJob(job *Job) Result {
	j.mu.Lock()
	defer j.mu.Unlock()
	text, _ := job.output.text()
	lines := job.output.lineCount()
	job.shown = job.output.follow()
	j.add(job)
	if job.isDone() {
		j.announceEnd(job)
	}
	return Result{Output: text, Lines: lines, Spool: job.Spool(), Job: job}
}
