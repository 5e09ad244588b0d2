package slash_test

import (
	"testing"

	"agent/internal/command"
	"agent/internal/slash"
)

// fakeJob is a job with a fixed state.
type fakeJob struct {
	state, spool string
	running      bool
}

func (f fakeJob) Running() bool { return f.running }
func (f fakeJob) State() string { return f.state }
func (f fakeJob) Tail() string  { return "" }
func (f fakeJob) Spool() string { return f.spool }

// The user can list and stop background jobs.
func TestJobs(t *testing.T) {
	t.Parallel()
	var ended []int
	jobs := []command.Job{
		{ID: 1, Command: "make\nmake test", LiveJob: fakeJob{state: "exit 0 after 2s"}},
		{ID: 2, Command: "npm run dev", LiveJob: fakeJob{state: "running for 5s", running: true, spool: "/tmp/out"}},
	}
	w := newWorld(t, func(d *slash.Deps) {
		d.Jobs.List = func() []command.Job { return jobs }
		d.Jobs.End = func(id int) { ended = append(ended, id) }
	})
	want := `1  exit 0 after 2s  make make test
2  running for 5s   npm run dev
                    output in /tmp/out`
	if got := text(w.run(t, "/jobs")); got != want {
		t.Errorf("list\n%s", got)
	}
	if got := text(w.run(t, "/jobs end 2")); got != "Ended job 2: npm run dev" || len(ended) != 1 || ended[0] != 2 {
		t.Errorf("%q, ended %v", got, ended)
	}
	w.refused(t, "/jobs end 1", "job 1 has already ended: exit 0 after 2s")
	w.refused(t, "/jobs end 3", `no job "3". Run: /jobs`)
	w.refused(t, "/jobs end", "an argument is missing: /jobs end N")
	w.refused(t, "/jobs kill 2", `unknown argument "kill"; /jobs takes end N, or no arguments`)
	jobs = nil
	if got := text(w.run(t, "/ps")); got != "No background commands." {
		t.Errorf("without jobs: %q", got)
	}
	if len(ended) != 1 {
		t.Errorf("ended %v", ended)
	}
}
