package acp

import (
	"strings"
	"sync"

	"agent/internal/atcmd"
	"agent/internal/words"
)

// asking is the question about what a repository brings, which is asked once, at the first
// prompt. The zero value was not asked yet.
type asking struct {
	asked bool
	// decline ends the question without a yes, nil while none is open.
	decline func()
	// held are the prompts that wait for the answer.
	held []atcmd.Message
}

// sendAgreed sends a prompt, after the question about what the repository brings.
func (s *session) sendAgreed(message atcmd.Message) {
	s.mu.Lock()
	waits := s.asking.decline != nil
	if waits {
		s.asking.held = append(s.asking.held, message)
	}
	first := !s.asking.asked
	s.asking.asked = true
	s.mu.Unlock()
	if waits {
		return
	}
	if first {
		if q := s.talk.Consent(); q != nil {
			s.askConsent(q, message)
			return
		}
	}
	s.talk.Send(message)
}

// askConsent puts the question to the editor. Whatever is no clear yes agrees to nothing,
// for now.
func (s *session) askConsent(q *Consent, prompt atcmd.Message) {
	var once sync.Once
	answered := func(yes bool) {
		once.Do(func() {
			if yes {
				if err := q.Agree(); err != nil {
					s.show.notice("warning", err.Error())
				}
			}
			s.mu.Lock()
			held := s.asking.held
			s.asking.held, s.asking.decline = nil, nil
			s.mu.Unlock()
			for _, message := range held {
				s.talk.Send(message)
			}
		})
	}
	var withdraw func()
	s.mu.Lock()
	s.asking.held = []atcmd.Message{prompt}
	s.asking.decline = func() { withdraw(); answered(false) }
	s.mu.Unlock()
	call := map[string]any{
		"toolCallId": "consent", "title": words.Line(q.Title, 0), "status": "pending", "kind": "other",
		"content": []any{textOf(words.Visible(strings.Join(q.Lines, "\n")))},
	}
	options := []permissionOption{{optionAllow, "Use these", "allow_once"}, {optionRefuse, "Not now", "reject_once"}}
	s.mu.Lock()
	withdraw = s.server.conn.request("session/request_permission", map[string]any{"sessionId": s.id, "toolCall": call, "options": options}, func(m message) {
		answered(decision(m, false).Allow)
	})
	s.mu.Unlock()
}
