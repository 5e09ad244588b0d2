package snapshot

import "slices"

// When the program dies during an undo or redo, some files are changed and some are not.
// The next undo or redo finishes the job. If an edit or a command comes before that, the
// files that were already changed are recorded as a node of their own, which belongs to the
// turn that was being undone or redone.

// halfWay is an undo, redo or restore that was interrupted. It leads from the head to another node.
type halfWay struct {
	// to is the node it leads to, -1 when nothing was interrupted.
	to int
	// redo is the tree's redo list once the move is finished.
	redo []int
	// by is the command that began the move or reversed it last.
	by Operation
	// back is set if the move was reversed and leads to the head.
	back bool
}

var nowhere = halfWay{to: -1}

func (h halfWay) open() bool { return h.to >= 0 }

// begin returns the interrupted move once the journal says that m has begun. If a move was already
// interrupted and m leads back to the head, m reverses it and nothing is interrupted.
func (h halfWay) begin(m move, head int) halfWay {
	if m.To == head && h.open() {
		h.by, h.back = m.Way, true
		return h
	}
	return halfWay{to: m.To, redo: m.Redo, by: m.Way}
}

// moves returns the records from which begin makes h again.
func (h halfWay) moves(head int) (all []move) {
	if h.open() {
		all = append(all, move{To: h.to, Way: h.by, Redo: h.redo})
	}
	if h.back {
		all = append(all, move{To: head, Way: h.by})
	}
	return all
}

// commands returns the command that finishes the move, and the command that takes it back.
func (h halfWay) commands() (goesOn, back Operation) {
	if h.by == Redo {
		return Redo, Undo
	}
	return Undo, Redo
}

// planHalf plans the end of an interrupted move: forward where kind is the command that
// began it, else back.
func (s *Store) planHalf(kind Operation) *Plan {
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

// halfTurn returns a node of the turn whose undo or redo was interrupted, nil when the
// journal has none.
func (s *Store) halfTurn() *node {
	if begun := s.tree.nodes[s.tree.half.to]; begun != nil && begun.ID > s.tree.head {
		return begun // this undoes an undo
	}
	return s.tree.nodes[s.tree.head]
}

// halfDone returns the changes that an interrupted move had already made.
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

// keepHalf records the changes that halfDone returned.
func (s *Store) keepHalf(done []Change) {
	if !s.tree.half.open() || len(done) == 0 {
		return
	}
	if of := s.halfTurn(); of != nil {
		s.record(node{Turn: of.Turn, Title: of.Title, Changes: done})
	}
}
