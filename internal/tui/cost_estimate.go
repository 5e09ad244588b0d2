package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/style"
)

// estimate is the line with the estimated cost of the message that is being typed.
type estimate struct {
	surface *surface
	// line returns a function that makes the line for a message. It is nil if costs are unknown.
	line func() func(ctx context.Context, typed string) string
	// text is the line for the message of. running is set while another line is being made.
	text, of string
	running  bool
}

// ask returns a command that makes the line for the typed text, unless there is already one. It makes no
// line for text that is not a message.
func (e *estimate) ask(typed string) tea.Cmd {
	if typed = strings.TrimSpace(typed); typed == "" || strings.HasPrefix(typed, "!") || strings.HasPrefix(typed, "/") {
		e.text, e.of = "", ""
		return nil
	}
	if e.running || typed == e.of || e.line == nil {
		return nil
	}
	line := e.line()
	if line == nil {
		e.text = ""
		return nil
	}
	e.running, e.of = true, typed
	return guardPanic(func() tea.Msg {
		text := line(e.surface.ctx, typed)
		return thenDo(func() { e.running, e.text = false, text })
	})
}

// view returns the line, wrapped, or nil if there is none.
func (e *estimate) view(width int) []string {
	if e.text == "" {
		return nil
	}
	return style.WrapSpans(style.Spans{{Text: e.text, Style: e.surface.theme.Dim}}, width)
}
