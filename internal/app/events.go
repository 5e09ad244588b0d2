package app

import (
	"log/slog"

	"agent/internal/chat"
)

// events forwards each event of a conversation to the log, to its listeners, to the record, and then to the
// interface.
type events struct {
	logger    *slog.Logger
	rec       *record
	listeners []func(chat.Event) // they must return at once
	front     func(chat.Event)
}

// emit forwards an event. The caller is the goroutine that runs the conversation.
func (s *events) emit(e chat.Event) {
	logEvent(s.logger, e)
	for _, listen := range s.listeners {
		listen(e)
	}
	switch e := e.(type) {
	case chat.Notice:
		s.rec.notice(e.Text)
	case chat.Searched:
		s.rec.notice(e.String())
	}
	s.front(e)
}
