package command

import (
	"sync"

	"agent/internal/snapshot"
)

func (c *Commands) redoCommand() Command {
	return c.filesCommand(snapshot.Redo, "redo", "take the latest undo of files back")
}

// shownFiles is what /undo or /redo showed last. Commands run beside one another.
type shownFiles struct {
	mu   sync.Mutex
	plan *snapshot.Plan
}

func (s *shownFiles) set(plan *snapshot.Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan = plan
}

// take returns what was shown, if it was for the same command; it is confirmed once.
func (s *shownFiles) take(way snapshot.Way) *snapshot.Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	plan := s.plan
	s.plan = nil
	if plan == nil || plan.Kind != way {
		return nil
	}
	return plan
}
