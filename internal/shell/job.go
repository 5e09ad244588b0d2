package shell

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agent/internal/words"
)

// quietTime is how long a job must print nothing, after it printed something, for
// Wait to return.
const quietTime = time.Second

// Job is a background command.
type Job struct {
	ID      int
	Command Command

	began  time.Time
	output *output
	stop   context.CancelCauseFunc
	// hurry shortens the time that it has to end after stop.
	hurry context.CancelFunc
	// done is closed when it ended; then end says how.
	done chan struct{}
	end  Ending

	mu sync.Mutex
	// shown is how much of the output the model was shown.
	shown int64
}

// Running reports whether the job has not ended.
func (b *Job) Running() bool { return !b.isDone() }

func (b *Job) isDone() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// Spool is the file that keeps the whole output, or empty.
func (b *Job) Spool() string { return b.output.spool.path() }

// Printed is how much the job has printed, in bytes.
func (b *Job) Printed() int64 { return b.output.size() }

// Done returns a channel that is closed when the job has ended.
func (b *Job) Done() <-chan struct{} { return b.done }

// Kill ends the job and returns when it has ended, soon after ctx ended at the latest.
func (b *Job) Kill(ctx context.Context) {
	b.stop(context.Canceled)
	defer context.AfterFunc(ctx, b.hurry)()
	<-b.done
}

// State says in a few words whether the job runs.
func (b *Job) State() string {
	if b.isDone() {
		return b.end.Outcome()
	}
	return fmt.Sprintf("running for %s", words.Took(time.Since(b.began)))
}

// Wait waits until the job ended, or printed something new and then fell quiet,
// or at most for limit.
func (b *Job) Wait(ctx context.Context, limit time.Duration) error {
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
			quiet = time.After(quietTime)
		}
	}
	return nil
}

// tailBytes is how much Tail returns at most.
const tailBytes = 16 << 10

// Tail is the end of what the job printed. It takes nothing from what Look returns.
func (b *Job) Tail() string { return b.output.last(tailBytes) }

// Look returns what the job printed since the last look, with a note in place of
// what is no longer held, and how it ended if it had ended by then.
func (b *Job) Look() (text string, ended *Ending) {
	if b.isDone() {
		ended = &b.end
	}
	b.mu.Lock()
	text, lost, shown := b.output.since(b.shown)
	b.shown = shown
	b.mu.Unlock()
	if lost > 0 {
		text = fmt.Sprintf("[%s left out here; %s]\n%s", words.Bytes(lost), b.output.kept(), text)
	}
	return text, ended
}
