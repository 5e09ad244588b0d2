//go:build bench

package sandbox_test

import (
	"bytes"
	"slices"
	"syscall"
	"testing"
	"time"

	"agent/internal/sandbox"
)

// The test measures the overhead of a sandbox: processor time, which depends little on other work
// of the machine, and the elapsed time of the fastest tenth of many runs.
func TestNumbersOfCommands(t *testing.T) {
	plain, plainCPU := cost(t, func(h *house) {
		cmd := h.command(`true`)
		cmd.Stdout = &bytes.Buffer{}
		cmd.Stderr = cmd.Stdout
		_ = cmd.Run()
	})
	t.Logf("bash alone %v, %v of the processor", plain, plainCPU)
	for backend, most := range map[sandbox.Backend]time.Duration{sandbox.Landlock: time.Millisecond, sandbox.Namespaces: 5 * time.Millisecond} {
		s := use(t, backend)
		for _, profile := range []sandbox.Profile{sandbox.ProfileReadOnly, sandbox.ProfileWork} {
			took, cpu := cost(t, func(h *house) { h.run(s, h.policy(profile), `true`) })
			t.Logf("%s in %s adds %v, %v of the processor", backend, profile, took-plain, cpu-plainCPU)
			if cpu-plainCPU > most {
				t.Errorf("%s in %s adds %v, want at most %v", backend, profile, cpu-plainCPU, most)
			}
		}
	}
}

// cost returns the elapsed time of the fastest tenth of the runs, and the mean processor time.
func cost(t *testing.T, run func(*house)) (took, cpu time.Duration) {
	h := newHouse(t)
	run(h) // the setup of the first run does not count
	var each []time.Duration
	const runs = 150
	before := used(t)
	for range runs {
		began := time.Now()
		run(h)
		each = append(each, time.Since(began))
	}
	cpu = (used(t) - before) / runs
	slices.Sort(each)
	return each[len(each)/10], cpu
}

// used returns the processor time of this process and of the child processes that have ended.
func used(t *testing.T) time.Duration {
	t.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return sum
}
