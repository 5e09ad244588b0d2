package settings

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
)

// Fields of config.json.
const (
	fieldDefault = "defaultProfile"
	fieldRecent  = "recentModels"
)

// maxRecent bounds the models remembered.
const maxRecent = 10

// Default returns the profile that is loaded at start, "" when there is none.
func (s *Store) Default() (string, error) {
	config, err := s.config()
	return value[string](config, fieldDefault), err
}

// SetDefault makes a profile the one that is loaded at start. The empty name
// means none.
func (s *Store) SetDefault(name string) error {
	var profile any // none
	if name != "" {
		if _, err := s.Load(name); err != nil {
			return err
		}
		profile = name
	}
	return locked(s.folder, func() error {
		config, err := s.config()
		if err != nil {
			return err
		}
		return s.changeConfig(config, fieldDefault, profile)
	})
}

// RecentModels returns the models chosen last, the latest first.
func (s *Store) RecentModels() ([]string, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	return value[[]string](config, fieldRecent), nil
}

// RememberModel puts a model at the head of the recent ones.
func (s *Store) RememberModel(model string) error {
	return locked(s.folder, func() error {
		config, err := s.config()
		if err != nil {
			return err
		}
		models := slices.DeleteFunc(value[[]string](config, fieldRecent), func(m string) bool { return m == model })
		models = append([]string{model}, models...)
		return s.changeConfig(config, fieldRecent, models[:min(len(models), maxRecent)])
	})
}

func (s *Store) configPath() string { return filepath.Join(s.folder, "config.json") }

// config reads config.json; a missing one is empty.
func (s *Store) config() (document, error) {
	d, _, err := read(s.configPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return d, err
}

func (s *Store) changeConfig(config document, key string, value any) error {
	config, err := config.with(fieldVersion, version)
	if err == nil {
		config, err = config.with(key, value)
	}
	if err != nil {
		return err
	}
	return write(s.configPath(), config)
}

// value returns a field that is a T, else the zero T.
func value[T any](d document, key string) (v T) {
	f, ok := d.get(key)
	if ok && json.Unmarshal(f.raw, &v) != nil {
		return *new(T)
	}
	return v
}
