package compression

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"agent/internal/history"
)

// session returns a synthetic session of n entries: turns with an @ inclusion, reads, searches,
// edits and an answer. If stale is set, files are read again before they are edited, so that
// density prunes everywhere.
func session(n int, stale bool) []*history.Content {
	result := strings.Repeat("a line of some result\n", 20)
	entries := make([]*history.Content, 0, n+16)
	add := func(id, tool, parameters string) {
		entries = append(entries, A(call(id, tool, parameters)), T(res(id, tool, result)))
	}
	for turn := 0; len(entries) < n; turn++ {
		file := fmt.Sprintf("/w/src/file%d.go", turn)
		if stale {
			file = fmt.Sprintf("/w/src/file%d.go", turn%50)
		}
		id := func(k int) string { return fmt.Sprintf("call_%d_%d", turn, k) }
		entries = append(entries, H("please fix "+file, history.NewInclusion(file, result)))
		add(id(0), "grep", fmt.Sprintf(`{"pattern":"func F%d"}`, turn))
		if stale {
			add(id(1), "read_file", file)
		}
		add(id(2), "replace", file)
		add(id(3), "run_shell_command", `{"command":"go test ./..."}`)
		if !stale {
			add(id(4), "read_file", file)
		}
		entries = append(entries, A("done with it"))
	}
	return entries[:n]
}

// BenchmarkOptimize reports ns/entry. It should be at most 1 µs. At 100 000 entries it should be at
// most 1.5 times the value at 2 000.
func BenchmarkOptimize(b *testing.B) {
	for _, c := range []struct {
		name   string
		stale  bool
		config DensityConfig
	}{
		{"nothing to do", false, defaults()},
		{"stale reads and duplicates", true, defaults()},
		{"recency too", true, recency(3)},
	} {
		for _, n := range []int{2_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s, %d entries", c.name, n), func(b *testing.B) {
				entries := session(n, c.stale)
				if _, err := (highDensity{}).Optimize(entries, c.config); err != nil { // parses parameters
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := (highDensity{}).Optimize(entries, c.config); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
			})
		}
	}
}

// The first run on a history also parses the parameters of its calls.
func BenchmarkOptimizeFirst(b *testing.B) {
	for _, n := range []int{2_000, 100_000} {
		b.Run(fmt.Sprintf("%d entries", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				entries := session(n, true)
				b.StartTimer()
				if _, err := (highDensity{}).Optimize(entries, recency(3)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
		})
	}
}

func BenchmarkCompress(b *testing.B) {
	for _, s := range truncatingStrategies {
		for _, n := range []int{2_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s, %d entries", s.Name(), n), func(b *testing.B) {
				c := Context{History: session(n, true), Tokens: make([]int, n), Count: func(*history.Content) int { return 20 }}
				for i := range c.Tokens {
					c.Tokens[i] = 100
				}
				c.ContextLimit, c.Threshold, c.PreserveThreshold, c.Facts = n*20, 0.85, 0.2, testFacts
				b.ReportAllocs()
				for b.Loop() {
					if r, err := s.Compress(context.Background(), c); err != nil || !r.Applied || len(r.NewHistory) > n/2 {
						b.Fatal(r.Reason, err, len(r.NewHistory))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
			})
		}
	}
}
