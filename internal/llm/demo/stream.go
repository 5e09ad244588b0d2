package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// The pace of the demo: quick enough not to bore, slow enough to see it stream.
const (
	pieceSize  = 14 // characters
	pieceDelay = 12 * time.Millisecond
	firstDelay = 150 * time.Millisecond
)

// chunk is one event of a streamed chat completion.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role      string          `json:"role,omitempty"`
	Content   string          `json:"content,omitempty"`
	ToolCalls []toolCallDelta `json:"tool_calls,omitempty"`
}

type toolCallDelta struct {
	Index    int           `json:"index"`
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// stream writes one reply as server-sent events. After the first error, which
// means that the client has left, it does nothing more.
type stream struct {
	ctx   context.Context
	w     http.ResponseWriter
	pause func(context.Context, time.Duration) error
	frame chunk
	err   error
}

// reply streams words, calls, the reason of the end and, if usage is not nil, the
// usage.
func (s *stream) reply(text string, calls []toolCall, usage *usage) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.wait(firstDelay)
	s.send(delta{Role: "assistant"}, "")
	for piece := range pieces(text) {
		s.send(delta{Content: piece}, "")
		s.wait(pieceDelay)
	}
	reason := "stop"
	for i, call := range calls {
		reason = "tool_calls"
		s.send(delta{ToolCalls: []toolCallDelta{{Index: i, ID: call.ID, Type: "function", Function: functionDelta{Name: call.Function.Name}}}}, "")
		for piece := range pieces(call.Function.Arguments) {
			s.send(delta{ToolCalls: []toolCallDelta{{Index: i, Function: functionDelta{Arguments: piece}}}}, "")
			s.wait(pieceDelay)
		}
	}
	s.send(delta{}, reason)
	if usage != nil {
		last := s.frame
		last.Choices, last.Usage = []choice{}, usage
		s.event(last)
	}
	s.write("data: [DONE]\n\n")
}

func (s *stream) send(d delta, reason string) {
	event := s.frame
	event.Choices = []choice{{Delta: d}}
	if reason != "" {
		event.Choices[0].FinishReason = &reason
	}
	s.event(event)
}

func (s *stream) event(c chunk) {
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

// pieces cuts text into pieces of about pieceSize characters, after a space where
// there is one.
func pieces(text string) func(yield func(string) bool) {
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
