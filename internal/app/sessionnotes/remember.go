package sessionnotes

import (
	"fmt"

	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/notes"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/text/textdiff"
	"agent/internal/tools"
)

// mostOfTurn and mostOfSession limit how many notes the model can store.
const mostOfTurn, mostOfSession = 3, 20

// A keptNote is a note that the model has stored, with the number of the turn.
type keptNote struct {
	notes.Note
	turn int
}

// ForTool returns the notes for the tool that stores notes, or nil if the model may not use it.
func (n *Notes) ForTool() tools.Notes {
	if !n.offers {
		return nil
	}
	return n
}

// IsTool reports whether a name is the name of the tool that stores notes.
func IsTool(name string) bool { return name == "remember" }

// Source returns the tool that stores notes, if the model may use it.
func (n *Notes) Source() tools.Source {
	if !n.offers {
		return tools.FixedSource()
	}
	return tools.FixedSource(tools.RememberTool())
}

// Remember implements tools.Notes.
func (n *Notes) Remember(text string, files []string, replaces string) (r tools.NoteDraft, err error) {
	if r.Text, err = notes.Clean(text); err != nil {
		return r, err
	}
	if err := n.room(); err != nil {
		return r, err
	}
	if replaces != "" {
		if r.Replaces, err = n.textOf(replaces); err != nil {
			return r, err
		}
	}
	basis, err := n.book.NewBasis(n.config.Root, files)
	if err != nil {
		return r, err
	}
	note := notes.Note{Text: r.Text, Basis: basis}
	before, after, err := n.book.PreviewAdd(n.newNote(note), notes.ScopeRepository, replaces)
	if err != nil {
		return r, err
	}
	from, to := "/dev/null", n.book.File(notes.ScopeRepository)
	if before != "" {
		from = to
	}
	r.Diff = textdiff.New(before, after).Unified(from, to)
	mode := gate.Mode(settings.ApprovalMode.Value(n.config.Settings))
	r.Asks = !n.config.Unattended && mode != gate.ModeFullAuto && !mode.IsReadOnly()
	r.Keep = func(text string, agreed bool) (said, summary string, err error) {
		if note.Text, err = notes.Clean(text); err != nil {
			return "", "", err
		}
		if err := n.room(); err != nil { // other calls of the same reply may have reached the limit
			return "", "", err
		}
		if note.Proposed = !agreed; note.Proposed {
			replaces = "" // a replacement takes effect only after approval
		}
		kept, said, err := n.keep(note, notes.ScopeRepository, replaces)
		if err != nil {
			return "", "", err
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.stored = append(n.stored, keptNote{kept, len(n.begins)})
		if kept.Proposed {
			return said, kept.ID + " proposed; /notes", nil
		}
		n.sent = append(n.sent, kept)
		return said, kept.ID + "; /forget " + kept.ID, nil
	}
	return r, nil
}

// room returns an error if the model has reached the limit of stored notes.
func (n *Notes) room() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	inTurn := 0
	for _, k := range n.stored {
		if k.turn == len(n.begins) {
			inTurn++
		}
	}
	switch {
	case inTurn >= mostOfTurn:
		return fmt.Errorf("can't store the note: a turn can store at most %d", mostOfTurn)
	case len(n.stored) >= mostOfSession:
		return fmt.Errorf("can't store the note: a session can store at most %d", mostOfSession)
	}
	return nil
}

func (n *Notes) textOf(id string) (string, error) {
	all, _ := n.book.Notes()
	for _, note := range all {
		if note.ID == id {
			return note.Text, nil
		}
	}
	return "", fmt.Errorf("unknown note %s", id)
}

// newNote returns a note with its time and its origin: the current position in the record of this session.
func (n *Notes) newNote(note notes.Note) notes.Note {
	note.Made, note.From = n.config.Now(), n.config.Origin()
	return note
}

// keep stores a note of the model or the user. said describes the result.
func (n *Notes) keep(note notes.Note, to notes.Scope, replaces string) (kept notes.Note, said string, err error) {
	if kept, err = n.book.Add(n.newNote(note), to, replaces); err != nil {
		return kept, "", err
	}
	if kept.Proposed {
		n.record("proposed", kept)
		return kept, fmt.Sprintf("proposed as %s; it is used after the user approves it (/notes)", kept.ID), nil
	}
	n.record("kept", kept)
	return kept, fmt.Sprintf("stored as %s; /forget %s deletes it", kept.ID, kept.ID), nil
}

// record records a change of a note, and emits an event about it.
func (n *Notes) record(did string, note notes.Note) {
	n.config.Record(session.Note{Did: did, ID: note.ID, Text: note.Text})
	e := chat.Noted{ID: note.ID, State: did, Text: note.Text}
	for _, g := range note.Basis {
		e.Basis = append(e.Basis, g.Path)
	}
	n.config.Emit(e)
}
