package app

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
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/manifest"
	"agent/internal/git/gitcmd"
	"agent/internal/notes"
	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/settings"
	"agent/internal/slash"
	"agent/internal/text/textdiff"
	"agent/internal/websearch"
)

// Notes returns the notes for a workspace. The notes refuse a text that quotes a secret file.
func (f Folders) Notes(home, workspace string) *notes.Book {
	book := notes.Open(f.Config, home, workspace)
	book.Refuses = func(text string) error {
		keys := sensitive.New(workspace, sensitive.MaxFolders).ScanBefore().KeyFiles
		if file := websearch.FindQuotedFile(text, slices.Concat(keys, protect.SecretFiles(home))); file != "" {
			return fmt.Errorf("the note quotes %s, a secret file, and was not stored", file)
		}
		return nil
	}
	return book
}

// sharedNotes returns the notes of the repository as an item for consent, or nil if there are none or notes
// are off.
func sharedNotes(s *settings.Settings, book *notes.Book) []consent.Item {
	if book == nil || settings.Notes.Value(s) == "off" {
		return nil
	}
	if _, text, _ := book.Shared(); text != "" {
		return []consent.Item{sharedItem(book, text)}
	}
	return nil
}

func sharedItem(book *notes.Book, text string) consent.Item {
	return consent.Item{Kind: consent.KindNotes, Name: "for everybody", File: book.File(notes.ScopeShared), Effects: manifest.List{{Name: "text", Text: text}}}
}

// SharedNotes returns the notes of the repository. They are proposals until the user approves the current
// content of their file. The file is added to trust as an item.
func SharedNotes(book *notes.Book, trust *consent.Trust, checker *notes.Checker, now func() time.Time) (states []notes.State, problems []string) {
	all, text, problems := book.Shared()
	if text == "" {
		return nil, problems
	}
	item := sharedItem(book, text)
	trust.Add(item)
	agreed := trust.Store.Check(item) == nil
	for i := range all {
		all[i].Proposed = all[i].Proposed || !agreed
	}
	return checker.Check(all, now), problems
}

// commands returns the notes for slash commands, or nil if notes are off.
func (n *noting) commands() slash.Notes {
	if n.book == nil {
		return nil
	}
	return noted{n}
}

// noted implements slash.Notes.
type noted struct{ notes *noting }

// List implements slash.Notes.
func (n noted) List() (states []notes.State, problems []string) {
	states, problems = n.notes.look()
	n.notes.mu.Lock()
	defer n.notes.mu.Unlock()
	brought, more := n.notes.shared()
	states, problems = append(states, brought...), append(problems, more...)
	notes.SelectForPrompt(states, n.notes.budget())
	return states, problems
}

// Add implements slash.Notes.
func (n noted) Add(text string, to notes.Scope) (said string, err error) {
	if n.notes.at.options.Record.Off {
		return "", errors.New("can't store a note: the session has no log (--no-session)")
	}
	note := notes.Note{Text: text}
	if to != notes.ScopeEverywhere {
		if note.Basis, err = n.notes.book.NewBasis(n.notes.at.workspace.Root(), notes.NamedFiles(n.notes.at.workspace.Root(), text)); err != nil {
			return "", err
		}
	}
	err = n.inFile(to, func() error {
		note, said, err = n.notes.keep(note, to, "")
		return err
	})
	switch {
	case err != nil:
	case to == notes.ScopeShared && !n.sharedAgreed():
		said += ". It is used after you approve its file with /trust"
	default:
		n.notes.mu.Lock()
		defer n.notes.mu.Unlock()
		n.notes.tellKept(note)
	}
	return said, err
}

// inFile applies a change of the user to the notes of a scope. If the user had approved the file of the
// repository, the changed file counts as approved.
func (n noted) inFile(of notes.Scope, change func() error) error {
	agreed := of == notes.ScopeShared && n.sharedAgreed()
	if err := change(); err != nil || !agreed {
		return err
	}
	items := sharedNotes(n.notes.at.settings, n.notes.book)
	if items == nil {
		return nil
	}
	n.notes.trust.Add(items[0])
	reviewed, err := n.notes.trust.Store.Review(items)
	if err != nil {
		return err
	}
	return n.notes.trust.Store.Approve(n.notes.at.process.Now(), reviewed...)
}

// sharedAgreed reports whether the user has approved the notes of the repository, or the repository has
// none.
func (n noted) sharedAgreed() bool {
	items := sharedNotes(n.notes.at.settings, n.notes.book)
	return items == nil || n.notes.trust.Store.Check(items[0]) == nil
}

