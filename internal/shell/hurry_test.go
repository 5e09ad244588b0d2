package shell

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agent/internal/sandbox"
	"agent/internal/testing/fifo"
)

// If a user waits, a command that ignores the request to end is killed soon, within 0.3 s after a
// cancel. No process of it is left, not even in another session.
func TestWaitingUserShortensTheGracePeriod(t *testing.T) {
	t.Parallel()
	// The reader of the pipe reaches its end when no process is left.
	const stubborn = `trap '' TERM; echo; exec 9>pipe; (setsid sleep 300 &); echo begun >&9; `
	for name, c := range map[string]struct {
		line string
		run  func(ctx context.Context, j *Jobs, command Command)
	}{
		"a command":                  {stubborn + "sleep 300", awaited},
		"what a command left behind": {stubborn + "sleep 300 & exit", awaited},
		"a command that is timed out": {`trap 'echo begun >&9' TERM; exec 9>pipe; while :; do sleep 300; done`, func(ctx context.Context, j *Jobs, c Command) {
			c.Timeout = 2 * time.Second
			awaited(ctx, j, c)
		}},
		"a hook":                      {stubborn + "sleep 300", func(ctx context.Context, j *Jobs, c Command) { _, _ = j.RunWithInput(ctx, c, nil, nil) }},
		"the end of a background job": {stubborn + "sleep 300", startAndKill},
	} {
		for _, backend := range []sandbox.Backend{sandbox.None, sandbox.Landlock, sandbox.Namespaces} {
			t.Run(name+"/"+backend.String(), func(t *testing.T) {
				t.Parallel()
				box, err := sandbox.Use(backend)
				if err != nil {
					t.Skip(err)
				}
				dir := t.TempDir()
				pipe := filepath.Join(dir, "pipe")
				if err := fifo.Make(t, pipe); err != nil {
					t.Fatal(err)
				}
				j := NewJobs(os.Environ(), nil)
				j.Grace = time.Hour
				defer j.Close()
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					c.run(ctx, j, Command{Line: c.line, Dir: dir, OutputBytes: 100, Profile: sandbox.ProfileWork, Confined: sandbox.Confinement{Sandbox: box, Policy: sandbox.Policy{Workspace: dir}}})
				}()
				reader, err := os.Open(pipe)
				if err != nil {
					t.Fatal(err)
				}
				defer reader.Close()
				if _, err := reader.Read(make([]byte, 10)); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				cancel()
				if _, err := reader.Read(make([]byte, 10)); err == nil {
					t.Error("it still writes")
				}
				<-ended
				t.Log(time.Since(began))
			})
		}
	}
}

func awaited(ctx context.Context, j *Jobs, c Command) { _, _ = j.Run(ctx, c, nil) }

// startAndKill starts a job and kills it after its first output. ctx is the context of the call.
func startAndKill(ctx context.Context, j *Jobs, c Command) {
	job, err := j.Start(c)
	if err == nil && job.Wait(context.Background(), time.Minute) == nil {
		job.Kill(ctx)
	}
}
