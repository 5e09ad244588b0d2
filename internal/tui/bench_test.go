package tui

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// afterSession returns a screen after a session of n messages.
func afterSession(b *testing.B, n int) *screenplay {
	s := newScreenplay(b, 120, 40)
	s.model.surface.colors = style.Colors16
	s.model.surface.theme = nil
	s.model.surface.chooseTheme()
	for range n {
		s.events(chat.UserMessage{Text: "again"}, chat.TextDelta{Delta: "one two three\n\n"}, chat.ReplyEnded{},
			chat.ToolEnded{Traits: reading, Label: labelOf("read_file a.go"), Answer: tools.Answer{Text: "x"}})
		s.printed = nil
	}
	return s
}

// BenchmarkKey measures a key press from Update to the bytes for the terminal. A long session must
// not increase the time.
func BenchmarkKey(b *testing.B) {
	for _, messages := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("after-%d-messages", messages), func(b *testing.B) {
			s := afterSession(b, messages)
			out := term.NewScreen(io.Discard, nil)
			keys := []term.Key{{Name: "x", Text: "x"}, {Name: "backspace"}}
			for i := 0; b.Loop(); i++ {
				s.model.update(inputMsg{keys[i%2]})
				out.Post(s.model.frame())
				out.Flush()
			}
		})
	}
}

// BenchmarkReply measures a reply of 3,000 chunks that arrives within 0.3 s. The mailbox delivers
// it in nine parts, and all blocks are rendered and painted.
func BenchmarkReply(b *testing.B) {
	var text strings.Builder
	for i := range 3000 {
		switch {
		case i%300 == 299:
			text.WriteString("\n\n```go\nfunc f(x int) string {\n\treturn fmt.Sprint(x) // text\n}\n```\n\n")
		case i%60 == 59:
			text.WriteString("\n\n")
		default:
			text.WriteString("chunk of **text** ")
		}
	}
	whole := text.String()
	b.SetBytes(int64(len(whole)))
	s := afterSession(b, 0)
	out := term.NewScreen(io.Discard, nil)
	for b.Loop() {
		s.model.update(eventsMsg{chat.TurnStarted{}})
		for rest := whole; rest != ""; {
			n := min(len(rest), len(whole)/9+1)
			s.model.update(eventsMsg{chat.TextDelta{Delta: rest[:n]}})
			out.Post(s.model.frame())
			out.Flush()
			rest = rest[n:]
		}
		s.model.update(eventsMsg{chat.ReplyEnded{}, chat.TurnEnded{}})
	}
}

// BenchmarkMarkdown measures rendering of closed blocks with highlighted code.
