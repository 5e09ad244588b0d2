//go:build bench

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNumbers measures the built program as a user experiences it and prints a table. It fails only
// if a number misses its target by more than a factor of two, because machines are shared.
func TestNumbers(t *testing.T) {
	for _, n := range []struct {
		name   string
		target float64
		unit   string
		runs   int
		once   func(t *testing.T) float64
	}{
		{"binary", 30, "MB", 1, binarySize},
		{"first paint after exec", 50, "ms", 11, func(t *testing.T) float64 { return firstPaint(t, true) }},
		{"first paint, silent terminal", 50, "ms", 11, func(t *testing.T) float64 { return firstPaint(t, false) }},
		{"idle memory (PSS) after 3 s", 40, "MB", 3, idleMemory},
		{"idle CPU in 3 s", 1, "ms", 3, idleCPU},
		{"Enter to request, first", 15, "ms", 7, enterToRequest},
		{"Enter to request, 200k tokens", 15, "ms", 5, enterToRequestLarge},
		{"@files of 200k tokens to request", 1000, "ms", 3, filesToRequest},
		{"3000 chunks, CPU", 200, "ms", 5, func(t *testing.T) float64 { cpu, _ := manyChunks(t); return cpu }},
		{"3000 chunks, on screen", 300, "ms", 5, func(t *testing.T) float64 { _, shown := manyChunks(t); return shown }},
		{"keystroke to paint", 16, "ms", 1, func(t *testing.T) float64 { return keystroke(t, 0) }},
		{"keystroke to paint, long session", 16, "ms", 1, func(t *testing.T) float64 { return keystroke(t, 40) }},
	} {
		t.Run(n.name, func(t *testing.T) {
			values := make([]float64, n.runs)
			for i := range values {
				values[i] = n.once(t)
			}
			median := middle(values)
			fmt.Printf("%-34s %8.1f %-3s (target %g, %d runs, %.1f to %.1f)\n", n.name, median, n.unit, n.target, n.runs, slices.Min(values), slices.Max(values))
			if median > 2*n.target {
				t.Errorf("%.1f %s, more than twice the target of %g", median, n.unit, n.target)
			}
		})
	}
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func binarySize(t *testing.T) float64 {
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatalf("%v; run make build first", err)
	}
	return float64(info.Size()) / 1e6
}

// timedModel is a model server that records the arrival times of requests. It does not check them:
// checking a request of 200 000 tokens takes longer than sending it.
type timedModel struct {
	url  string
	came chan arrival
}

type arrival struct {
	at    time.Time
	bytes int64
}

// newTimedModel answers every request with the same deltas.
func newTimedModel(t *testing.T, deltas ...string) timedModel {
	m := timedModel{came: make(chan arrival, 1000)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		bytes, _ := io.Copy(io.Discard, r.Body)
		m.came <- arrival{time.Now(), bytes}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, delta := range deltas {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", delta)
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	m.url = server.URL + "/v1"
	return m
}

func firstPaint(t *testing.T, answers bool) float64 {
	c := newConsole(t, answers, t.TempDir(), newTimedModel(t).url)
	defer c.close()
	return ms(c.ready().Sub(c.began))
}

func idleMemory(t *testing.T) float64 {
	c := newConsole(t, true, t.TempDir(), newTimedModel(t).url)
	defer c.close()
	c.ready()
	time.Sleep(3 * time.Second)
	return float64(c.pss()) / 1e6
}

func idleCPU(t *testing.T) float64 {
	c := newConsole(t, true, t.TempDir(), newTimedModel(t).url)
	defer c.close()
	c.ready()
	time.Sleep(3 * time.Second)
	before := c.cpu()
	time.Sleep(3 * time.Second)
	return ms(c.cpu() - before)
}

func enterToRequest(t *testing.T) float64 {
	m := newTimedModel(t, "Yes.")
	c := newConsole(t, true, t.TempDir(), m.url)
	defer c.close()
	c.ready()
	pressed := c.say("are you there?")
	return ms((<-m.came).at.Sub(pressed))
}

// large returns a session with files of 200 000 tokens, and the time when Enter was pressed.
func large(t *testing.T, m timedModel) (*consoleRun, time.Time) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2 {
		// 90 000 of these words are about 100 000 tokens, which fit into the limit of a file.
		var b strings.Builder
		for j := range 90_000 {
			fmt.Fprintf(&b, "%s ", vocabulary[random.IntN(len(vocabulary))])
			if j%12 == 11 {
				b.WriteByte('\n')
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := newConsole(t, true, dir, m.url, "--set", "context-limit=400000")
	c.ready()
	return c, c.say("read @f0.txt and @f1.txt z")
}

// large returns the arrival of a request with the files of the function large.
func (m timedModel) large(t *testing.T) arrival {
	came := <-m.came
	if came.bytes < 800_000 {
		t.Errorf("the request has %d bytes; the files are not in it", came.bytes)
	}
	return came
}

var vocabulary = strings.Fields("the context of a turn is counted before each request so that what is sent fits func return err nil if := {} [] 42 string")

func filesToRequest(t *testing.T) float64 {
	m := newTimedModel(t, "Yes.")
	c, pressed := large(t, m)
	defer c.close()
	return ms(m.large(t).at.Sub(pressed))
}

func enterToRequestLarge(t *testing.T) float64 {
	m := newTimedModel(t, "Certainly.")
	c, _ := large(t, m)
	defer c.close()
	m.large(t)
	c.until(0, "Certainly.")
	c.rest(200 * time.Millisecond)
	pressed := c.say("and now?")
	return ms(m.large(t).at.Sub(pressed))
}

// manyChunks measures a reply of 3 000 chunks, from its request on.
func manyChunks(t *testing.T) (cpu, shown float64) {
	deltas := make([]string, 0, 3001)
	for i := range 3000 {
		delta := fmt.Sprintf("word%d ", i)
		if i%15 == 14 {
			delta += "\n"
		}
		if i%90 == 89 {
			delta += "\n"
		}
		deltas = append(deltas, delta)
	}
	m := newTimedModel(t, append(deltas, "THEEND.")...)
	c := newConsole(t, true, t.TempDir(), m.url)
	defer c.close()
	c.ready()
	c.rest(200 * time.Millisecond)
	before := c.cpu()
	c.say("go")
	began := (<-m.came).at
	shownAt := c.until(0, "THEEND")
	c.rest(300 * time.Millisecond)
	return ms(c.cpu() - before), ms(shownAt.Sub(began))
}

// keystroke returns the median time from a key to its paint, in a session with the given number of
// long replies.
func keystroke(t *testing.T, replies int) float64 {
	m := newTimedModel(t, strings.Repeat("a line of a long reply, with `code` and **weight**\n\n", 200), "Certainly.")
	c := newConsole(t, true, t.TempDir(), m.url)
	defer c.close()
	c.ready()
	for range replies {
		mark := c.mark()
		c.say("more")
		c.until(mark, "Certainly.")
		c.until(mark, "Ask for something")
	}
	c.rest(300 * time.Millisecond)
	var times []float64
	for i := range 41 {
		key := string(rune('A' + i%26))
		mark := c.mark()
		pressed := time.Now()
		c.write(key)
		times = append(times, ms(c.until(mark, key).Sub(pressed)))
		c.rest(40 * time.Millisecond)
	}
	return middle(times)
}
