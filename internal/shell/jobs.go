package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxJobs is how many background commands may run at once.
	maxJobs = 16
	// defaultGrace is Jobs.Grace.
	defaultGrace = 2 * time.Second
	// hurriedGrace is how long they have when a person waits for their end.
	hurriedGrace = 150 * time.Millisecond
)

// Jobs runs the commands of a conversation: those that a call waits for and those
// in the background, which outlive the turn and its interruption and end at the
// latest with Close. It is safe for parallel use.
type Jobs struct {
	// Grace is how long processes have to end when asked to, before they are killed.
	// It is set before the first command.
	Grace time.Duration

	// OnJob is called when a background command began and that it ended. It is set
	// before the first command.
	OnJob func(JobChange)

	// Traced names the span that commands belong to, as TRACEPARENT; nil or "" for none.
	// It is set before the first command.
	Traced func() string

	environ  []string
	withhold []string
	groups   Groups
	// room is how much the files of all outputs may still take, in bytes.
	room atomic.Int64

	// running ends every command when cancelled.
	running context.Context
	stop    context.CancelFunc

	mu     sync.Mutex
	closed bool
	all    []*Job
	// ended are the jobs that ended and were not yet announced.
	ended []*Job
	// leaving are the channels of the commands that may become jobs while they run.
	leaving map[chan struct{}]bool
	// group are all commands, also those that a caller waits for.
	group sync.WaitGroup
}

// NewJobs makes a runner of commands. They get the environment environ, except
// for the variables named in withhold: keys and other secrets of the program.
func NewJobs(environ, withhold []string) *Jobs {
	running, stop := context.WithCancel(context.Background())
	j := &Jobs{environ: environ, withhold: withhold, Grace: defaultGrace, OnJob: func(JobChange) {}, leaving: map[chan struct{}]bool{}, running: running, stop: stop}
	j.room.Store(allSpools)
	return j
}

// JobChange is the beginning or the end of a background command.
type JobChange struct {
	ID      int
	Command string
	Ended   bool
}

// Finished is a background command that ended.
type Finished struct {
	ID      int
	Command string
	// Outcome is that of its [Ending].
	Outcome string
}

// Finished returns the background commands that ended by themselves since the
// last call, in the order they ended.
func (j *Jobs) Finished() []Finished {
	j.mu.Lock()
	defer j.mu.Unlock()
	var finished []Finished
	for _, job := range j.ended {
		finished = append(finished, Finished{ID: job.ID, Command: job.Command.Line, Outcome: job.end.Outcome()})
	}
	j.ended = nil
	return finished
}

// Result is what came of a command that the caller waited for.
type Result struct {
	Ending
	// Output is what it printed, its middle replaced by a note when it was too long.
	Output string
	// Lines is how many lines it printed.
	Lines int
	// Spool is the file that holds the whole output in that case, else empty.
	Spool string
	// Job is the background command that it became while it ran, nil when it ended.
	Job *Job
}

// Feed runs a command to its end that is given an input, and writes what it prints to
// stdout and stderr as it is. The error is ErrClosed.
func (j *Jobs) Feed(ctx context.Context, command Command, stdout, stderr io.Writer) (Ending, error) {
	if !j.enter() {
		return Ending{}, ErrClosed
	}
	defer j.group.Done()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(j.running, cancel)()
	return j.carryOut(running, ctx, command, stdout, stderr), nil
}

// enter counts a command in, so that Close waits for it; it reports whether it may run.
func (j *Jobs) enter() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false
	}
	j.group.Add(1)
	return true
}

// Close ends every command and returns when none is left. No command runs afterwards.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.stop()
	j.group.Wait()
	j.groups.Close()
}

// Kill ends every command by force, at once, and waits for nothing. It is for a
// program that is asked to end a second time.
func (j *Jobs) Kill() { j.groups.kill() }

// ErrClosed is the error of a command after Close.
var ErrClosed = errors.New("the program is ending; no command is started any more")

// Start runs a command in the background.
func (j *Jobs) Start(command Command) (*Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, ErrClosed
	}
	if n := j.runningCount(); n >= maxJobs {
		return nil, fmt.Errorf("%d background commands are running already; end one with action kill first", n)
	}
	out := newLog(command.OutputBytes, command.SpoolDir, &j.room)
	j.group.Add(1)
	job, _ := j.begin(context.Background(), command, out, out)
	j.add(job)
	return job, nil
}

// Running is how many background commands run.
func (j *Jobs) Running() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.runningCount()
}

func (j *Jobs) runningCount() int {
	n := 0
	for _, job := range j.all {
		if !job.isDone() {
			n++
		}
	}
	return n
}

// Find returns the job of that id.
func (j *Jobs) Find(id int) (*Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if id < 1 || id > len(j.all) {
		return nil, fmt.Errorf("there is no job %d; action list shows the jobs there are", id)
	}
	return j.all[id-1], nil
}

// List returns every job, oldest first.
func (j *Jobs) List() []*Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*Job(nil), j.all...)
}
