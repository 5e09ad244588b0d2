package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/disk"
)

// Copy gives a session that was forked from another a store of its own, with what that
// of the other keeps: marks mean the same in both. It is no error that the other keeps
// nothing, and a content of it that cannot be read is left out, as if it were not kept
// any more. When it fails there is no store.
func Copy(from, to string) error {
	journal, err := os.ReadFile(filepath.Join(from, "journal"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = copyObjects(from, to)
	}
	// What was noted before a command; where that is missing it will be said.
	if noted, missing := os.ReadFile(filepath.Join(from, heldName)); err == nil && missing == nil {
		err = os.WriteFile(filepath.Join(to, heldName), noted, 0o600)
	}
	if err == nil { // last of all: it is what makes the folder a store
		err = os.WriteFile(filepath.Join(to, "journal"), journal, 0o600)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(to))
	}
	return nil
}

// copyObjects shares the contents on disk, since what has a hash never becomes anything
// else, or copies them where files cannot have two names.
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
		content, err := os.ReadFile(object.path)
		if err != nil {
			continue
		}
		if err := os.WriteFile(copied, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Fork continues in a folder of its own, as the session does, with all that is kept so far.
// After an error it continues where it was, and nothing is left of the other.
func (s *Store) Fork(folder string) error {
	if !s.use() {
		return nil
	}
	defer s.mu.Unlock()
	err := Copy(s.Folder, folder)
	if err == nil {
		// What the journal says counts: another program may have written to it.
		if err = s.load(folder); err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}
	if err != nil {
		return fmt.Errorf("what is kept for /undo cannot be copied: %w", disk.Reason(err))
	}
	return nil
}

// release closes what is open of the store's folder.
func (s *Store) release() error {
	err := s.journal.close()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
		s.lock = nil
	}
	return err
}
