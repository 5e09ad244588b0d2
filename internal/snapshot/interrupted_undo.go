package snapshot

import "slices"

// If the program is killed during an undo or redo, some files are changed and some are not. The
// next undo or redo completes the move. If an edit or a command comes before that, the files that
// were already changed are recorded as a separate node. This node belongs to the turn that was
// being undone or redone.

// halfWay is an undo, redo or restore that was interrupted. It moves the files from the head to
// another node.
type halfWay struct {
	// to is the other node, -1 if no move was interrupted.
	to int
	// redo is the tree's redo list after the move.
	redo []int
	// by is the command that started the move or last reversed it.
	by Operation
	// back is set if the move was reversed, so that it moves the files to the head.
	back bool
}

var nowhere = halfWay{to: -1}

func (h halfWay) open() bool { return h.to >= 0 }

// begin returns the interrupted move after the record m of the journal. If a move was already
// interrupted and m moves to the head, m reverses it.
func (h halfWay) begin(m move, head int) halfWay {
	if m.To == head && h.open() {
		h.by, h.back = m.Way, true
		return h
	}
	return halfWay{to: m.To, redo: m.Redo, by: m.Way}
}

// moves returns the records from which begin returns h again.
func (h halfWay) moves(head int) (all []move) {
	if h.open() {
		all = append(all, move{To: h.to, Way: h.by, Redo: h.redo})
	}
	if h.back {
		all = append(all, move{To: head, Way: h.by})
	}
	return all
}

// commands returns the command that completes the move, and the command that reverses it.
func (h halfWay) commands() (goesOn, back Operation) {
	if h.by == Redo {
		return Redo, Undo
	}
	return Undo, Redo
}

// planHalf plans the end of an interrupted move: forward if kind is the command that started the
// move, else back.
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

// halfTurn returns a node of the turn whose undo or redo was interrupted, nil if the journal has
// none.
func (s *Store) halfTurn() *node {
	if begun := s.tree.nodes[s.tree.half.to]; begun != nil && begun.ID > s.tree.head {
		return begun // this undoes an undo
	}
	return s.tree.nodes[s.tree.head]
}

// halfDone returns the changes that an interrupted move has already made.
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
