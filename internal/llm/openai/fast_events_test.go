package openai

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"agent/internal/llm/lenientjson"
)

const alikeEvent = `{"id":"x","created":%d,"model":"m","choices":[{"index":0,"delta":{%s"content":%s},"finish_reason":null}],"usage":null}`

// An event that resembles the previous event is decoded as if it were alone, whatever its text.
func TestEventsThatAreAlike(t *testing.T) {
	t.Parallel()
	var events alike
	for _, text := range []string{
		`"a"`, `"b"`, `""`, `"line\nend \"quoted\" \\"`, `"\u00e9 日本 \ud83d\ude00"`, `"\ud83d"`, `null`, `"c"`, `["d"]`, `"<think>"`, `"\"}"`,
		`"e","content":"f"`, `"g","tool_calls":[{"index":0,"function":{"name":"h"}}]`, `"i`, `"\"`, "\"\x01\"", "\"\xff\"", `"\x"`,
	} {
		for _, more := range []string{"", `"role":"assistant",`, `"reasoning":"\"content\":\"\"",`} {
			for range 3 {
				data := []byte(fmt.Sprintf(alikeEvent, 7, more, text))
				if want, got := lenientjson.Decode[chatEvent](data), events.read(data); !reflect.DeepEqual(want, got) {
					t.Errorf("%s is read as\n%+v, want\n%+v", data, got, want)
				}
			}
		}
	}
}

// The decoder stops learning from events that do not resemble each other.
func TestEventsThatAreNotAlikeAreNotLearned(t *testing.T) {
	t.Parallel()
	var events alike
	for i := range 100 {
		events.read([]byte(fmt.Sprintf(alikeEvent, i, "", `"a"`)))
	}
	if events.misses != mostMisses {
		t.Errorf("learned %d times", events.misses)
	}
}

func FuzzAlike(f *testing.F) {
	f.Add(`{"choices":[{"delta":{"content":"`, `"}}]}`, "a", `b\n`)
	f.Add(`{"choices":[{"delta":{"content":"`, `"},"index":1}]}`, `\`, `"`)
	f.Add(`{"choices":[{"delta":{"content":"`, `"}}]}`, "\x99", `b\0`)
	f.Fuzz(func(t *testing.T, before, after, one, two string) {
		var events alike
		for _, text := range []string{one, two, one} {
			data := []byte(before + text + after)
			if want, got := lenientjson.Decode[chatEvent](data), events.read(data); !reflect.DeepEqual(want, got) {
				t.Fatalf("%q is read as %+v, want %+v", data, got, want)
			}
		}
	})
}

func BenchmarkEvents(b *testing.B) {
	data := []byte(strings.Replace(fmt.Sprintf(alikeEvent, 7, "", `"a chunk of text "`), "x", "chatcmpl-0123456789", 1))
	b.Run("alike", func(b *testing.B) {
		var events alike
		for b.Loop() {
			events.read(data)
		}
	})
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			lenientjson.Decode[chatEvent](data)
		}
	})
}
