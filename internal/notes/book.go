package notes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/gitfiles/layout"
	"agent/internal/workspace"
)

const (
	// longestFile limits what is read of a file of notes, in bytes.
	longestFile = 1 << 20
	// sharedFile is the file of notes that a repository brings.
	sharedFile = ".agents/NOTES.md"
)

// A Scope says where notes hold. Their IDs begin with it.
type Scope string

// The scopes.
const (
	// Repository has the notes of the user for one repository, Everywhere the notes for all
	// repositories.
	Repository Scope = "n"
	Everywhere Scope = "u"
	// Shared has the notes that the repository brings, for everybody who works on it.
	Shared Scope = "p"
)

// A Book holds three kinds of notes: of the user for a repository, of the user for all
// repositories, and notes that the repository brings.
type Book struct {
	// Refuses returns why a text may not be kept, nil if it may; it may be nil itself.
	Refuses func(text string) error

	// folder holds the files of the user, root is the folder below which grounds are.
	folder, root string
	home         string
	file         map[Scope]string
}

// Open returns the book of the repository around a workspace, in the configuration folder. All
// work trees of a repository share it; outside of a repository the workspace has its own.
func Open(config, home, workspace string) *Book {
	root, shared := layout.Top(workspace), layout.CommonDir(workspace)
	if root == "" || shared == "" {
		root, shared = workspace, workspace
	}
	sum := sha256.Sum256([]byte(shared))
	name := strings.TrimSuffix(shared, "/.git")
	folder := filepath.Join(config, "notes")
	return &Book{folder: folder, root: root, home: home, file: map[Scope]string{
		Repository: filepath.Join(folder, filepath.Base(name)+"-"+hex.EncodeToString(sum[:4])+".md"),
		Everywhere: filepath.Join(folder, "user.md"),
		Shared:     filepath.Join(root, filepath.FromSlash(sharedFile)),
	}}
}

// Root returns the folder below which the grounds are.
func (b *Book) Root() string { return b.root }

// File returns the path of the file with the notes of a scope.
func (b *Book) File(of Scope) string { return b.file[of] }

// Notes returns the user's notes for the repository, then those that hold everywhere. Problems
// name what cannot be read.
func (b *Book) Notes() (all []Note, problems []string) {
	for _, scope := range []Scope{Repository, Everywhere} {
		some, _, wrong := b.notes(scope)
		all, problems = append(all, some...), append(problems, wrong...)
	}
	return all, problems
}

// Shared returns the notes that the repository brings, and the text of their file, which is empty
// if there is no note. They are foreign: nobody has agreed to them yet.
func (b *Book) Shared() (all []Note, text string, problems []string) {
	if b.root == fsutil.Real(b.home) {
		return nil, "", nil
	}
	if all, text, problems = b.notes(Shared); len(all) == 0 {
		text = ""
	}
	return all, text, problems
}

func (b *Book) notes(scope Scope) (all []Note, text string, problems []string) {
	pieces, err := b.read(scope)
	var cut *cutError
	if err != nil {
		problems = append(problems, err.Error())
	}
	if err != nil && !errors.As(err, &cut) {
		return nil, "", problems
	}
	for _, p := range pieces {
		if p.note == nil {
			continue
		}
		if _, err := Clean(p.note.Text); err != nil {
			problems = append(problems, fmt.Sprintf("note %s in %s is not used: %v", p.note.ID, b.file[scope], err))
			continue
		}
		all = append(all, *p.note)
	}
	return all, join(pieces), problems
}

// Other describes the lines of the user's files that are neither notes nor headings, a line for
// each file that has any. They stay as they are and are not sent.
func (b *Book) Other() (lines []string) {
	for _, scope := range []Scope{Repository, Everywhere} {
		pieces, _ := b.read(scope)
		count := 0
		for _, p := range pieces {
			for line := range strings.Lines(p.raw) {
				if line = strings.TrimSpace(line); p.note == nil && line != "" && line[0] != '#' {
					count++
				}
			}
		}
		if count > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s outside of notes, which are not sent; a note is an item of a list", b.file[scope], humanize.Count(count, "line")))
		}
	}
	return lines
}

// A cutError says that a file is longer than what is read of it.
type cutError struct{ path string }

func (e *cutError) Error() string {
	return fmt.Sprintf("%s is longer than 1 MB; its end is not read", e.path)
}

func (b *Book) read(scope Scope) ([]piece, error) {
	pieces, _, err := b.readFile(scope)
	return pieces, err
}

// readFile returns the pieces of a file, and its text and real path, which are empty for a missing
// file.
func (b *Book) readFile(scope Scope) ([]piece, trustedfile.Text, error) {
	path, place := b.file[scope], trustedfile.Place{Home: b.home}
	if scope == Shared {
		place.Root = b.root
	}
	text, err := place.Read(path, longestFile)
	switch {
	case trustedfile.Missing(err):
		return nil, text, nil
	case err != nil:
		return nil, text, fmt.Errorf("notes are not read: %w", fsutil.Reason(err))
	case text.Cut:
		err = &cutError{path}
		text.Text = text.Text[:strings.LastIndexByte(text.Text, '\n')+1]
	}
	return parse(text.Text, scope), text, err
}

