package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// testJob is a job without a process.
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
	first, _ := b.Look()
	print(b.output, "two\n")
	second, _ := b.Look()
	print(b.output, "%s", strings.Repeat("a long line of output\n", 100))
	print(b.output, "last\n")
	third, _ := b.Look()
	if first != "one\n" || second != "two\n" {
		t.Errorf("%q, %q", first, second)
	}
	if !strings.HasPrefix(third, "[1.2 KiB left out here; it was not kept]\na long line") || !strings.HasSuffix(third, "last\n") {
		t.Errorf("%q", third)
	}
}

// A folder that was deleted meanwhile is named, not the shell.
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
