package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/sashabaranov/go-openai"

	"agent/internal/tokens"
)

// The speed of the demo: slow enough that the user can see the reply stream.
const (
	pieceSize  = 14 // pieceSize is in characters
	pieceDelay = 12 * time.Millisecond
	firstDelay = 150 * time.Millisecond
)

// stream writes one reply as server-sent events. After the first error, which means that the client has
// disconnected, it writes nothing more.
type stream struct {
	ctx   context.Context
	w     http.ResponseWriter
	pause func(context.Context, time.Duration) error
	frame openai.ChatCompletionStreamResponse
	err   error
}

// reply streams the text, the calls, the finish reason and, if usage is not nil, the usage.
func (s *stream) reply(text string, calls []openai.ToolCall, usage *openai.Usage) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.wait(firstDelay)
	s.send(openai.ChatCompletionStreamChoiceDelta{Role: "assistant"}, "")
	for piece := range pieces(text) {
		s.send(openai.ChatCompletionStreamChoiceDelta{Content: piece}, "")
		s.wait(pieceDelay)
	}
	reason := openai.FinishReasonStop
	for i, call := range calls {
		reason = openai.FinishReasonToolCalls
		s.call(openai.ToolCall{Index: &i, ID: call.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: call.Function.Name}})
		for piece := range pieces(call.Function.Arguments) {
			s.call(openai.ToolCall{Index: &i, Function: openai.FunctionCall{Arguments: piece}})
			s.wait(pieceDelay)
		}
	}
	s.send(openai.ChatCompletionStreamChoiceDelta{}, reason)
	if usage != nil {
		s.frame.Choices, s.frame.Usage = []openai.ChatCompletionStreamChoice{}, usage
		s.event(s.frame)
	}
	s.write("data: [DONE]\n\n")
}

func (s *stream) call(piece openai.ToolCall) {
	s.send(openai.ChatCompletionStreamChoiceDelta{ToolCalls: []openai.ToolCall{piece}}, "")
}

func (s *stream) send(d openai.ChatCompletionStreamChoiceDelta, reason openai.FinishReason) {
	event := s.frame
	event.Choices = []openai.ChatCompletionStreamChoice{{Delta: d, FinishReason: reason}}
	s.event(event)
}

func (s *stream) event(c openai.ChatCompletionStreamResponse) {
	data, err := json.Marshal(c)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.write(fmt.Sprintf("data: %s\n\n", data))
}

func (s *stream) write(event string) {
	if s.err != nil {
		return
	}
	if _, s.err = s.w.Write([]byte(event)); s.err == nil {
		s.err = http.NewResponseController(s.w).Flush()
	}
}

func (s *stream) wait(d time.Duration) {
	if s.err == nil {
		s.err = s.pause(s.ctx, d)
	}
}

// pieces cuts text into pieces of about pieceSize characters. A piece ends after a space if there
// is one.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := min(pieceSize, len(text))
			if space := strings.IndexByte(text[n:], ' '); space >= 0 && space < pieceSize {
				n += space + 1
			}
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n++
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// counter counts with the tokenizer that the program uses for the model. So the usage and the
// savings that the program computes agree.
var counter = tokens.NewCounter(tokens.EncodingFor(Model))

// prefixCache simulates the cache of a provider. The common prefix of a request and the previous
// request counts as cached.
type prefixCache struct {
	mu       sync.Mutex
	previous string
}

// account returns the usage of a request with the answer completion. It stores the request for the
// comparison with the next.
func (p *prefixCache) account(r request, completion string) *openai.Usage {
	prompt := promptText(r)
	p.mu.Lock()
	shared := 0
	for shared < min(len(p.previous), len(prompt)) && p.previous[shared] == prompt[shared] {
		shared++
	}
	p.previous = prompt
	p.mu.Unlock()
	u := &openai.Usage{PromptTokens: counter.Count(prompt), CompletionTokens: counter.Count(completion)}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	u.PromptTokensDetails = &openai.PromptTokensDetails{CachedTokens: min(counter.Count(prompt[:shared]), u.PromptTokens)}
	return u
}

// promptText returns a request as one text in the order of a prompt: the tools, then the messages.
func promptText(r request) string {
	var b strings.Builder
	for _, tool := range r.Tools {
		b.Write(tool)
	}
	for _, m := range r.Messages {
		b.WriteString("\n" + m.Role + "\n" + textOf(m))
		for _, call := range m.ToolCalls {
			b.WriteString("\n" + call.Function.Name + call.Function.Arguments)
		}
	}
	return b.String()
}
