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
	// longestFile limits how much of a notes file is read, in bytes.
	longestFile = 1 << 20
	// sharedFile is the path of the notes file in a repository.
	sharedFile = ".agents/NOTES.md"
)

// A Scope is where notes apply. The IDs of notes begin with their scope.
type Scope string

// The scopes.
const (
	// ScopeRepository is the scope of the user's notes for one repository. Everywhere is the scope of the
	// user's notes for all repositories.
	ScopeRepository Scope = "n"
	ScopeEverywhere Scope = "u"
	// ScopeShared is the scope of the notes that are stored in the repository, for everybody who works on
	// it.
	ScopeShared Scope = "p"
)

// A Book contains three kinds of notes: the user's notes for a repository, the user's notes for all
// repositories, and the notes stored in the repository.
type Book struct {
	// Refuses returns why a text may not be stored, or nil. Refuses itself may be nil.
	Refuses func(text string) error

	// folder contains the files of the user. root is the folder of the files on which notes are based.
	folder, root string
	home         string
	file         map[Scope]string
}

// Open returns the book of the repository that contains a workspace, in the configuration folder. All
// work trees of a repository share it. Outside of a repository, the workspace has a separate book.
func Open(config, home, workspace string) *Book {
	root, shared := layout.TopFolder(workspace), layout.CommonDir(workspace)
	if root == "" || shared == "" {
		root, shared = workspace, workspace
	}
	sum := sha256.Sum256([]byte(shared))
	name := strings.TrimSuffix(shared, "/.git")
	folder := filepath.Join(config, "notes")
	return &Book{folder: folder, root: root, home: home, file: map[Scope]string{
		ScopeRepository: filepath.Join(folder, filepath.Base(name)+"-"+hex.EncodeToString(sum[:4])+".md"),
		ScopeEverywhere: filepath.Join(folder, "user.md"),
		ScopeShared:     filepath.Join(root, filepath.FromSlash(sharedFile)),
	}}
}

// Root returns the folder of the files on which notes are based.
func (b *Book) Root() string { return b.root }

// File returns the path of the file with the notes of a scope.
func (b *Book) File(of Scope) string { return b.file[of] }

// Notes returns the user's notes for the repository, then the user's notes for all repositories.
// problems lists what cannot be read.
func (b *Book) Notes() (all []Note, problems []string) {
	for _, scope := range []Scope{ScopeRepository, ScopeEverywhere} {
		some, _, wrong := b.notes(scope)
		all, problems = append(all, some...), append(problems, wrong...)
	}
	return all, problems
}

// Shared returns the notes stored in the repository, and the text of their file, which is "" if there
// are no notes. The notes are untrusted, because the user has not approved them.
func (b *Book) Shared() (all []Note, text string, problems []string) {
	if b.root == fsutil.ResolveLinks(b.home) {
		return nil, "", nil
	}
	if all, text, problems = b.notes(ScopeShared); len(all) == 0 {
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

// OtherLines describes the lines of the user's files that are neither notes nor headings, one line for each
// file with such lines. These lines are kept unchanged and not sent.
func (b *Book) OtherLines() (lines []string) {
	for _, scope := range []Scope{ScopeRepository, ScopeEverywhere} {
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
			lines = append(lines, fmt.Sprintf("%s: %s not sent to the model, because only list items are notes", b.file[scope], humanize.Count(count, "line")))
		}
	}
	return lines
}

// A cutError is returned for a file that is longer than longestFile.
type cutError struct{ path string }

func (e *cutError) Error() string {
	return fmt.Sprintf("%s is longer than 1 MB; agent reads only the first 1 MB", e.path)
}

func (b *Book) read(scope Scope) ([]piece, error) {
	pieces, _, err := b.readFile(scope)
	return pieces, err
}

// readFile returns the pieces of a file, its text and its real path. Text and path are empty for a
// missing file.
func (b *Book) readFile(scope Scope) ([]piece, trustedfile.Text, error) {
	path, place := b.file[scope], trustedfile.ReadScope{Home: b.home}
	if scope == ScopeShared {
		place.Root = b.root
	}
	text, err := place.Read(path, longestFile)
	switch {
	case trustedfile.IsMissing(err):
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

// change changes the file of a scope as a whole, under the lock. Editors ignore the lock, so change
// starts again if the file has changed since it was read.
func (b *Book) change(scope Scope, act func([]piece) ([]piece, error)) error {
	file := fsutil.Target{Path: b.file[scope], Mode: 0o600, Locked: true}
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		return err
	}
	if scope == ScopeShared {
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

// changeOnce changes the file if it is not changed by another program at the same time. Otherwise the
// error is workspace.ErrChanged.
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

const mostNotes = 2000

// Add stores a note and returns it with its ID. If a note differs only in blanks, the new note replaces
// it and keeps its ID. The note with the ID replaces is deleted in the same step. If replaces is "",
// none is deleted.
func (b *Book) Add(n Note, to Scope, replaces string) (Note, error) {
	if err := b.clean(&n); err != nil {
		return n, err
	}
	return n, b.change(to, func(pieces []piece) ([]piece, error) { return b.addNote(pieces, &n, to, replaces) })
}

// PreviewAdd returns the text of the file to which Add would add a note, before and after that.
func (b *Book) PreviewAdd(n Note, to Scope, replaces string) (before, after string, err error) {
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
		return nil, fmt.Errorf("%s has %d notes, the maximum; delete some first", b.file[to], len(pieces))
	}
	n.ID = fmt.Sprint(to, highest(pieces)+1)
	return append(pieces, piece{raw: n.render()}), nil
}

func at(pieces []piece, id string) int {
	return slices.IndexFunc(pieces, func(p piece) bool { return p.note != nil && p.note.ID == id })
}

// Update changes the note with an ID, or deletes it if act reports false.
func (b *Book) Update(id string, act func(*Note) (keep bool, err error)) error {
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

func missing(id string) error {
	return fmt.Errorf("unknown note %s. To list the notes, type /notes", id)
}
