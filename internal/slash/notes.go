package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/notes"
)

// Notes provides the notes of the repository and the user.
type Notes interface {
	// List returns the notes with their states, and the problems in their files.
	List() (states []notes.State, problems []string)
	// Add stores a note. said describes the result.
	Add(text string, to notes.Scope) (said string, err error)
	// Approve approves a note: it is based on its files as they are now, and it is used.
	Approve(id string) error
	Edit(id, text string) error
	Delete(id string) error
	// Diff returns a diff of the changes in the files of a note since it was made. It omits files
	// whose earlier content is unknown.
	Diff(ctx context.Context, note notes.Note) string
	// LatestTurnNotes returns the notes of the latest turn in which the model stored notes, if that turn is not older
	// than the turn at since. later is set if it is newer.
	LatestTurnNotes(since time.Time) (made []notes.Note, later bool)
	// UsageLine reports how much of the prompt the notes occupy, or "" if there are none.
	UsageLine() string
}

var errNotesOff = errors.New("notes are off in this session. To have notes in the next session, type /set notes on, and start without --no-setup")

// scopes maps prefixes of a note to its scope. A note without a prefix is only for the user in this
// repository.
var scopes = map[string]notes.Scope{"user:": notes.ScopeEverywhere, "project:": notes.ScopeShared}

// ScopeOfNote returns the text of a note without its scope prefix, and the scope.
func ScopeOfNote(typed string) (text string, scope notes.Scope) {
	for word, scope := range scopes {
		if text, ok := strings.CutPrefix(typed, word); ok {
			return text, scope
		}
	}
	return typed, notes.ScopeRepository
}

func rememberCommand(d Deps) command.Command {
	return command.Command{
		Name: "remember", Help: "keep a note for later sessions",
		Forms: []command.Form{{
			Args: "TEXT", Rest: true, Does: "store TEXT for this repository; user: TEXT stores it for all repositories, project: TEXT in the shared .agents/NOTES.md. A note is stale if a file that it names has changed",
			Run: d.noteCommand(func(values []string) (string, error) {
				text, to := ScopeOfNote(strings.Join(values, " "))
				said, err := d.Notes.Add(text, to)
				return "The note is " + said + ".", err
			}),
		}},
	}
}

func forgetCommand(d Deps) command.Command {
	return command.Command{
		Name: "forget", Help: "delete a note",
		Forms: []command.Form{{Args: "ID", Does: "delete note ID; /notes lists the IDs", Complete: d.noteIDs, Run: d.noteCommand(func(values []string) (string, error) {
			return "The note " + notes.IDOf(values[0]) + " is deleted.", d.Notes.Delete(notes.IDOf(values[0]))
		})}},
	}
}

// noteCommand returns a command that changes the notes and shows the result in a line.
func (d Deps) noteCommand(change func(values []string) (string, error)) command.RunFunc {
	return command.ShowLines(func(_ context.Context, values []string) ([]string, error) {
		if d.Notes == nil {
			return nil, errNotesOff
		}
		said, err := change(values)
		if err != nil {
			return nil, err
		}
		return []string{said}, nil
	})
}

func (d Deps) noteIDs([]string) (ids []command.Completion) {
	if d.Notes == nil {
		return nil
	}
	states, _ := d.Notes.List()
	for _, s := range states {
		ids = append(ids, command.Completion{Value: s.ID, Help: humanize.Line(s.Text, ledgerWidth)})
	}
	return ids
}

func notesCommand(d Deps) command.Command {
	return command.Command{
		Name: "notes", Help: "list the notes for later sessions",
		Forms: []command.Form{
			{Does: "list notes; choose one to see its source, approve, edit or delete it", Run: d.listNotes},
			{Args: "ID", Does: "show the full note", Complete: d.noteIDs, Run: func(ctx context.Context, values []string) (command.Output, error) {
				if d.Notes == nil {
					return command.Output{}, errNotesOff
				}
				states, _ := d.Notes.List()
				for _, s := range states {
					if s.ID == notes.IDOf(values[0]) {
						return command.Output{Lines: d.noteLines(ctx, s)}, nil
					}
				}
				return command.Output{}, fmt.Errorf("no note %q. Run: /notes", values[0])
			}},
			{Args: "agree ID", Does: "approve note ID for its files as they are now", Run: d.noteCommand(func(values []string) (string, error) {
				return "The note " + notes.IDOf(values[0]) + " is approved and used.", d.Notes.Approve(notes.IDOf(values[0]))
			})},
		},
	}
}

