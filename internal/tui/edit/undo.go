package edit

// state is a version of the text that undo can restore.
type state struct {
	text   string
	cursor int
}

// undoSteps limits the number of changes that can be undone.
const undoSteps = 200

// changes holds the versions of the text before and after the current one.
type changes struct {
	before, after []state
	// typing is set while the user types characters of one word, which are undone together.
	typing bool
}

func (e *Editor) state() state { return state{e.Text, e.Cursor} }

// record stores the state before a change. If typing is set for this and the latest change, they become one
// change.
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

// ChangeCount returns the number of changes that can be undone.
func (e *Editor) ChangeCount() int { return len(e.changes.before) }

// JoinUndo joins all changes after the first n into one.
func (e *Editor) JoinUndo(n int) {
	if len(e.changes.before) > n+1 {
		e.changes.before = e.changes.before[:n+1]
	}
	e.changes.typing = false
}

// Splice replaces the text between two positions as one change, and puts the cursor after the new text. The
// new text must come from the editor, or be typed.
func (e *Editor) Splice(from, to int, text string) {
	before := e.state()
	e.Text, e.Cursor = e.Text[:from]+text+e.Text[to:], from+len(text)
	e.snapCursor()
	e.record(before, false)
}

// CursorStops returns the positions that the cursor can have, in order.
func (e *Editor) CursorStops() []int {
	stops := make([]int, 1, len(e.Text)+1)
	for at := 0; at < len(e.Text); {
		at = e.after(at)
		stops = append(stops, at)
	}
	return stops
}

// Undo reverts the latest change.
func (e *Editor) Undo() { e.step(&e.changes.before, &e.changes.after) }

// Redo applies the change again that was undone last.
func (e *Editor) Redo() { e.step(&e.changes.after, &e.changes.before) }

func (e *Editor) step(from, to *[]state) {
	n := len(*from)
	if n == 0 {
		return
	}
	*to = append(*to, e.state())
	last := (*from)[n-1]
	e.Text, e.Cursor = last.text, last.cursor
	*from, e.changes.typing = (*from)[:n-1], false
}
