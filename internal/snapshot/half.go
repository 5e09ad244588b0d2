package snapshot

import "slices"

// When the program ended while files were being put back, some are as they were and some
// as they were to be. The next undo or redo finishes that. What changes files before then
// continues from what they hold, so that this becomes part of their history: a node of its
// own, which belongs to the turn that was on its way.

// halfWay is a way from the head that was begun and not gone to its end.
type halfWay struct {
	// to is the node at its other end, -1 for none, and redo what is to be redone there.
	to   int
	redo []int
	// by is what began it, or has turned it last; back says that it is sent to the head.
	by   Way
	back bool
}

var nowhere = halfWay{to: -1}

func (h halfWay) open() bool { return h.to >= 0 }

// begin is the half way of a move that was begun while h was open, or not.
func (h halfWay) begin(m move, head int) halfWay {
	if m.To == head && h.open() {
		h.by, h.back = m.Way, true
		return h
	}
	return halfWay{to: m.To, redo: m.Redo, by: m.Way}
}

// moves are the records by which it is known again.
func (h halfWay) moves(head int) (all []move) {
	if h.open() {
		all = append(all, move{To: h.to, Way: h.by, Redo: h.redo})
	}
	if h.back {
		all = append(all, move{To: head, Way: h.by})
	}
	return all
}

// commands returns the command that finishes the move and the one that takes it back.
func (h halfWay) commands() (goesOn, back Way) {
	if h.by == Redo {
		return Redo, Undo
	}
	return Undo, Redo
}

// planHalf plans to go on with a way that was begun, where kind is what began it, or else
// to go back.
func (s *Store) planHalf(kind Way) *Plan {
	h := s.tree.half
	goesOn, _ := h.commands()
	p := &Plan{Kind: kind, from: s.tree.head, to: h.to, redo: slices.Clone(h.redo)}
	if (kind == goesOn) == h.back {
		p.from, p.to, p.redo = h.to, s.tree.head, slices.Clone(s.tree.redo)
	}
	if n := s.halfTurn(); n != nil {
		p.Title, p.Since = n.Title, n.At
	}
	return p
}

// halfTurn is a node of the turn that was on its way to be undone or done again, nil when
// it is not known.
func (s *Store) halfTurn() *node {
	if begun := s.tree.nodes[s.tree.half.to]; begun != nil && begun.ID > s.tree.head {
		return begun // it was to be done again
	}
	return s.tree.nodes[s.tree.head]
}

// halfDone are the files that were already as they were to be; none when nothing was on
// its way.
func (s *Store) halfDone() (changes []Change) {
	half := s.tree.half
	if !half.open() {
		return nil
	}
	there, _, _ := s.tree.way(s.tree.head, half.to)
	back, _, _ := s.tree.way(half.to, s.tree.head)
	made := make(map[string][]string, len(back))
	for _, p := range back {
		made[p.path] = p.folders
	}
	for _, p := range there {
		if now, err := s.files.look(p.path); err == nil && now.is(p.target) && !now.is(p.expected) {
			changes = append(changes, Change{Path: p.path, Before: p.expected, After: p.target, Made: made[p.path], Gone: p.folders})
		}
	}
	return changes
}

// keepHalf makes what halfDone has found part of the history.
func (s *Store) keepHalf(done []Change) {
	if !s.tree.half.open() || len(done) == 0 {
		return
	}
	if of := s.halfTurn(); of != nil {
		s.record(node{Turn: of.Turn, Title: of.Title, Changes: done})
	}
}
