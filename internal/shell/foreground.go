package shell

import (
	"context"
	"io"
	"sync"
	"time"
)

// Run runs a command to its end. What it prints is also written to screen as it
// comes, unless that is nil; a screen that waits holds the command up. A command that
// Leaves may become a job before: then the result is what it printed until then. Nothing
// is written to screen after Run has returned. The error is ErrClosed.
func (j *Jobs) Run(ctx context.Context, command Command, screen io.Writer) (Result, error) {
	if !j.enter() {
		return Result{}, ErrClosed
	}
	out := newOutput(command.OutputBytes, command.SpoolDir, &j.room)
	var to io.Writer = out
	if screen != nil {
		shown := &foreground{screen: screen}
		defer shown.end()
		to = io.MultiWriter(out, shown)
	}
	limit, leave := command.Timeout, make(chan struct{})
	command.Timeout = 0 // it ends with the wait
	job, keeps := j.begin(ctx, command, out, to)
	defer keeps()
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { job.stop(errTimedOut) })
		defer timer.Stop()
	}
	if command.Leaves {
		j.mu.Lock()
		j.leaving[leave] = true
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
		if keeps() { // else it is being interrupted
			return j.adopt(job), nil
		}
		<-job.done
	}
	text, spool := out.text()
	return Result{Ending: job.end, Output: text, Lines: out.lineCount(), Spool: spool}, nil
}

// foreground writes to a screen until the command is not in the foreground any more.
type foreground struct {
	mu     sync.Mutex
	screen io.Writer
}

func (f *foreground) Write(data []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.screen != nil {
		_, _ = f.screen.Write(data) // a screen that fails has its own ways to say so
	}
	return len(data), nil
}

func (f *foreground) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.screen = nil
}

// begin starts a command that is already counted in j.group; the job has no number yet. The
// end of ctx ends it, unless keeps was called before and returned true.
func (j *Jobs) begin(ctx context.Context, command Command, out *output, to io.Writer) (job *Job, keeps func() bool) {
	running, stop := context.WithCancelCause(j.running)
	hurried, hurry := context.WithCancel(context.Background())
	job = &Job{Command: command, began: time.Now(), output: out, stop: stop, hurry: hurry, done: make(chan struct{})}
	keeps = context.AfterFunc(ctx, func() { stop(context.Cause(ctx)); hurry() })
	if ctx.Err() != nil { // AfterFunc ends it beside the command, which may have begun by then
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
	return job, keeps
}

// add makes a command one of the jobs.
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
func (j *Jobs) adopt(job *Job) Result {
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
