package session

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/history"
	"agent/internal/tokens"
)

// BenchmarkResume measures resuming a long session with -c: reading the log and counting the tokens
// of the context. The limits are 0.3 s for 10 MB and 2 s for 100 MB, also without a warm cache.
func BenchmarkResume(b *testing.B) {
	counter := tokens.NewCounter(tokens.O200K)
	for _, megabytes := range []int{10, 100} {
		b.Run(fmt.Sprintf("%dMB", megabytes), func(b *testing.B) {
			o := options(b)
			path := recordSession(b, o, counter, megabytes<<20)
			b.ResetTimer()
			for b.Loop() {
				state, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				service := history.NewService(counter, nil)
				if err := service.Restore(state.Entries); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(service.TotalTokens()), "tokens")
			}
		})
	}
}

// recordSession records a coding session of about size bytes: some questions, and reads, searches
// and edits of the source files of this package.
func recordSession(b *testing.B, o Options, counter history.Counter, size int) string {
	random := rand.New(rand.NewSource(1))
	source := sourceFiles(b)
	some := func(n int) string {
		start := random.Intn(len(source) - n)
		return string(source[start : start+n])
	}
	l := create(b, o)
	weaken(l).room = size * 2
	h := history.NewService(counter, l.Observe)
	for i := 0; l.disk.size < int64(size); i++ {
		id, path := fmt.Sprint("call_", i), fmt.Sprintf("internal/session/file%d.go", i%40)
		var call *history.ToolCall
		result := some(200)
		switch i % 4 {
		case 0:
			must(b, h.Add(history.HumanText("please change this: "+some(300))))
			call = &history.ToolCall{ID: id, Name: "search_file_content", Parameters: []byte(`{"pattern":"func"}`)}
			result = some(2_000)
		case 3:
			call = &history.ToolCall{ID: id, Name: "replace", Parameters: []byte(toJSON(b, map[string]string{"file_path": path, "old_string": some(400), "new_string": some(500)}))}
		default:
			call = &history.ToolCall{ID: id, Name: "read_file", Parameters: []byte(`{"file_path":"` + path + `"}`)}
			result = some(6_000)
		}
		must(b, h.Add(history.New(history.AI, &history.Text{Text: "I look at the next file."}, call)))
		must(b, h.Add(history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: call.Name, Result: history.TextResult(result)})))
	}
	closeLog(b, l)
	return l.Path()
}

func sourceFiles(b *testing.B) []byte {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		b.Fatal(err)
	}
	var all bytes.Buffer
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(data)
	}
	return all.Bytes()
}
