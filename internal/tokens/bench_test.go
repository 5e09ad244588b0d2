package tokens

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const mebibyte = 1 << 20

// sourceCode returns about a mebibyte of Go: the standard library's net/http.
func sourceCode(b *testing.B) string {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "net", "http", "*.go"))
	if err != nil || len(files) == 0 {
		b.Skip("no Go source tree here")
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

// adversarial are texts of a mebibyte that make a careless counter quadratic.
var adversarial = map[string]func() string{
	"letter":   func() string { return strings.Repeat("a", mebibyte) },
	"capital":  func() string { return strings.Repeat("A", mebibyte) },
	"spaces":   func() string { return strings.Repeat(" ", mebibyte) },
	"newlines": func() string { return strings.Repeat("\n", mebibyte) },
	"rule":     func() string { return strings.Repeat("=", mebibyte) },
	"digits":   func() string { return strings.Repeat("7", mebibyte) },
	"marks":    func() string { return strings.Repeat("\u0301", mebibyte/2) },
	"invalid":  func() string { return strings.Repeat("\xff", mebibyte) },
	"camel":    func() string { return strings.Repeat("漢AAAAAAAAAAAAAAAAAAAAAAAAAAAAA", mebibyte/32) },
	"cjk":      cjk,
	"base64":   base64Text,
	"onepiece": func() string { return letters(mebibyte) },
	"stairs":   func() string { return strings.Repeat("\n"+strings.Repeat(" ", 1023), mebibyte/1024) },
}

// cjk is a text of frequent Han characters without any punctuation.
func cjk() string {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for text.Len() < mebibyte {
		text.WriteRune(rune(0x4e00 + random.IntN(0x9fff-0x4e00)))
	}
	return text.String()
}

func base64Text() string {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, mebibyte*3/4)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return base64.StdEncoding.EncodeToString(data)
}

// letters returns n random letters, one single piece.
func letters(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('a' + random.IntN(26))
	}
	return string(text)
}

func benchmarkCount(b *testing.B, text string) {
	for _, enc := range encodings {
		b.Run(string(enc), func(b *testing.B) {
			counter := counterFor(enc)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				counter.Count(text)
			}
		})
	}
}

func BenchmarkCountSource(b *testing.B) { benchmarkCount(b, sourceCode(b)) }

func BenchmarkCountAdversarial(b *testing.B) {
	for name, text := range adversarial {
		b.Run(name, func(b *testing.B) { benchmarkCount(b, text()) })
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, enc := range encodings {
		b.Run(string(enc), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				<-Load(enc).Ready()
			}
		})
	}
}
