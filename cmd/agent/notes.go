package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/app"
	"agent/internal/app/sessionnotes"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/frontend/cli"
	"agent/internal/notes"
	"agent/internal/slash"

	"github.com/spf13/cobra"
)

func newNotes(w world) *cobra.Command {
	list := newNotesList(w, "list", "List the notes of this repository and your global notes", false)
	group := &cobra.Command{
		Use:   "notes",
		Short: "List, add and delete notes for later sessions",
		Args:  cli.NoSubcommand,
		RunE:  list.RunE,
	}
	group.AddCommand(list, newNotesList(w, "check", "List stale notes: their files changed. Exit with 1 if any", true), newNotesAdd(w), newNotesDelete(w))
	return group
}

// notes returns the notes of the repository around the current folder, and that folder.
func (w world) notes() (*notes.Book, string, error) {
	f, err := w.process.Folders()
	if err != nil {
		return nil, "", err
	}
	here, err := filepath.EvalSymlinks(w.process.Dir)
	return sessionnotes.Open(f.Config, w.process.Home, here), here, err
}

// noteStates returns the notes with their states, including the notes of the repository.
func (w world) noteStates() (states []notes.State, problems []string, err error) {
	book, here, err := w.notes()
	if err != nil {
		return nil, nil, err
	}
	f, err := w.process.Folders()
	if err != nil {
		return nil, nil, err
	}
	own, err := w.process.Settings(app.Sources{})
	if err != nil {
		return nil, nil, err
	}
	all, problems := book.Notes()
	checker := book.Checker()
	shared, more := sessionnotes.CheckShared(book, w.process.Trust(f, own, here), checker, w.process.Now)
	return append(checker.Check(all, w.process.Now), shared...), append(problems, more...), nil
}

func newNotesList(w world, use, short string, check bool) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			states, problems, err := w.noteStates()
			if err != nil {
				return err
			}
			stale := []notes.State{}
			for _, s := range states {
				if s.State == notes.StateStale {
					stale = append(stale, s)
				}
			}
			if check {
				states = stale
			}
			if asJSON {
				err = rawjson.WriteIndented(w.out, append([]notes.State{}, states...))
			} else if len(states) == 0 && !check {
				err = w.print("No notes yet. Add one: agent notes add TEXT")
			} else {
				err = w.print(slash.NoteLines(states)...)
			}
			if err = errors.Join(err, w.tell(problems...)); err == nil && check && len(stale) > 0 {
				return statusError(exitFailed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newNotesAdd(w world) *cobra.Command {
	var user bool
	cmd := &cobra.Command{
		Use: "add TEXT", Short: "Add a note; it becomes stale if a file it names changes",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("can't add a note: the text is missing. Run: agent notes add TEXT"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			book, here, err := w.notes()
			if err != nil {
				return err
			}
			text, to := slash.ScopeOfNote(strings.Join(args, " "))
			if user {
				to = notes.ScopeEverywhere
			}
			if to == notes.ScopeShared {
				return usage(errors.New("can't add a project note here. In a session, type: /remember project: TEXT"))
			}
			note := notes.Note{Text: text, Made: w.process.Now()}
			if to == notes.ScopeRepository {
				if note.Basis, err = book.NewBasis(here, notes.NamedFiles(here, note.Text)); err != nil {
					return usage(err)
				}
			}
			if note, err = book.Add(note, to, ""); err != nil {
				return usage(err)
			}
			return w.print(fmt.Sprintf("%s  %s", note.ID, humanize.Line(note.Text, 200)))
		},
	}
	cmd.Flags().BoolVar(&user, "user", false, "use the note in every repository (same as 'user: TEXT')")
	return cmd
}

func newNotesDelete(w world) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete a note", Args: cli.ExactArgs(1, "the ID of a note (to list them: agent notes list)"),
		RunE: func(_ *cobra.Command, args []string) error {
			book, _, err := w.notes()
			if err == nil {
				err = book.Update(notes.IDOf(args[0]), func(*notes.Note) (bool, error) { return false, nil })
			}
			if err != nil {
				return usage(err)
			}
			return w.print("deleted " + notes.IDOf(args[0]))
		},
	}
}
