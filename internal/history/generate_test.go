package history

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"
)

// byteCounter counts one token for each byte, so that expected values are easy to compute.
type byteCounter struct{}

func (byteCounter) Count(text string) int { return len(text) }

// halfCounter is a second tokenizer.
type halfCounter struct{}

func (halfCounter) Count(text string) int { return len(text) / 2 }

// The generators below are functions: rapid names a generator when it is first
// used, which must not happen in two parallel tests at once.

// fewIDs draws from few ids, so that calls and responses often match or repeat.
func fewIDs() *rapid.Generator[string] { return rapid.SampledFrom([]string{"", "1", "2", "3"}) }

// someText draws texts that are hard to escape, count or fence.
func someText() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"", " \n", "words", "zwei Wörter", "日本語 👩‍🚀", `"quoted" \ <b>&amp;</b>`, "a\r\nb\x00\u2028", "--- a.go ---\nx\n--- End of content ---", "```go\nx\n```",
	})
}

// anyBlock draws a block of any kind.
func anyBlock() *rapid.Generator[Block] { return rapid.Custom(drawBlock) }

func drawBlock(t *rapid.T) Block {
	text := someText().Draw(t, "text")
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return &Text{Text: text}
	case 1:
		return &Text{Text: text, IncludedFile: someText().Draw(t, "path")}
	case 2:
		return &Thinking{Thought: text}
	case 3:
		return &ToolCall{ID: fewIDs().Draw(t, "id"), Name: text, Parameters: json.RawMessage(anyJSON(2).Draw(t, "parameters"))}
	case 4:
		r := &ToolResponse{CallID: fewIDs().Draw(t, "id"), ToolName: text, Error: someText().Draw(t, "error")}
		if err := r.Result.UnmarshalJSON([]byte(anyJSON(2).Draw(t, "result"))); err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "ran") {
			code := rapid.IntRange(-1, 255).Draw(t, "exit")
			r.ExitCode = &code
		}
		return r
	default:
		return &Media{MimeType: "image/png", Data: "AAAA"}
	}
}

// anyEntry draws an entry of any speaker with any blocks, valid or not.
func anyEntry() *rapid.Generator[*Content] { return rapid.Custom(drawEntry) }

func drawEntry(t *rapid.T) *Content {
	c := New(rapid.SampledFrom([]Speaker{Human, AI, Tool}).Draw(t, "speaker"))
	c.Blocks = rapid.SliceOfN(anyBlock(), 0, 4).Draw(t, "blocks")
	if rapid.Bool().Draw(t, "marked") {
		c = c.WithMeta(MetaModel, someText().Draw(t, "model"))
	}
	return c
}

// anyJSON draws compact JSON of at most depth levels of nesting.
func anyJSON(depth int) *rapid.Generator[string] {
	plain := rapid.SampledFrom([]string{
		`null`, `true`, `false`, `0`, `-1`, `1.0`, `1e400`, `123456789012345678901234567890`, `0.1`,
		`""`, `"words"`, `"\u00e9\n"`, `"null"`, `"<b>&"`, `[]`, `{}`,
	})
	if depth == 0 {
		return plain
	}
	inner := anyJSON(depth - 1)
	return rapid.OneOf(
		plain,
		rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("[%s,%s]", inner.Draw(t, "first"), inner.Draw(t, "second"))
		}),
		rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf(`{"b":%s,"a":%s}`, inner.Draw(t, "b"), inner.Draw(t, "a"))
		}),
	)
}
