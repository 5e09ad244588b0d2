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
	// maxJobs limits the number of background commands that run at once.
	maxJobs = 16
	// defaultGrace is the initial value of Jobs.Grace.
	defaultGrace = 2 * time.Second
	// hurriedGrace replaces Grace while a user waits for the end of a command.
	hurriedGrace = 150 * time.Millisecond
)

// Jobs runs the commands of a conversation. A command in the foreground has a caller that waits for
// it. Commands in the background continue after the turn ends or is interrupted. They end at the
// latest with Close. Jobs is safe for concurrent use.
type Jobs struct {
	// Grace is the time from the request to end processes until they are killed. It is set before
	// the first command.
	Grace time.Duration

	// OnJob is called when a background command begins and when it ends. It is set before the
	// first command.
	OnJob func(JobChange)

	// Traced returns the trace context for the variable TRACEPARENT of commands, or "". Traced may
	// be nil. It is set before the first command.
	Traced func() string

	// Preferred is the shell that runs command lines. Auto means the first shell that is installed.
	// It is set before the first command.
	Preferred Kind

	environ  []string
	withhold []string
	groups   Groups
	// room is the number of bytes that may still be written to the output files of all commands.
	room atomic.Int64

	// running is the parent context of every command.
	running context.Context
	stop    context.CancelFunc

	mu     sync.Mutex
	closed bool
	all    []*Job
	// ended lists jobs that ended and that TakeFinished has not returned yet.
	ended []*Job
	// leaving contains a channel for each command in the foreground that may become a job. If its
	// channel is closed, the command becomes a job.
	leaving map[chan struct{}]int
	// group counts all commands, including those in the foreground.
	group sync.WaitGroup
}

// NewJobs returns a Jobs whose commands get the environment environ. It omits the variables named
// in withhold, which contain API keys and other secrets of the program.
func NewJobs(environ, withhold []string) *Jobs {
	running, stop := context.WithCancel(context.Background())
	j := &Jobs{environ: environ, withhold: withhold, Grace: defaultGrace, OnJob: func(JobChange) {}, leaving: map[chan struct{}]int{}, running: running, stop: stop}
	j.room.Store(allSpools)
	return j
}

// JobChange reports the beginning or the end of a background command.
type JobChange struct {
	ID      int
	Command string
	Ended   bool
}

// FinishedJob describes a background command that has ended.
type FinishedJob struct {
	ID      int
	Command string
	// Outcome is the text of [ExitInfo.Outcome].
	Outcome string
}

// TakeFinished returns the background commands that have ended since the last call, in the order of
// their ends. It omits killed commands.
func (j *Jobs) TakeFinished() []FinishedJob {
	j.mu.Lock()
	defer j.mu.Unlock()
	var finished []FinishedJob
	for _, job := range j.ended {
		finished = append(finished, FinishedJob{ID: job.ID, Command: job.Command.Line, Outcome: job.end.Outcome()})
	}
	j.ended = nil
	return finished
}

// Result is the outcome of a command in the foreground.
type Result struct {
	ExitInfo
	// Output is the printed text. If it was too long, a note replaces its middle.
	Output string
	// Lines is the number of printed lines.
	Lines int
	// Spool is the path of the file with the whole output. It is empty if Output is complete.
	Spool string
	// Job is the background command that this command became, or nil if the command ended in the
	// foreground.
	Job *Job
}

// RunWithInput runs a command with an input to its end. It writes the output unchanged to stdout and
// stderr. The only error is ErrClosed.
func (j *Jobs) RunWithInput(ctx context.Context, command Command, stdout, stderr io.Writer) (ExitInfo, error) {
	if !j.countIn() {
		return ExitInfo{}, ErrClosed
	}
	defer j.group.Done()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(j.running, cancel)()
	return j.carryOut(running, ctx, command, stdout, stderr), nil
}

// countIn counts a command so that Close waits for it. It returns false if Close was called.
func (j *Jobs) countIn() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false
	}
	j.group.Add(1)
	return true
}

// Close ends every command and waits for their ends. No command can start afterwards.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.stop()
	j.group.Wait()
	j.groups.Close()
}

// KillAll kills every command and does not wait. It is for a program that receives a second request to
// end.
func (j *Jobs) KillAll() { j.groups.kill() }

// ErrClosed is returned for a command after Close.
var ErrClosed = errors.New("can't start the command: agent is exiting")

// Start starts a command in the background.
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

// RunningCount returns the number of background commands that run.
func (j *Jobs) RunningCount() int {
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

// Find returns the job with the given ID.
func (j *Jobs) Find(id int) (*Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if id < 1 || id > len(j.all) {
		return nil, fmt.Errorf("there is no job %d; to see the jobs, use action list", id)
	}
	return j.all[id-1], nil
}

// List returns every job, oldest first.
func (j *Jobs) List() []*Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*Job(nil), j.all...)
}
