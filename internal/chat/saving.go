package chat

// saving watches whether the record of the conversation keeps up. It belongs to the
// owner of the chat.
type saving struct {
	*Config
	// behind tells that something is not on disk yet.
	behind bool
}

// check says once that the record falls behind, and once that it has caught up. The
// conversation goes on meanwhile: it may be about making room.
func (s *saving) check() {
	var err error
	if s.Unsaved != nil {
		err = s.Unsaved()
	}
	switch was := s.behind; {
	case err != nil && !was:
		s.behind = true
		s.notice("%v; the conversation goes on, and what is missing is written as soon as that is possible", err)
	case err == nil && was:
		s.behind = false
		s.notice("the session is saved again, with what was missing")
	}
}
