package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"agent/internal/chat"
)

// eventLog is the program's log file. It is opened with the first record, so that
// a start costs nothing. It holds what happened and never what was said.
type eventLog struct {
	path  string
	level *slog.LevelVar

	once   sync.Once
	file   *os.File
	logger *slog.Logger
}

func newEventLog(folder string, debug bool) *eventLog {
	l := &eventLog{path: filepath.Join(folder, "agent.log"), level: &slog.LevelVar{}}
	l.level.Set(slog.LevelWarn)
	if debug {
		l.level.Set(slog.LevelDebug)
	}
	return l
}

// event records an event by its kind, and what went wrong in words.
func (l *eventLog) event(e chat.Event) {
	switch e := e.(type) {
	case chat.TextDelta, chat.ReasoningDelta, chat.ToolOutput, chat.StatusChanged:
	case chat.TurnEnded:
		if e.Err != nil {
			l.write(slog.LevelWarn, "turn failed", "error", e.Err.Error())
			return
		}
		l.write(slog.LevelDebug, "turn ended", "stop", e.Outcome.Stop, "requests", e.Outcome.Requests, "calls", e.Outcome.ToolCalls)
	case chat.ToolEnded:
		l.write(slog.LevelDebug, "tool ended", "name", e.Name, "failed", e.Answer.Error != "", "duration", e.Duration)
	case chat.Retry:
		l.write(slog.LevelWarn, "retry", "attempt", e.Attempt, "delay", e.Delay, "reason", e.Reason)
	case chat.DensityApplied:
		l.write(slog.LevelDebug, "density", "before", e.TokensBefore, "after", e.TokensAfter)
	case chat.Compressed:
		l.write(slog.LevelDebug, "compression", "applied", e.Applied, "before", e.TokensBefore, "after", e.TokensAfter)
	default:
		l.write(slog.LevelDebug, reflect.TypeOf(e).Name())
	}
}

func (l *eventLog) write(level slog.Level, message string, args ...any) {
	if level < l.level.Level() {
		return
	}
	l.once.Do(l.open)
	if l.logger != nil {
		l.logger.Log(context.Background(), level, message, args...)
	}
}

// open makes the file. A log that cannot be written is no reason to stop.
func (l *eventLog) open() {
	if os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
		return
	}
	file, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	l.file = file
	l.logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: l.level}))
}

func (l *eventLog) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
