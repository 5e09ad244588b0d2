package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/testing/fifo"
)

// testJob returns a job without a process.
func testJob() *Job {
	return &Job{ID: 1, began: time.Now(), output: newLog(1000, "", nil), done: make(chan struct{})}
}

func print(out *output, format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }

func TestWaitingForAJobEndsWhenItFallsQuiet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		job  func(b *Job)
		want time.Duration
	}{
		"silent": {func(*Job) {}, time.Minute},
		"prints and goes on": {func(b *Job) {
			time.Sleep(5 * time.Second)
			for range 3 {
				print(b.output, "line\n")
				time.Sleep(500 * time.Millisecond)
			}
		}, 7 * time.Second},
		"never quiet": {func(b *Job) {
			for range 200 {
				print(b.output, "line\n")
				time.Sleep(500 * time.Millisecond)
			}
		}, time.Minute},
		"ends": {func(b *Job) {
			time.Sleep(3 * time.Second)
			close(b.done)
		}, 3 * time.Second},
		"had printed before": {func(b *Job) { print(b.output, "line\n") }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := testJob()
				go c.job(b)
				synctest.Wait()
				began := time.Now()
				if err := b.Wait(t.Context(), time.Minute); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != c.want {
					t.Errorf("waited %v, want %v", took, c.want)
				}
				time.Sleep(2 * time.Minute)
			})
		})
	}
}

func TestWaitingForAJobEndsWithTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := testJob().Wait(ctx, time.Minute); err == nil || !strings.Contains(err.Error(), "still running") {
			t.Errorf("error %v", err)
		}
	})
}

func TestLooksAtAJobMissNothing(t *testing.T) {
	t.Parallel()
	b := testJob()
	print(b.output, "one\n")
	first, _ := b.ReadNew()
	print(b.output, "two\n")
	second, _ := b.ReadNew()
	print(b.output, "%s", strings.Repeat("a long line of output\n", 100))
	print(b.output, "last\n")
	third, _ := b.ReadNew()
	if first != "one\n" || second != "two\n" {
		t.Errorf("%q, %q", first, second)
	}
	if !strings.HasPrefix(third, "[1.2 KiB left out here; the output was not stored]\na long line") || !strings.HasSuffix(third, "last\n") {
		t.Errorf("%q", third)
	}
}

// If the working folder was deleted, the error names the folder and not the shell.
func TestFolderThatIsGone(t *testing.T) {
	t.Parallel()
	jobs := NewJobs(os.Environ(), nil)
	defer jobs.Close()
	gone := filepath.Join(t.TempDir(), "gone")
	end, err := jobs.Run(t.Context(), Command{Line: "pwd", Dir: gone, OutputBytes: 100}, nil)
	if err != nil || end.NotStarted == nil || !strings.Contains(end.NotStarted.Error(), gone) || strings.Contains(end.NotStarted.Error(), "bash") {
		t.Errorf("%v, %v", end.NotStarted, err)
	}
}

// A command whose timeout ends before its start is reported as timed out.
func TestTimeIsOverBeforeTheStart(t *testing.T) {
	t.Parallel()
	jobs := NewJobs(os.Environ(), nil)
	defer jobs.Close()
	end, err := jobs.Run(t.Context(), Command{Line: "sleep 300", Dir: t.TempDir(), Timeout: time.Nanosecond, OutputBytes: 100}, nil)
	if err != nil || end.NotStarted != nil || !end.TimedOut || end.ExitCode() != nil {
		t.Errorf("%+v, %v", end, err)
	}
}

// Close also stops a command in the foreground, and then the watcher. While a command runs, a
// watcher process stops it if this program is killed.
func TestCloseWaitsForEveryCommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	jobs := NewJobs(os.Environ(), nil)
	jobs.Grace = 100 * time.Millisecond
	pipe := filepath.Join(folder, "pipe")
	if err := fifo.Make(t, pipe); err != nil {
		t.Fatal(err)
	}
	ended := make(chan Result, 1)
	go func() {
		result, err := jobs.Run(t.Context(), Command{Line: "trap '' TERM; echo begun >pipe; sleep 300", Dir: folder, OutputBytes: 100}, nil)
		if err != nil {
			t.Error(err)
		}
		ended <- result
	}()
	if begun, err := os.ReadFile(pipe); err != nil || string(begun) != "begun\n" {
		t.Fatalf("%q, %v", begun, err)
	}
	watched, _ := watch(jobs)
	if !watched {
		t.Error("nobody watches the command")
	}
	jobs.Close()
	watched, running := watch(jobs)
	if running > 0 {
		t.Error("the command still runs after Close")
		jobs.KillAll()
	}
	if result := <-ended; !result.Interrupted {
		t.Errorf("it ended with %s", result.Outcome())
	}
	if watched {
		t.Error("a watcher is left")
	}
	if _, err := jobs.Run(t.Context(), Command{Line: "true", Dir: folder}, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a command after Close: %v", err)
	}
	jobs.Close() // a second call has no effect
}

// watch returns whether a watcher runs, and the number of running commands.
func watch(j *Jobs) (watched bool, running int) {
	j.groups.mu.Lock()
	defer j.groups.mu.Unlock()
	return j.groups.watcher != nil, len(j.groups.running)
}

// Tail returns the end of the output of a job, whatever the model has read, also if the command
// became a job later.
func TestTailOfAJob(t *testing.T) {
	job := testJob()
	print(job.output, "one\ntwo\n")
	job.ReadNew()
	if tail := job.Tail(); tail != "one\ntwo\n" {
		t.Errorf("Tail = %q", tail)
	}
	var room atomic.Int64
	room.Store(1 << 20)
	job.output = newOutput(100, nil, t.TempDir(), &room)
	print(job.output, "%s", "before\n")
	job.output.follow()
	defer job.output.spool.close()
	print(job.output, "%s", "after\n")
	if tail := job.Tail(); tail != "before\nafter\n" {
		t.Errorf("Tail = %q", tail)
	}
	print(job.output, "%s", strings.Repeat("0123456789\n", tailBytes/10))
	if tail := job.Tail(); len(tail) > tailBytes || !strings.HasPrefix(tail, "0123456789\n") {
		t.Errorf("Tail has %d bytes and begins with %q", len(tail), tail[:20])
	}
}
