package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"agent/internal/chat"
)

// stackKey is the key of the stack of a panic in the log.
const stackKey = "stack"

// Log is the program's log file. It records events but never the contents of messages. All
// conversations write to it.
type Log struct {
	// Path is the path of the file, which is created with its first line.
	Path string
	// Level sets the lowest level that is written.
	Level *slog.LevelVar
	// Logger writes the lines.
	Logger *slog.Logger

	file *lateFile
}

// newLog returns a log in a folder. printable cleans each text and each error. The stack of a panic is
// written unchanged, because it contains no external text.
func newLog(folder string, printable func(string) string) *Log {
	l := &Log{Path: filepath.Join(folder, "agent.log"), Level: &slog.LevelVar{}}
	l.Level.Set(slog.LevelWarn)
	l.file = &lateFile{path: l.Path}
	l.Logger = slog.New(slog.NewTextHandler(l.file, &slog.HandlerOptions{Level: l.Level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, isError := a.Value.Any().(error); isError {
			a.Value = slog.StringValue(err.Error())
		}
		if a.Value.Kind() == slog.KindString && a.Key != slog.LevelKey && a.Key != stackKey {
			a.Value = slog.StringValue(printable(a.Value.String()))
		}
		return a
	}}))
	return l
}

// logEvent logs the kind of an event, and the text of an error.
func logEvent(logger *slog.Logger, e chat.Event) {
	ctx := context.Background()
	switch e := e.(type) {
	case chat.TextDelta, chat.ReasoningDelta, chat.ToolOutput, chat.StatusChanged:
	case chat.AgentEvent: // already logged as an event of the subagent
	case chat.TurnEnded:
		if e.Err != nil {
			logger.Warn("turn failed", "error", e.Err)
			return
		}
		logger.Debug("turn ended", "stop", e.Outcome.Stop, "requests", e.Outcome.Requests, "calls", e.Outcome.ToolCalls)
	case chat.ToolEnded:
		logger.Debug("tool ended", "name", e.Name, "failed", e.Answer.Error != "", "duration", e.Duration)
	case chat.Retry:
		logger.Warn("retry", "attempt", e.Attempt, "delay", e.Delay, "reason", e.Problem())
	case chat.DensityApplied:
		logger.Debug("density", "before", e.TokensBefore, "after", e.TokensAfter)
	case chat.Compressed:
		logger.Debug("compression", "applied", e.Applied, "before", e.TokensBefore, "after", e.TokensAfter)
	default:
		if logger.Enabled(ctx, slog.LevelDebug) {
			logger.Debug(chat.Kind(e))
		}
	}
}

// lateFile is a file that is created with its first line, so that a start without messages writes nothing.
// A failed write does not stop the program.
type lateFile struct {
	path string

	mu   sync.Mutex
	file *os.File
}

func (f *lateFile) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return 0, err
		}
		file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		f.file = file
	}
	return f.file.Write(line)
}

func (f *lateFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	if err := f.file.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}
