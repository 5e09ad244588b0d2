package history

import (
	"fmt"
	"testing"
)

// session returns a history of n entries as in a coding session. Every second entry calls a tool,
// and the next entry has a result of a few hundred bytes.
func session(n int) []*Content {
	entries := make([]*Content, 0, n)
	for i := 0; len(entries) < n; i++ {
		id := fmt.Sprint(i)
		entries = append(entries,
			New(AI, &Text{Text: "Let me look at the next file."}, &ToolCall{ID: id, Name: "read_file", Parameters: []byte(`{"file_path":"/w/` + id + `"}`)}),
			New(Tool, &ToolResponse{CallID: id, ToolName: "read_file", Result: TextResult(fmt.Sprintf("%0400d", i))}))
	}
	return entries[:n]
}

// tenth returns a density result that removes a tenth of n entries and edits another tenth.
func tenth(entries []*Content) DensityResult {
	r := DensityResult{Replacements: map[int]*Content{}}
	for i := 0; i+1 < len(entries); i += 10 {
		r.Removals = append(r.Removals, i)
		r.Replacements[i+1] = entries[i+1].WithBlocks([]Block{&ToolResponse{Result: TextResult("[gone]")}})
	}
	return r
}

// BenchmarkApplyAndRecalculate measures applying a result and counting again. The goal is linear
// time, and at most 1 ms with 2,000 entries. Filling the service is not timed.
func BenchmarkApplyAndRecalculate(b *testing.B) {
	for _, n := range []int{2_000, 20_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			entries := session(n)
			result := tenth(entries)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				s := NewService(byteCounter{}, nil)
				if err := s.Restore(entries); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := s.ApplyDensityResult(result); err != nil {
					b.Fatal(err)
				}
				s.RecalculateTotalTokens()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
		})
	}
}

func BenchmarkRecalculateTotalTokens(b *testing.B) {
	s := NewService(byteCounter{}, nil)
	if err := s.Restore(session(2_000)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.RecalculateTotalTokens()
	}
}

func BenchmarkAdd(b *testing.B) {
	entries := session(2_000)
	s := NewService(byteCounter{}, nil)
	for i := 0; b.Loop(); i++ {
		if err := s.Add(entries[i%len(entries)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeEntry(b *testing.B) {
	data, err := session(2)[1].MarshalJSON()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := new(Content).UnmarshalJSON(data); err != nil {
			b.Fatal(err)
		}
	}
}
