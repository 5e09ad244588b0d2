package edit

// state is what can be gone back to.
type state struct {
	text   string
	cursor int
	pastes pastes
}

// undoSteps bounds how far back one can go.
const undoSteps = 200

// changes are the states before and after what is shown.
type changes struct {
	before, after []state
	// typing is set while characters are typed into one word: they are undone
	// together.
	typing bool
}

func (e *Editor) state() state { return state{e.Text, e.Cursor, e.Pastes} }

// record notes the state before a change; typing joins it to the change before.
func (e *Editor) record(before state, typing bool) {
	if before.text == e.Text {
		e.changes.typing = e.changes.typing && typing
		return
	}
	if !typing || !e.changes.typing {
		e.changes.before = append(e.changes.before, before)
		if n := len(e.changes.before) - undoSteps; n > 0 {
			e.changes.before = e.changes.before[n:]
		}
	}
	e.changes.after, e.changes.typing = nil, typing
}

// Changes counts the changes that can be taken back.
func (e *Editor) Changes() int { return len(e.changes.before) }

// Join makes one change of all since there were n.
func (e *Editor) Join(n int) {
	if len(e.changes.before) > n+1 {
		e.changes.before = e.changes.before[:n+1]
	}
	e.changes.typing = false
}

// Splice puts text in place of what is between two positions, as one change; the cursor
// is after it. The text is the editor's own, or typed.
func (e *Editor) Splice(from, to int, text string) {
	before := e.state()
	e.Text, e.Cursor = e.Text[:from]+text+e.Text[to:], from+len(text)
	e.settle()
	e.record(before, false)
}

// Stops are the positions that the cursor can have, in order.
func (e *Editor) Stops() []int {
	stops := make([]int, 1, len(e.Text)+1)
	for at := 0; at < len(e.Text); {
		at = e.after(at)
		stops = append(stops, at)
	}
	return stops
}

// Undo takes the latest change back, Redo makes it again.
func (e *Editor) Undo() { e.step(&e.changes.before, &e.changes.after) }

// Redo makes the change again that was taken back last.
func (e *Editor) Redo() { e.step(&e.changes.after, &e.changes.before) }

func (e *Editor) step(from, to *[]state) {
	n := len(*from)
	if n == 0 {
		return
	}
	*to = append(*to, e.state())
	last := (*from)[n-1]
	e.Text, e.Cursor, e.Pastes = last.text, last.cursor, last.pastes
	*from, e.changes.typing = (*from)[:n-1], false
}
