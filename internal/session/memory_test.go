package session

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"agent/internal/history"
)

// A log of 100 MB is resumed in 2 s, also without a warm cache. The memory depends on the size of
// the context and not on the log.
func TestMemoryOfAResumeFollowsTheContext(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs with -short, throws pooled memory away at random")
	}
	const context = 200_000 // bytes, about the size of a request
	for _, test := range []struct {
		name  string
		entry int // bytes
		// held is the limit of additional memory at any time, in bytes: the longest line in two
		// forms, and the position of each record.
		held uint64
	}{
		{"usual entries", 5_000, 1 << 20},
		{"few long ones", 1 << 19, 2 << 20},
		{"many short ones", 50, 4 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := longSession(t, 6<<20, test.entry, context)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := Replay(bytes.NewReader(log)); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			asked := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(log))
			w := &watched{Reader: bytes.NewReader(log)}
			w.look()
			idle := w.most
			state, err := Replay(w)
			if err != nil {
				t.Fatal(err)
			}
			w.look()
			held := w.most - idle
			t.Logf("%d MB of %d records: %d kB held, %.1f bytes asked for each of the log, %d entries", len(log)>>20, state.seq, held>>10, asked, len(state.Entries))
			if held > test.held+context {
				t.Errorf("%d kB were held", held>>10)
			}
			if usual := test.entry >= 5_000; usual && asked > 2.5 {
				t.Errorf("%.1f bytes were asked for each of the log", asked)
			}
			runtime.KeepAlive(state)
		})
	}
}

// watched is a reader that measures the memory in use after every megabyte.
type watched struct {
	*bytes.Reader
	since int
	most  uint64
}

func (w *watched) ReadAt(data []byte, at int64) (int, error) {
	n, err := w.Reader.ReadAt(data, at)
	if w.since += n; w.since > 1<<20 {
		w.since = 0
		w.look()
	}
	return n, err
}

func (w *watched) look() {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	w.most = max(w.most, now.HeapAlloc)
}

// longSession returns the log of a session of about size bytes. Whenever the context reaches a
// size, a summary replaces it.
func longSession(t *testing.T, size, entry, context int) []byte {
	t.Helper()
	l := create(t, options(t))
	weaken(l).room = 2 * size
	h := newHistory(l.Observe)
	text := strings.Repeat("some text of a reply\n", entry/20)
	for i := 0; l.disk.size < int64(size); i++ {
		must(t, h.Add(history.New(history.Human, &history.Text{Text: fmt.Sprint(i, text)})))
		if h.TotalTokens() < context {
			continue
		}
		must(t, h.Rebuild("summary", func(entries []*history.Content, _ []int) (history.RebuiltHistory, error) {
			return history.RebuiltHistory{Entries: append([]*history.Content{history.HumanText("summary").WithMeta(history.MetaSummary, true)}, entries[len(entries)-1:]...)}, nil
		}))
	}
	closeLog(t, l)
	log, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	return log
}
