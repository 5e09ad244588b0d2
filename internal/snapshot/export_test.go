package snapshot

import "time"

// ListIn bounds how long listing the workspace may take.
func (s *Store) ListIn(most time.Duration) { s.listTime = most }

// ListTime is that bound as the program has it.
const ListTime = listTime
