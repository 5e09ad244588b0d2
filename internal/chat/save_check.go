package chat

import "agent/internal/session"

// saveCheck checks whether the session log is written completely. Only the owner goroutine of the chat uses
// it.
type saveCheck struct {
	emit    emitter
	session *session.Log
	// behind is set if something is not on disk yet.
	behind bool
}

// check reports to the user once that the session log is incomplete, and once that it is complete
// again. The conversation continues meanwhile, because the user may need it to free disk space.
func (s *saveCheck) check() {
	var err error
	if s.session != nil {
		err = s.session.CheckSaved()
		if said := s.session.TakenNotice(); said != "" {
			s.emit.notice("%s", said)
		}
	}
	switch was := s.behind; {
	case err != nil && !was:
		s.behind = true
		s.emit.notice("%v. You can keep working; agent saves the rest when it can", err)
	case err == nil && was:
		s.behind = false
		s.emit.notice("The session is saved again, with all messages")
	}
}