// mostRetries limits how often a change starts again because an editor saved the file.
const mostRetries = 100

// change changes the file of a scope as a whole, under the lock. The lock does not bind editors, so
// change starts again if the file has changed since it was read.
func (b *Book) change(scope Scope, act func([]piece) ([]piece, error)) error {
	file := fsutil.Target{Path: b.file[scope], Mode: 0o600, Locked: true}
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		return err
	}
	if scope == Shared {
		file.Root, file.Mode = b.root, 0o644
		if err := os.MkdirAll(filepath.Dir(file.Path), 0o755); err != nil {
			return err
		}
	}
	return fsutil.WithLock(b.folder, func() (err error) {
		for range mostRetries {
			if err = b.changeOnce(scope, file, act); !errors.Is(err, workspace.ErrChanged) {
				return err
			}
		}
		return err
	})
}

// changeOnce changes the file if nobody else changes it at the same time. The error is
// workspace.ErrChanged otherwise.
func (b *Book) changeOnce(scope Scope, file fsutil.Target, act func([]piece) ([]piece, error)) error {
	pieces, now, err := b.readFile(scope)
	if err != nil {
		return err
	}
	if pieces, err = act(pieces); err != nil {
		return err
	}
	if now.Real == "" {
		if err = file.Check(); err == nil {
			err = fsutil.CreateNew(file.Path, nil, file.Mode)
		}
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s %w", file.Path, workspace.ErrChanged)
		}
		if err == nil {
			now.Real, err = filepath.EvalSymlinks(file.Path)
		}
		if err != nil {
			return err
		}
	}
	in, err := workspace.New(filepath.Dir(now.Real), "")
	if err != nil {
		return err
	}
	return in.Replace(now.Real, []byte(now.Text), []byte(join(pieces)))
}

// mostNotes limits the notes of a file.
const mostNotes = 2000

// Add keeps a note and returns it with its ID. A note that differs only in blanks is replaced by
// the new one and keeps its ID. What the note replaces is deleted in the same step; an empty
// replaces deletes nothing.
func (b *Book) Add(n Note, to Scope, replaces string) (Note, error) {
	if err := b.clean(&n); err != nil {
		return n, err
	}
	return n, b.change(to, func(pieces []piece) ([]piece, error) { return b.addNote(pieces, &n, to, replaces) })
}

// Draft returns the file to which Add would add a note, as it is and as it would be.
func (b *Book) Draft(n Note, to Scope, replaces string) (before, after string, err error) {
	pieces, err := b.read(to)
	if err != nil {
		return "", "", err
	}
	before = join(pieces)
	pieces, err = b.addNote(pieces, &n, to, replaces)
	return before, join(pieces), err
}

func (b *Book) clean(n *Note) (err error) {
	if n.Text, err = Clean(n.Text); err == nil && b.Refuses != nil {
		err = b.Refuses(n.Text)
	}
	return err
}

// addNote adds a note to the pieces of a file, and sets its ID.
func (b *Book) addNote(pieces []piece, n *Note, to Scope, replaces string) ([]piece, error) {
	if replaces != "" {
		at := at(pieces, replaces)
		if at < 0 {
			return nil, missing(replaces)
		}
		pieces = slices.Delete(pieces, at, at+1)
	}
	for i, p := range pieces {
		if p.note != nil && sameText(p.note.Text, n.Text) {
			n.ID = p.note.ID
			n.Proposed = n.Proposed && p.note.Proposed
			pieces[i].raw = n.render()
			return pieces, nil
		}
	}
	if len(pieces) >= mostNotes {
		return nil, fmt.Errorf("%s holds %d notes; delete some first", b.file[to], len(pieces))
	}
	n.ID = fmt.Sprint(to, highest(pieces)+1)
	return append(pieces, piece{raw: n.render()}), nil
}

func at(pieces []piece, id string) int {
	return slices.IndexFunc(pieces, func(p piece) bool { return p.note != nil && p.note.ID == id })
}

// Change changes the note with an ID, or deletes it if act reports false.
func (b *Book) Change(id string, act func(*Note) (keep bool, err error)) error {
	if !isID(id) {
		return missing(id)
	}
	return b.change(Scope(id[:1]), func(pieces []piece) ([]piece, error) {
		at := at(pieces, id)
		if at < 0 {
			return nil, missing(id)
		}
		keep, err := act(pieces[at].note)
		if err != nil || !keep {
			return slices.Delete(pieces, at, at+1), err
		}
		if err := b.clean(pieces[at].note); err != nil {
			return nil, err
		}
		pieces[at].raw = pieces[at].note.render()
		return pieces, nil
	})
}

func missing(id string) error { return fmt.Errorf("unknown note %s; /notes lists them", id) }
