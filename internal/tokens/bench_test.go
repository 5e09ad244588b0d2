package tokens

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkCountSource measures counting of source code. The goal is at least 20 MB/s.
func BenchmarkCountSource(b *testing.B) { benchmarkCount(b, sourceCode(b)) }

// BenchmarkCountAdversarial measures the adversarial texts. The goal is at most 0.5 s for 1 MiB.
func BenchmarkCountAdversarial(b *testing.B) {
	for name, text := range adversarial {
		b.Run(name, func(b *testing.B) { benchmarkCount(b, text(1<<20)) })
	}
}

func benchmarkCount(b *testing.B, text string) {
	for _, enc := range encodings {
		b.Run(string(enc), func(b *testing.B) {
			counter := NewCounter(enc)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				counter.count(text)
			}
		})
	}
}

// sourceCode returns nearly two megabytes of Go code from the standard library's net/http.
func sourceCode(b *testing.B) string {
	files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "http", "*.go"))
	if err != nil || len(files) == 0 {
		b.Skip("there is no Go source tree here")
	}
	var text strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(content)
	}
	return text.String()
}
