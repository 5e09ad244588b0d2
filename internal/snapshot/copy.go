package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Copy gives a session that was forked from another a store of its own, with what that
// of the other keeps: marks mean the same in both. The contents are shared on disk,
// since what has a hash never becomes anything else. It is no error that the other keeps nothing, and what cannot
// be copied is left out, as if it were not kept any more.
func Copy(from, to string) error {
	journal, err := os.ReadFile(filepath.Join(from, "journal"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(to, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "journal"), journal, 0o600)
	}
	if err != nil {
		return err
	}
	contents := objects{folder: filepath.Join(from, "objects")}
	for _, object := range contents.all() {
		name, err := filepath.Rel(from, object.path)
		if err != nil {
			continue
		}
		copied := filepath.Join(to, name)
		if os.MkdirAll(filepath.Dir(copied), 0o700) == nil {
			_ = os.Link(object.path, copied)
		}
	}
	return nil
}

// Fork goes on in a folder of its own, as the session does, with all that is kept so far.
// Nothing is lost by an error: it goes on where it was.
func (s *Store) Fork(folder string) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := Copy(s.Folder, folder); err != nil {
		return err
	}
	err := s.release()
	s.Folder = folder
	s.journal = journal{path: filepath.Join(folder, "journal")}
	s.objects = objects{folder: filepath.Join(folder, "objects"), most: mostKept, size: -1}
	return err
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
