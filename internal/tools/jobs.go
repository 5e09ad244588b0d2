package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// mostJobs is how many background commands may run at once.
	mostJobs = 16
	// endGrace is how long processes have to end when told to, before they are
	// killed.
	endGrace = 2 * time.Second
)

// Jobs runs the commands of a conversation: those that a call waits for and those
// in the background, which outlive the turn and its interruption and end at the
// latest with Close. It is safe for parallel use.
type Jobs struct {
	environ  []string
	withhold []string
	grace    time.Duration

	// running ends every background command when cancelled.
	running context.Context
	stop    context.CancelFunc

	mu     sync.Mutex
	closed bool
	all    []*job
	// ended are the jobs that ended and were not yet announced.
	ended []*job
	group sync.WaitGroup
}

// NewJobs makes a runner of commands. They get the environment environ, except
// for the variables named in withhold: keys and other secrets of the program.
func NewJobs(environ, withhold []string) *Jobs {
	running, stop := context.WithCancel(context.Background())
	return &Jobs{environ: environ, withhold: withhold, grace: endGrace, running: running, stop: stop}
}

// FinishedJob is a background command that ended.
type FinishedJob struct {
	ID      int
	Command string
	// Outcome says how in a few words, e.g. "exit 1 after 2m3s".
	Outcome string
}

// Finished returns the background commands that ended by themselves since the
// last call, in the order they ended.
func (j *Jobs) Finished() []FinishedJob {
	j.mu.Lock()
	defer j.mu.Unlock()
	var finished []FinishedJob
	for _, job := range j.ended {
		finished = append(finished, FinishedJob{ID: job.id, Command: job.line, Outcome: job.end.outcome()})
	}
	j.ended = nil
	return finished
}

// Close ends every background command and returns when none is left. No command
// runs afterwards.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.stop()
	j.group.Wait()
}

// job is a background command.
type job struct {
	id     int
	line   string
	began  time.Time
	output *output
	cancel context.CancelFunc
	// done is closed when it ended; then end says how.
	done chan struct{}
	end  ending

	mu sync.Mutex
	// shown is how much of the output the model was shown.
	shown int64
}

// errClosed is the answer after Close.
var errClosed = errors.New("the program is ending; no command is started any more")

// start runs a command in the background.
func (j *Jobs) start(command commandLine, out *output) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, errClosed
	}
	if n := j.runningCount(); n >= mostJobs {
		return nil, fmt.Errorf("%d background commands are running already; end one with action kill first", n)
	}
	ctx, cancel := context.WithCancel(j.running)
	started := &job{
		id: len(j.all) + 1, line: command.line, began: time.Now(),
		output: out, cancel: cancel, done: make(chan struct{}),
	}
	j.all = append(j.all, started)
	j.group.Go(func() {
		defer cancel()
		end := command.run(ctx, out)
		out.close()
		j.settle(started, end)
	})
	return started, nil
}

// settle notes the end of a job.
func (j *Jobs) settle(ended *job, end ending) {
	j.mu.Lock()
	defer j.mu.Unlock()
	ended.end = end
	close(ended.done)
	if !end.interrupted {
		j.ended = append(j.ended, ended)
	}
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

func (b *job) isDone() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// find returns the job of that id.
func (j *Jobs) find(id int) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if id < 1 || id > len(j.all) {
		return nil, fmt.Errorf("there is no job %d; action list shows the jobs there are", id)
	}
	return j.all[id-1], nil
}

// list returns every job, oldest first.
func (j *Jobs) list() []*job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*job(nil), j.all...)
}
