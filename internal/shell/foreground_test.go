package shell_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"agent/internal/shell"
)

// A command in the foreground can become a job while it runs. The caller receives the output so
// far, the job has the rest, and the file has all of it. The end of the caller and the time limit
// do not stop the job.
func TestACommandBecomesAJob(t *testing.T) {
	t.Parallel()
	jobs := shell.NewJobs(os.Environ(), nil)
	defer jobs.Close()
	ctx, cancel := context.WithCancel(t.Context())
	seen, screen := io.Pipe()
	late := make(chan string)
	go func() {
		_, _ = seen.Read(make([]byte, 64))
		if jobs.Background(6) || !jobs.Background(7) {
			t.Error("not the command of the call became a job")
		}
		rest, _ := io.ReadAll(seen)
		late <- string(rest)
	}()
	dir := t.TempDir()
	result, err := jobs.Run(ctx, shell.Command{
		Line: "echo first; until test -e go; do sleep 0.01; done; echo second; exit 3", Leaves: true, Call: 7,
		Dir: dir, SpoolDir: t.TempDir(), OutputBytes: 1000, Timeout: time.Minute,
	}, screen)
	if err != nil || result.Job == nil || result.Output != "first\n" {
		t.Fatalf("%+v, %v", result, err)
	}
	cancel()
	if all := jobs.List(); len(all) != 1 || all[0] != result.Job || !all[0].Running() {
		t.Fatalf("the jobs are %v", all)
	}
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-result.Job.Done()
	text, end := result.Job.ReadNew()
	if text != "second\n" || end == nil || end.Exit != 3 {
		t.Errorf("the job says %q and ended as %+v", text, end)
	}
	if kept, err := os.ReadFile(result.Job.Spool()); err != nil || !strings.Contains(string(kept), "first\nsecond\n") {
		t.Errorf("its file holds %q, %v", kept, err)
	}
	if finished := jobs.TakeFinished(); len(finished) != 1 {
		t.Errorf("%v is announced", finished)
	}
	_ = screen.Close()
	if rest := <-late; rest != "" {
		t.Errorf("the screen got %q of the job", rest)
	}
}

// A command that cannot become a job runs in the foreground to its end.
func TestACommandStays(t *testing.T) {
	t.Parallel()
	jobs := shell.NewJobs(os.Environ(), nil)
	defer jobs.Close()
	seen, screen := io.Pipe()
	defer screen.Close()
	go func() {
		_, _ = seen.Read(make([]byte, 64))
		if jobs.Background(0) {
			t.Error("it became a job")
		}
		_, _ = io.Copy(io.Discard, seen)
	}()
	result, err := jobs.Run(t.Context(), shell.Command{Line: "echo one; sleep 0.1; echo two", Dir: t.TempDir(), OutputBytes: 1000}, screen)
	if err != nil || result.Job != nil || result.Output != "one\ntwo\n" {
		t.Errorf("%+v, %v", result, err)
	}
}