func (d Deps) listNotes(context.Context, []string) (command.Output, error) {
	if d.Notes == nil {
		return command.Output{}, errNotesOff
	}
	states, problems := d.Notes.List()
	if len(states) == 0 {
		return command.Output{Lines: append(problems, "No notes. To add one, type /remember TEXT.")}, nil
	}
	return command.Output{Lines: append(NoteLines(states), problems...), Pick: d.pickNotes(states)}, nil
}

// NoteLines lists notes as text, one on each line.
func NoteLines(states []notes.State) (lines []string) {
	for _, s := range states {
		lines = append(lines, fmt.Sprintf("%s  %s  %s", s.ID, StateOf(s), humanize.Line(s.Text, 200)))
	}
	return lines
}

// StateOf describes whether a note is used.
func StateOf(s notes.State) string {
	if s.State == notes.StateStale {
		return "stale: " + humanize.FileName(s.Changed) + " changed"
	}
	return s.State
}

// noteLines shows a note with its origin, and how its files have changed.
func (d Deps) noteLines(ctx context.Context, s notes.State) []string {
	lines := append(strings.Split(humanize.EscapeInvisible(s.Text), "\n"), "", StateOf(s))
	if !s.Made.IsZero() {
		lines = append(lines, "made on "+s.Made.Format("2006-01-02"))
	}
	switch {
	case place.MatchString(s.From):
		lines = append(lines, "from /find "+s.From)
	case s.From != "":
		lines = append(lines, "from "+humanize.FileName(s.From))
	}
	if !s.Checked.IsZero() {
		lines = append(lines, "approved on "+s.Checked.Format("2006-01-02"))
	}
	for _, g := range s.Basis {
		lines = append(lines, "based on "+humanize.FileName(g.Path))
	}
	if diff := d.Notes.Diff(ctx, s.Note); diff != "" {
		lines = append(append(lines, ""), strings.Split(humanize.EscapeInvisible(strings.TrimSpace(diff)), "\n")...)
		if len(lines) > mostNoteLines {
			lines = append(lines[:mostNoteLines], "…")
		}
	}
	return lines
}

const mostNoteLines = 200

func (d Deps) pickNotes(states []notes.State) *command.ChoiceList {
	pick := &command.ChoiceList{Title: "note"}
	for _, s := range states {
		pick.Choices = append(pick.Choices, command.Choice{
			Name: humanize.Line(s.Text, 0), Help: s.ID + " · " + StateOf(s), Line: "/notes " + s.ID, Faded: s.State != notes.StateUsed,
			Preview: func() string { return strings.Join(d.noteLines(context.Background(), s), "\n") },
		})
	}
	again := func(c command.Choice, act func(id string) error) (*command.ChoiceList, error) {
		if err := act(strings.TrimPrefix(c.Line, "/notes ")); err != nil {
			return nil, err
		}
		states, _ := d.Notes.List()
		return d.pickNotes(states), nil
	}
	pick.Actions = []command.ChoiceAction{
		{Key: "ctrl+t", Name: "approve", Run: func(c command.Choice, _ string) (*command.ChoiceList, error) { return again(c, d.Notes.Approve) }},
		{Key: "ctrl+o", Name: "edit", Edits: true, Run: func(c command.Choice, text string) (*command.ChoiceList, error) {
			return again(c, func(id string) error { return d.Notes.Edit(id, text) })
		}},
		{Key: "ctrl+x", Name: "delete", Asks: "delete", Run: func(c command.Choice, _ string) (*command.ChoiceList, error) {
			return again(c, d.Notes.Delete)
		}},
	}
	return pick
}
