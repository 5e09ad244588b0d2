package sse

import (
	"encoding/json"
	"strings"
	"testing"
)

// BenchmarkIsWhole checks an event of 300 bytes, which is usual in a stream, and one of 20 kB.
func BenchmarkIsWhole(b *testing.B) {
	for size, text := range map[string]string{"300B": strings.Repeat("word ", 40), "20kB": strings.Repeat("word ", 4000)} {
		event := []byte(`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`)
		for name, whole := range map[string]func([]byte) bool{"direct": isWhole, "plain": json.Valid} {
			b.Run(size+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if !whole(event) {
						b.Fatal("the event is not whole")
					}
				}
			})
		}
	}
}
