package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"
)

// The fields of config.json.
const (
	fieldDefault = "defaultProfile"
	fieldRecent  = "recentModels"
	fieldChosen  = "chosenModels"
	fieldKept    = "kept"
)

// maxRecent is the number of recent models that are stored.
const maxRecent = 10

// Default returns the profile that is loaded at start, or "" if there is none.
func (s *Store) Default() (string, error) {
	config, err := s.config()
	return value[string](config, fieldDefault), err
}

// SetDefault sets the profile that is loaded at start. The empty name means none.
func (s *Store) SetDefault(name string) error {
	if name == "" {
		return s.changeConfig(fieldDefault, func(document) any { return nil })
	}
	if _, err := s.Load(name); err != nil {
		return err
	}
	return s.changeConfig(fieldDefault, func(document) any { return name })
}

// RecentModels returns the models that were chosen last, the latest first.
func (s *Store) RecentModels() ([]string, error) {
	config, err := s.config()
	return value[[]string](config, fieldRecent), err
}

// RememberModel puts a model at the start of the recent models.
func (s *Store) RememberModel(model string) error {
	return s.changeConfig(fieldRecent, func(config document) any {
		others := slices.DeleteFunc(value[[]string](config, fieldRecent), func(m string) bool { return m == model })
		models := append([]string{model}, others...)
		return models[:min(len(models), maxRecent)]
	})
}

// chosenModel is the model that was chosen last at an endpoint. Told is set after a notice about
// the repeated use of the model.
type chosenModel struct {
	Model string `json:"model"`
	Told  bool   `json:"told,omitempty"`
}

// maxChosen is the number of endpoints for which the chosen model is stored.
const maxChosen = 50

// ChooseModel stores the model that was chosen at an endpoint.
func (s *Store) ChooseModel(endpoint, model string) error {
	return s.changeConfig(fieldChosen, func(config document) any {
		chosen := value[map[string]chosenModel](config, fieldChosen)
		if chosen == nil || len(chosen) >= maxChosen && chosen[endpoint].Model == "" {
			chosen = map[string]chosenModel{}
		}
		if chosen[endpoint].Model != model {
			chosen[endpoint] = chosenModel{Model: model}
		}
		return chosen
	})
}

// LastModel returns the model that was chosen last at an endpoint, "" for none.
func (s *Store) LastModel(endpoint string) string { return s.chosen(endpoint).Model }

func (s *Store) chosen(endpoint string) chosenModel {
	config, err := s.config()
	if err != nil {
		return chosenModel{}
	}
	return value[map[string]chosenModel](config, fieldChosen)[endpoint]
}

// ChosenModel returns the model that was chosen last at an endpoint, or "". first is true for the
// first call after the choice, so that the caller can notify the user.
func (s *Store) ChosenModel(endpoint string) (model string, first bool) {
	chosen := s.chosen(endpoint)
	if chosen.Model == "" || chosen.Told {
		return chosen.Model, false
	}
	err := s.changeConfig(fieldChosen, func(config document) any {
		all := value[map[string]chosenModel](config, fieldChosen)
		if one := all[endpoint]; one.Model != "" {
			one.Told = true
			all[endpoint] = one
		}
		return all
	})
	return chosen.Model, err == nil
}

// SavedChoices returns the user's choices that apply to every session. problems describes what it omits:
// settings that belong to a task, and invalid values.
func (s *Store) SavedChoices() (values map[string]Value, problems []string, err error) {
	config, err := s.config()
	if err != nil {
		return nil, nil, err
	}
	values = map[string]Value{}
	all := value[map[string]json.RawMessage](config, fieldKept)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		spec, known := s.registry.named(key)
		switch {
		case !known:
			problems = append(problems, fmt.Sprintf("unknown setting %s in %s (from a newer version?)", key, s.configPath()))
		case !spec.Person:
			problems = append(problems, fmt.Sprintf("ignored %s in %s: it can only be set for a session or in a profile", key, s.configPath()))
		default:
			v, wrong := spec.fromJSON(all[key])
			if wrong != nil {
				problems = append(problems, fmt.Sprintf("ignored %s: %v", s.configPath(), wrong))
				continue
			}
			values[spec.Key] = v
		}
	}
	return values, problems, nil
}

// SaveChoice stores a choice of the user for every session. An unset value removes the choice. It returns
// an error for a setting that belongs to a task.
func (s *Store) SaveChoice(key string, v Value) error {
	if spec, err := s.registry.Lookup(key); err != nil || !spec.Person {
		return errors.Join(err, &Error{Key: key, Problem: "can only be set for a session or in a profile"})
	}
	return s.changeConfig(fieldKept, func(config document) any {
		all := value[map[string]json.RawMessage](config, fieldKept)
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		delete(all, key)
		if text, err := json.Marshal(v); err == nil && v.IsSet() {
			all[key] = text
		}
		if len(all) == 0 {
			return nil
		}
		return all
	})
}

// config reads config.json. It returns an empty document for a missing file.
func (s *Store) config() (document, error) {
	d, _, err := read(s.configPath())
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	return d, err
}

func (s *Store) configPath() string { return filepath.Join(s.folder, "config.json") }

// changeConfig sets a field of config.json to the result of change. A nil result removes the field.
func (s *Store) changeConfig(name string, change func(config document) any) error {
	return locked(s.folder, func() error {
		config, err := s.config()
		if err != nil {
			return err
		}
		return s.writeConfig(config, name, change(config))
	})
}

// writeConfig writes config.json with a field set to value, or removed if value is nil. The caller
// holds the lock.
func (s *Store) writeConfig(config document, name string, value any) error {
	err := config.set(fieldVersion, version)
	if value != nil {
		err = errors.Join(err, config.set(name, value))
	} else {
		config.object.Members = slices.DeleteFunc(config.object.Members, func(m hujson.ObjectMember) bool { return key(m) == name })
	}
	if err != nil {
		return err
	}
	return write(s.configPath(), config)
}

// value returns a field as a T. It returns the zero T if the field is missing or has another type.
func value[T any](d document, name string) (v T) {
	if field := d.get(name); field != nil && json.Unmarshal(raw(*field), &v) != nil {
		return *new(T)
	}
	return v
}
