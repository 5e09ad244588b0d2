package settings

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/suggest"
)

// Store keeps profiles in files. Several programs may use it concurrently. A change reads, edits
// and atomically writes a file under a lock, so that no change is lost and no reader sees a partly
// written file. An error about a name or the content of a file is an *Error.
type Store struct {
	folder   string
	registry *Registry
}

// NewStore returns the store in the configuration folder, which need not exist.
func NewStore(folder string, registry *Registry) *Store {
	return &Store{folder: folder, registry: registry}
}

// Path returns the path of a profile's file.
func (s *Store) Path(name string) string {
	return filepath.Join(s.folder, "profiles", name+".json")
}

// List returns the names of all profiles, sorted.
func (s *Store) List() ([]string, error) {
	folder := filepath.Join(s.folder, "profiles")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Problem: "cannot read " + folder + ": " + fsutil.Reason(err).Error(), Err: err}
	}
	var names []string
	for _, entry := range entries {
		name, isJSON := strings.CutSuffix(entry.Name(), ".json")
		if isJSON && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// Load reads a profile. The result lists unknown fields. For a wrong value, a broken file or a file
// of a later version, the error names the file, the line and the field.
func (s *Store) Load(name string) (*Profile, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	d, data, err := read(s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.missing(name)
	}
	if err != nil {
		return nil, err
	}
	p, err := s.registry.decodeProfile(name, d)
	if err != nil {
		return nil, faultError(s.Path(name), data, err)
	}
	return p, nil
}

// missing returns the error for a profile that does not exist. It lists the existing profiles.
func (s *Store) missing(name string) error {
	names, err := s.List()
	if err != nil {
		return err
	}
	problem := "no profile " + quote(name)
	switch near := suggest.Question(name, names); {
	case len(names) == 0:
		problem += "; no profile is saved yet"
	case near != "":
		problem += near
	default:
		problem += "; the profiles are: " + strings.Join(names, ", ")
	}
	return &Error{Problem: problem, Err: fs.ErrNotExist}
}

// Save stores values in the profile with a name, and creates the profile if it is missing. Unknown
// fields, and settings without a new value, remain in the file. Save returns the keys of these
// settings. It does not change a file that is broken or of a later version.
func (s *Store) Save(name string, values map[string]Value) (kept []string, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	err = locked(s.folder, func() error {
		path := s.Path(name)
		d, data, err := read(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		p, err := s.registry.decodeProfile(name, d)
		if err != nil {
			return faultError(path, data, err)
		}
		for _, key := range slices.Sorted(maps.Keys(p.Values)) {
			if _, replaced := values[key]; !replaced {
				kept = append(kept, key)
			}
		}
		if err := s.registry.encodeProfile(d, values); err != nil {
			return err
		}
		return write(path, d)
	})
	return kept, err
}

// Delete removes a profile. If it was the default, no profile is the default afterwards.
func (s *Store) Delete(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	path := s.Path(name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return s.missing(name)
	}
	return locked(s.folder, func() error {
		config, err := s.config()
		if err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return unwritable(path, err)
		}
		if err := fsutil.SyncFolder(filepath.Dir(path)); err != nil {
			return err
		}
		if value[string](config, fieldDefault) != name {
			return nil
		}
		return s.writeConfig(config, fieldDefault, nil)
	})
}
