package snapshot

// When the program ended while files were being put back, some are as they were and some
// as they were to be. The next undo or redo finishes that. What changes files before then
// goes on from what they hold, so that this becomes part of their history: a node of its
// own, which belongs to the turn that was on its way.

// halfDone are the files that were already as they were to be; none when nothing was on
// its way.
func (s *Store) halfDone() (changes []Change) {
	if s.tree.half < 0 {
		return nil
	}
	there, _, _ := s.tree.way(s.tree.head, s.tree.half)
	back, _, _ := s.tree.way(s.tree.half, s.tree.head)
	made := make(map[string][]string, len(back))
	for _, p := range back {
		made[p.path] = p.folders
	}
	for _, p := range there {
		if now, err := s.look(p.path); err == nil && now.is(p.target) && !now.is(p.expected) {
			changes = append(changes, Change{Path: p.path, Before: p.expected, After: p.target, Made: made[p.path], Gone: p.folders})
		}
	}
	return changes
}

// keepHalf makes what halfDone has found part of the history.
func (s *Store) keepHalf(done []Change) {
	if s.tree.half < 0 {
		return
	}
	of := s.tree.nodes[s.tree.head]
	if begun := s.tree.nodes[s.tree.half]; begun != nil && begun.ID > s.tree.head {
		of = begun // it was to be done again
	}
	if of == nil || len(done) == 0 {
		return
	}
	turn, title := s.turn, s.title
	defer func() { s.turn, s.title = turn, title }()
	s.turn, s.title = of.Turn, of.Title
	s.record(false, done...)
}
