package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
)

// Copy copies the store of a session for a fork of the session. Marks have the same meaning in both
// stores. A missing store is no error. A content that cannot be read is omitted, as if it had been
// dropped for its age. A command that the other session is running is not part of the copy. After
// an error there is no copy.
func Copy(from, to string) error {
	journal, err := fsutil.ReadUpTo(filepath.Join(from, "journal"), largestJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = copyObjects(from, to)
	}
	if err == nil {
		journal, err = copyCommands(journal, from, to)
	}
	if err == nil { // last, because a folder with a journal counts as a store
		err = os.WriteFile(filepath.Join(to, "journal"), journal, 0o600)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(to))
	}
	return nil
}

// copyCommands copies the descriptions of the workspace for commands that have not ended. If a
// description is missing, an undo reports that. If a program has the store open, these commands
// belong to that program, and the returned journal marks them as ended.
func copyCommands(journal []byte, from, to string) ([]byte, error) {
	read := loaded{tree: newTree()}
	for line := range bytes.Lines(journal) {
		if r, ok := parseLine(bytes.TrimSuffix(line, []byte("\n"))); ok {
			if err := read.replay(r); err != nil {
				return nil, err
			}
		}
	}
	if len(read.tree.began) == 0 {
		return journal, nil
	}
	run := inUse(from)
	for _, b := range read.tree.began {
		if run {
			line, err := record{Ended: true, Of: b.Slot}.line()
			if err != nil {
				return nil, err
			}
			journal = append(append(bytes.TrimSuffix(journal, []byte("\n")), '\n'), line...)
			continue
		}
		if noted, missing := fsutil.ReadUpTo(notePath(from, b.Slot), largestJournal); missing == nil {
			if err := os.WriteFile(notePath(to, b.Slot), noted, 0o600); err != nil {
				return nil, err
			}
		}
	}
	return journal, nil
}

// copyObjects links the contents into another store, because the content with a hash never changes.
// It copies them if the file system has no hard links.
func copyObjects(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, object := range filesBelow(filepath.Join(from, "objects")) {
		name, err := filepath.Rel(from, object.path)
		if err != nil {
			return err
		}
		copied := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
			return err
		}
		if os.Link(object.path, copied) == nil {
			continue
		}
		content, err := fsutil.ReadUpTo(object.path, largest)
		if err != nil {
			continue
		}
		if err := os.WriteFile(copied, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Fork copies the store to another folder and continues there. After an error the store continues
// in its old folder, and the copy is removed.
func (s *Store) Fork(folder string) error {
	if !s.use() {
		return nil
	}
	defer s.mu.Unlock()
	if s.lock != nil {
		s.finishInterrupted(context.Background())
	}
	err := Copy(s.Folder, folder)
	if err == nil {
		// The state is read from the copy, since another program may have written to the journal.
		if err = s.load(folder); err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}
	if err != nil {
		return fmt.Errorf("can't copy the undo store: %w", fsutil.Reason(err))
	}
	return nil
}

// release closes the journal and releases the lock.
func (s *Store) release() error {
	err := s.journal.close()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
		s.lock = nil
	}
	return err
}
