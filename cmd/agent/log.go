package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"agent/internal/chat"
)

// eventLog is the program's log file: what happened, never what was said.
type eventLog struct {
	path   string
	level  *slog.LevelVar
	file   *lateFile
	logger *slog.Logger
}

func newEventLog(folder string, debug bool) *eventLog {
	l := &eventLog{path: filepath.Join(folder, "agent.log"), level: &slog.LevelVar{}}
	l.level.Set(slog.LevelWarn)
	if debug {
		l.level.Set(slog.LevelDebug)
	}
	l.file = &lateFile{path: l.path}
	l.logger = slog.New(slog.NewTextHandler(l.file, &slog.HandlerOptions{Level: l.level}))
	return l
}

// event records an event by its kind, and what went wrong in words.
func (l *eventLog) event(e chat.Event) {
	ctx := context.Background()
	switch e := e.(type) {
	case chat.TextDelta, chat.ReasoningDelta, chat.ToolOutput, chat.StatusChanged:
	case chat.TurnEnded:
		if e.Err != nil {
			l.logger.Warn("turn failed", "error", e.Err)
			return
		}
		l.logger.Debug("turn ended", "stop", e.Outcome.Stop, "requests", e.Outcome.Requests, "calls", e.Outcome.ToolCalls)
	case chat.ToolEnded:
		l.logger.Debug("tool ended", "name", e.Name, "failed", e.Answer.Error != "", "duration", e.Duration)
	case chat.Retry:
		l.logger.Warn("retry", "attempt", e.Attempt, "delay", e.Delay, "reason", e.Reason)
	case chat.DensityApplied:
		l.logger.Debug("density", "before", e.TokensBefore, "after", e.TokensAfter)
	case chat.Compressed:
		l.logger.Debug("compression", "applied", e.Applied, "before", e.TokensBefore, "after", e.TokensAfter)
	default:
		if l.logger.Enabled(ctx, slog.LevelDebug) {
			l.logger.Debug(reflect.TypeOf(e).Name())
		}
	}
}

func (l *eventLog) close() error { return l.file.close() }

// lateFile is a file that is made with its first line, so that a start costs
// nothing. A log that cannot be written is no reason to stop.
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
