package term

import (
	"strconv"
	"sync"
)

// Pastes hands pastes from the reader to the model, out of the way of Bubble
// Tea's key parser.
type Pastes struct {
	mu   sync.Mutex
	next int
	held map[string]string
}

// Put stores a paste and returns its ticket.
func (s *Pastes) Put(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]string{}
	}
	s.next++
	ticket := strconv.Itoa(s.next)
	s.held[ticket] = text
	return ticket
}

// Take removes a paste.
func (s *Pastes) Take(ticket string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.held[ticket]
	delete(s.held, ticket)
	return text
}
