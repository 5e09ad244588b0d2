package sessionnotes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/git/gitcmd"
	"agent/internal/notes"
	"agent/internal/slash"
	"agent/internal/text/textdiff"
)

// Commands returns the notes for slash commands, or nil if notes are off.
func (n *Notes) Commands() slash.Notes {
	if n.book == nil {
		return nil
	}
	return n
}

// List implements slash.Notes.
func (n *Notes) List() (states []notes.State, problems []string) {
	states, problems = n.check()
	n.mu.Lock()
	defer n.mu.Unlock()
	shared, more := n.sharedStates()
	states, problems = append(states, shared...), append(problems, more...)
	notes.SelectForPrompt(states, n.budget())
	return states, problems
}

// Add implements slash.Notes.
func (n *Notes) Add(text string, to notes.Scope) (said string, err error) {
	if !n.config.Recorded {
		return "", errors.New("can't store a note: the session has no log (--no-session)")
	}
	note := notes.Note{Text: text}
	if to != notes.ScopeEverywhere {
		if note.Basis, err = n.book.NewBasis(n.config.Root, notes.NamedFiles(n.config.Root, text)); err != nil {
			return "", err
		}
	}
	err = n.inFile(to, func() error {
		note, said, err = n.keep(note, to, "")
		return err
	})
	switch {
	case err != nil:
	case to == notes.ScopeShared && !n.sharedAgreed():
		said += ". It is used after you approve its file with /trust"
	default:
		n.mu.Lock()
		defer n.mu.Unlock()
		n.tellKept(note)
	}
	return said, err
}

// inFile applies a change of the user to the notes of a scope. If the user had approved the file of the
// repository, the changed file counts as approved.
func (n *Notes) inFile(of notes.Scope, change func() error) error {
	agreed := of == notes.ScopeShared && n.sharedAgreed()
	if err := change(); err != nil || !agreed {
		return err
	}
	items := ConsentItems(n.config.Settings, n.book)
	if items == nil {
		return nil
	}
	n.config.Trust.Add(items[0])
	reviewed, err := n.config.Trust.Store.Review(items)
	if err != nil {
		return err
	}
	return n.config.Trust.Store.Approve(n.config.Now(), reviewed...)
}

// sharedAgreed reports whether the user has approved the notes of the repository, or the repository has
// none.
func (n *Notes) sharedAgreed() bool {
	items := ConsentItems(n.config.Settings, n.book)
	return items == nil || n.config.Trust.Store.Check(items[0]) == nil
}

// Approve implements slash.Notes.
func (n *Notes) Approve(id string) error {
	if notes.ScopeOf(id) == notes.ScopeShared && !n.sharedAgreed() {
		return fmt.Errorf("can't approve a single note of %s: approve the whole file with /trust", n.book.File(notes.ScopeShared))
	}
	if err := n.inFile(notes.ScopeOf(id), func() error { return n.book.Confirm(id, n.config.Now()) }); err != nil {
		return err
	}
	states, _ := n.List()
	i := slices.IndexFunc(states, func(s notes.State) bool { return s.ID == id })
	if i < 0 {
		return nil // the file was deleted after the listing
	}
	n.record("agreed", states[i].Note)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told[id] || n.knows(id) < 0 {
		n.sent = slices.DeleteFunc(n.sent, func(note notes.Note) bool { return note.ID == id })
		delete(n.told, id)
		n.tellKept(states[i].Note)
	}
	return nil
}

// knows returns the index of the note with an ID among the notes that the model has received, or -1 for
// none.
func (n *Notes) knows(id string) int {
	return slices.IndexFunc(n.sent, func(note notes.Note) bool { return note.ID == id })
}

// Edit implements slash.Notes.
func (n *Notes) Edit(id, text string) error {
	return n.change("edited", id, func(note *notes.Note) (bool, error) {
		note.Text = text
		return true, nil
	})
}

// Delete implements slash.Notes.
func (n *Notes) Delete(id string) error {
	return n.change("deleted", id, func(*notes.Note) (bool, error) { return false, nil })
}

// change changes a note. If the model has received the note, the next message reports the change to the
// model.
func (n *Notes) change(did, id string, act func(*notes.Note) (keep bool, err error)) error {
	var changed notes.Note
	err := n.inFile(notes.ScopeOf(id), func() error {
		return n.book.Update(id, func(note *notes.Note) (keep bool, err error) {
			keep, err = act(note)
			changed = *note
			return keep, err
		})
	})
	if err != nil {
		return err
	}
	n.record(did, changed)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stored = slices.DeleteFunc(n.stored, func(k keptNote) bool { return did == "deleted" && k.ID == changed.ID })
	i := n.knows(changed.ID)
	if i < 0 {
		return nil
	}
	if !n.told[changed.ID] {
		n.news = append(n.news, "The user has withdrawn this note; do not rely on it: "+humanize.Line(n.sent[i].Text, 120))
	}
	n.sent = slices.Delete(n.sent, i, i+1)
	delete(n.told, changed.ID) // another note may get this number
	if did == "edited" {
		n.tellKept(changed)
	}
	return nil
}

// LatestTurnNotes implements slash.Notes.
func (n *Notes) LatestTurnNotes(since time.Time) (made []notes.Note, later bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	turn, latest := 0, 0
	for i, begun := range n.begins {
		if !begun.After(since) {
			turn = i + 1
		}
	}
	for _, k := range n.stored {
		latest = max(latest, k.turn)
	}
	for _, k := range n.stored {
		if k.turn == latest && latest >= turn {
			made = append(made, k.Note)
		}
	}
	return made, latest > turn
}

// UsageLine implements slash.Notes.
func (n *Notes) UsageLine() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.text == "" {
		return ""
	}
	return fmt.Sprintf("notes take %s tokens of the system prompt (/notes)", humanize.Tokens(len(n.text)/noteBytesPerToken))
}

const (
	// earlierCommits is the git flag for the number of commits of a file that are searched for its earlier
	// content.
	earlierCommits = "-n30"
	// earlierTime limits the search.
	earlierTime = 3 * time.Second
)

// Diff implements slash.Notes.
func (n *Notes) Diff(ctx context.Context, note notes.Note) string {
	ctx, cancel := context.WithTimeout(ctx, earlierTime)
	defer cancel()
	var all strings.Builder
	for _, g := range note.Basis {
		now, _ := fsutil.Read(filepath.Join(n.book.Root(), filepath.FromSlash(g.Path))) // a deleted note has no text
		if g.Matches(now) {
			continue
		}
		if before, known := n.earlier(ctx, g); known && utf8.Valid(before) && utf8.Valid(now) {
			all.WriteString(textdiff.New(string(before), string(now)).Unified(g.Path, g.Path))
		}
	}
	return all.String()
}

// earlier returns the content of a file on which a note is based, if git has it.
func (n *Notes) earlier(ctx context.Context, g notes.Basis) (content []byte, known bool) {
	log, err := gitcmd.Output(ctx, n.book.Root(), "log", earlierCommits, "--format=", "--raw", "--no-abbrev", "--no-renames", "--", g.Path)
	if err != nil {
		return nil, false
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(log) {
		fields := strings.Fields(string(line)) // :MODE MODE BLOB BLOB STATUS PATH
		if len(fields) < 5 {
			continue
		}
		for _, blob := range []string{fields[3], fields[2]} {
			if seen[blob] {
				continue
			}
			seen[blob] = true
			if content, err := gitcmd.Output(ctx, n.book.Root(), "cat-file", "blob", blob); err == nil && g.Matches(content) {
				return content, true
			}
		}
	}
	return nil, false
}