// Approve implements slash.Notes.
func (n noted) Approve(id string) error {
	if notes.ScopeOf(id) == notes.ScopeShared && !n.sharedAgreed() {
		return fmt.Errorf("can't approve a single note of %s: approve the whole file with /trust", n.notes.book.File(notes.ScopeShared))
	}
	if err := n.inFile(notes.ScopeOf(id), func() error { return n.notes.book.Confirm(id, n.notes.at.process.Now()) }); err != nil {
		return err
	}
	states, _ := n.List()
	i := slices.IndexFunc(states, func(s notes.State) bool { return s.ID == id })
	if i < 0 {
		return nil // the file was deleted after the listing
	}
	n.notes.record("agreed", states[i].Note)
	n.notes.mu.Lock()
	defer n.notes.mu.Unlock()
	if n.notes.told[id] || n.notes.knows(id) < 0 {
		n.notes.sent = slices.DeleteFunc(n.notes.sent, func(note notes.Note) bool { return note.ID == id })
		delete(n.notes.told, id)
		n.notes.tellKept(states[i].Note)
	}
	return nil
}

// knows returns the index of the note with an ID among the notes that the model has received, or -1 for
// none.
func (n *noting) knows(id string) int {
	return slices.IndexFunc(n.sent, func(note notes.Note) bool { return note.ID == id })
}

// Edit implements slash.Notes.
func (n noted) Edit(id, text string) error {
	return n.change("edited", id, func(note *notes.Note) (bool, error) {
		note.Text = text
		return true, nil
	})
}

// Delete implements slash.Notes.
func (n noted) Delete(id string) error {
	return n.change("deleted", id, func(*notes.Note) (bool, error) { return false, nil })
}

// change changes a note. If the model has received the note, the next message reports the change to the
// model.
func (n noted) change(did, id string, act func(*notes.Note) (keep bool, err error)) error {
	var changed notes.Note
	err := n.inFile(notes.ScopeOf(id), func() error {
		return n.notes.book.Update(id, func(note *notes.Note) (keep bool, err error) {
			keep, err = act(note)
			changed = *note
			return keep, err
		})
	})
	if err != nil {
		return err
	}
	n.notes.record(did, changed)
	n.notes.mu.Lock()
	defer n.notes.mu.Unlock()
	n.notes.mine = slices.DeleteFunc(n.notes.mine, func(k keptNote) bool { return did == "deleted" && k.ID == changed.ID })
	i := n.notes.knows(changed.ID)
	if i < 0 {
		return nil
	}
	if !n.notes.told[changed.ID] {
		n.notes.news = append(n.notes.news, "The user has withdrawn this note; do not rely on it: "+humanize.Line(n.notes.sent[i].Text, 120))
	}
	n.notes.sent = slices.Delete(n.notes.sent, i, i+1)
	delete(n.notes.told, changed.ID) // another note may get this number
	if did == "edited" {
		n.notes.tellKept(changed)
	}
	return nil
}

// LatestTurnNotes implements slash.Notes.
func (n noted) LatestTurnNotes(since time.Time) (made []notes.Note, later bool) {
	n.notes.mu.Lock()
	defer n.notes.mu.Unlock()
	turn, latest := 0, 0
	for i, begun := range n.notes.begins {
		if !begun.After(since) {
			turn = i + 1
		}
	}
	for _, k := range n.notes.mine {
		latest = max(latest, k.turn)
	}
	for _, k := range n.notes.mine {
		if k.turn == latest && latest >= turn {
			made = append(made, k.Note)
		}
	}
	return made, latest > turn
}

// UsageLine implements slash.Notes.
func (n noted) UsageLine() string {
	n.notes.mu.Lock()
	defer n.notes.mu.Unlock()
	if n.notes.text == "" {
		return ""
	}
	return fmt.Sprintf("notes take %s tokens of the system prompt (/notes)", humanize.Tokens(len(n.notes.text)/noteBytesPerToken))
}

const (
	// earlierCommits is the git flag for the number of commits of a file that are searched for its earlier
	// content.
	earlierCommits = "-n30"
	// earlierTime limits the search.
	earlierTime = 3 * time.Second
)

// Diff implements slash.Notes.
func (n noted) Diff(ctx context.Context, note notes.Note) string {
	ctx, cancel := context.WithTimeout(ctx, earlierTime)
	defer cancel()
	var all strings.Builder
	for _, g := range note.Basis {
		now, _ := fsutil.Read(filepath.Join(n.notes.book.Root(), filepath.FromSlash(g.Path))) // a deleted note has no text
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
func (n noted) earlier(ctx context.Context, g notes.Basis) (content []byte, known bool) {
	log, err := gitcmd.Output(ctx, n.notes.book.Root(), "log", earlierCommits, "--format=", "--raw", "--no-abbrev", "--no-renames", "--", g.Path)
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
			if content, err := gitcmd.Output(ctx, n.notes.book.Root(), "cat-file", "blob", blob); err == nil && g.Matches(content) {
				return content, true
			}
		}
	}
	return nil, false
}
