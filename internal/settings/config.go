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
	return config.text(fieldDefault), err
}

// SetDefault makes a profile the one that is loaded at start. The empty name
// means none.
func (s *Store) SetDefault(name string) error {
	if name == "" {
		return locked(s.folder, func() error { return s.editConfig(fieldDefault, nil) })
	}
	if _, err := s.Load(name); err != nil {
		return err
	}
	return locked(s.folder, func() error { return s.editConfig(fieldDefault, name) })
}

// RecentModels returns the models chosen last, the latest first.
func (s *Store) RecentModels() ([]string, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	return config.list(fieldRecent), nil
}

// RememberModel puts a model at the head of the recent ones.
func (s *Store) RememberModel(model string) error {
	return locked(s.folder, func() error {
		config, err := s.config()
		if err != nil {
			return err
		}
		models := slices.DeleteFunc(config.list(fieldRecent), func(m string) bool { return m == model })
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

// editConfig reads, changes and writes one field. The caller holds the lock.
func (s *Store) editConfig(key string, value any) error {
	config, err := s.config()
	if err != nil {
		return err
	}
	return s.changeConfig(config, key, value)
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

// text returns a field that is a string, else "".
func (d document) text(key string) string {
	var text string
	if f, ok := d.get(key); ok && json.Unmarshal(f.raw, &text) == nil {
		return text
	}
	return ""
}

// list returns a field that is a list of strings, else nil.
func (d document) list(key string) []string {
	var list []string
	if f, ok := d.get(key); ok && json.Unmarshal(f.raw, &list) == nil {
		return list
	}
	return nil
}
