//go:build bench

package sandbox_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"agent/internal/sandbox"
)

// What a sandbox adds to a command, by the fastest tenth of many, so that other
// work of the machine counts little.
func TestNumbersOfCommands(t *testing.T) {
	plain := fastest(t, func(h *house) {
		cmd := h.command(`true`)
		cmd.Stdout = &bytes.Buffer{}
		cmd.Stderr = cmd.Stdout
		_ = cmd.Run()
	})
	t.Logf("bash alone %v", plain)
	for backend, most := range map[sandbox.Backend]time.Duration{sandbox.Thread: time.Millisecond, sandbox.Helper: 5 * time.Millisecond} {
		s := use(t, backend)
		for _, profile := range []sandbox.Profile{sandbox.Look, sandbox.Work} {
			added := fastest(t, func(h *house) { h.run(s, h.policy(profile), `true`) }) - plain
			t.Logf("%s in %s adds %v", backend, profile, added)
			if added > most {
				t.Errorf("%s in %s adds %v, want at most %v", backend, profile, added, most)
			}
		}
	}
}

func fastest(t *testing.T, run func(*house)) time.Duration {
	h := newHouse(t)
	var took []time.Duration
	for range 150 {
		began := time.Now()
		run(h)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/10]
}
