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

	"agent/internal/disk"
	"agent/internal/git/layout"
	"agent/internal/setup/source"
)

const (
	// longestFile bounds what is read of a file of notes, in bytes.
	longestFile = 1 << 20
	repository  = "n"
	everywhere  = "u"
)

// A Book holds the notes of a person for a repository, and those that hold everywhere.
type Book struct {
	// folder holds the files, root is the folder below which grounds are.
	folder, root string
	home         string
	file         map[string]string // by the prefix of the IDs
}

// Open returns the book of the repository around a workspace, in the configuration folder. All
// work trees of a repository share it; outside of a repository the workspace has its own.
func Open(config, home, workspace string) *Book {
	root, shared := layout.Top(workspace), layout.Common(workspace)
	if root == "" || shared == "" {
		root, shared = workspace, workspace
	}
	sum := sha256.Sum256([]byte(shared))
	name := strings.TrimSuffix(shared, "/.git")
	folder := filepath.Join(config, "notes")
	return &Book{folder, root, home, map[string]string{
		repository: filepath.Join(folder, filepath.Base(name)+"-"+hex.EncodeToString(sum[:4])+".md"),
		everywhere: filepath.Join(folder, "user.md"),
	}}
}

// Files returns the paths of the files with notes, of the repository and everywhere.
func (b *Book) Files() []string { return []string{b.file[repository], b.file[everywhere]} }

// Notes returns the notes of the repository, then those that hold everywhere. Problems name what
// cannot be read.
func (b *Book) Notes() (all []Note, problems []string) {
	for _, prefix := range []string{repository, everywhere} {
		pieces, err := b.read(prefix)
		var cut *cutError
		if err != nil {
			problems = append(problems, err.Error())
		}
		if err != nil && !errors.As(err, &cut) {
			continue
		}
		for _, p := range pieces {
			if p.note == nil {
				continue
			}
			if _, err := Clean(p.note.Text); err != nil {
				problems = append(problems, fmt.Sprintf("note %s in %s is not used: %v", p.note.ID, b.file[prefix], err))
				continue
			}
			all = append(all, *p.note)
		}
	}
	return all, problems
}

// A cutError says that a file is longer than what is read of it.
type cutError struct{ path string }

func (e *cutError) Error() string {
	return fmt.Sprintf("%s is longer than 1 MB; its end is not read", e.path)
}

func (b *Book) read(prefix string) ([]piece, error) {
	path := b.file[prefix]
	text, err := source.Place{Home: b.home}.Read(path, longestFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("notes are not read: %w", disk.Reason(err))
	case text.Cut:
		err = &cutError{path}
		text.Text = text.Text[:strings.LastIndexByte(text.Text, '\n')+1]
	}
	return parse(text.Text, prefix), err
}

// change changes the file of a prefix as a whole, under the lock.
func (b *Book) change(prefix string, act func([]piece) ([]piece, error)) error {
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		return err
	}
	return disk.Locked(b.folder, func() error {
		pieces, err := b.read(prefix)
		if err != nil {
			return err
		}
		if pieces, err = act(pieces); err != nil {
			return err
		}
		return disk.Replace(b.file[prefix], []byte(join(pieces)), 0o600)
	})
}

// mostNotes bounds the notes of a file.
const mostNotes = 2000

// Add keeps a note, of the repository or everywhere, and returns it with its ID. A note that
// differs only in blanks is replaced by the new one and keeps its ID. What the note replaces is
// deleted in the same step; an empty replaces deletes nothing.
func (b *Book) Add(n Note, user bool, replaces string) (Note, error) {
	text, err := Clean(n.Text)
	if err != nil {
		return n, err
	}
	n.Text = text
	prefix := repository
	if user {
		prefix = everywhere
	}
	return n, b.change(prefix, func(pieces []piece) ([]piece, error) {
		if replaces != "" {
			at := slices.IndexFunc(pieces, func(p piece) bool { return p.note != nil && p.note.ID == replaces })
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
			return nil, fmt.Errorf("%s holds %d notes; delete some first", b.file[prefix], len(pieces))
		}
		n.ID = fmt.Sprint(prefix, highest(pieces)+1)
		return append(pieces, piece{raw: n.render()}), nil
	})
}

// Change changes the note with an ID, or deletes it if act reports false.
func (b *Book) Change(id string, act func(*Note) (keep bool, err error)) error {
	if !isID(id) {
		return missing(id)
	}
	return b.change(id[:1], func(pieces []piece) ([]piece, error) {
		at := slices.IndexFunc(pieces, func(p piece) bool { return p.note != nil && p.note.ID == id })
		if at < 0 {
			return nil, missing(id)
		}
		keep, err := act(pieces[at].note)
		if err != nil || !keep {
			return slices.Delete(pieces, at, at+1), err
		}
		if pieces[at].note.Text, err = Clean(pieces[at].note.Text); err != nil {
			return nil, err
		}
		pieces[at].raw = pieces[at].note.render()
		return pieces, nil
	})
}

func missing(id string) error { return fmt.Errorf("there is no note %s; /notes lists them", id) }
