package shell

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agent/internal/base/humanize"
)

// quietTime is the time without further output after which Wait returns if a job has printed
// something.
const quietTime = time.Second

// Job is a background command.
type Job struct {
	ID      int
	Command Command

	began  time.Time
	output *output
	stop   context.CancelCauseFunc
	// hurry shortens the time between asking the job to end and killing it.
	hurry context.CancelFunc
	// done is closed when the job has ended. end is set before that.
	done chan struct{}
	end  ExitInfo

	mu sync.Mutex
	// shown is the number of bytes of the output that the model has received.
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

// Spool returns the path of the file with the whole output, or the empty string if there is none.
func (b *Job) Spool() string { return b.output.spool.path() }

// OutputSize returns the number of bytes that the job has printed.
func (b *Job) OutputSize() int64 { return b.output.size() }

// Done returns a channel that is closed when the job has ended.
func (b *Job) Done() <-chan struct{} { return b.done }

// Kill ends the job and waits for its end. If ctx ends first, the job is killed soon after.
func (b *Job) Kill(ctx context.Context) {
	b.stop(context.Canceled)
	defer context.AfterFunc(ctx, b.hurry)()
	<-b.done
}

// State returns a few words on whether the job runs or how it ended.
func (b *Job) State() string {
	if b.isDone() {
		return b.end.Outcome()
	}
	return fmt.Sprintf("running for %s", humanize.Duration(time.Since(b.began)))
}

// Wait waits until the job has ended, until it has printed something new and then nothing for
// quietTime, or until limit has passed.
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

// tailBytes is the maximum length of the text from Tail.
const tailBytes = 16 << 10

// Tail returns the end of the output. It does not affect ReadNew.
func (b *Job) Tail() string { return b.output.lastBytes(tailBytes) }

// ReadNew returns the output since the last call, with a note instead of text that is no longer in
// memory. ended is not nil if the job had ended before the output was read.
func (b *Job) ReadNew() (text string, ended *ExitInfo) {
	if b.isDone() {
		ended = &b.end
	}
	b.mu.Lock()
	text, lost, shown := b.output.textSince(b.shown)
	b.shown = shown
	b.mu.Unlock()
	if lost > 0 {
		text = fmt.Sprintf("[%s left out here; %s]\n%s", humanize.Bytes(lost), b.output.spoolNote(), text)
	}
	return text, ended
}
