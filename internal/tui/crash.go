package tui

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// crashMsg carries a panic from a command's goroutine to the event loop, where Run
// can give the terminal back before it reports it.
type crashMsg struct {
	value any
	stack []byte
}

// guarded makes a command's panic a crashMsg. No command stays none.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if value := recover(); value != nil {
				msg = crashMsg{value, debug.Stack()}
			}
		}()
		return cmd()
	}
}

// crashed logs a panic and returns the error the user sees.
func crashed(value any, log *slog.Logger, logPath string) error {
	stack := debug.Stack()
	if c, ok := value.(crashMsg); ok {
		value, stack = c.value, c.stack
	}
	if log != nil {
		log.Error("the interface crashed", "panic", fmt.Sprint(value), "stack", string(stack))
	}
	err := fmt.Errorf("the interface crashed: %v; the session is saved", value)
	if logPath != "" {
		err = fmt.Errorf("%w; what happened is in %s", err, logPath)
	}
	return err
}
