package keymap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/base/suggest"
	"agent/internal/tui/term"
)

// Read returns the default keys with the changes in the file at path. Without a file it returns the default
// keys. A file with errors changes nothing; faults describes each error with its line.
func Read(path string) (m *Map, faults []string) {
	data, err := fsutil.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Default(), nil
	}
	if err != nil {
		return Default(), []string{err.Error()}
	}
	m, faults = Parse(data)
	for i, fault := range faults {
		faults[i] = path + ":" + fault
	}
	return m, faults
}

// binding is a key that a file assigns to an action.
type binding struct {
	action, key string
	line        int
}

// file is the state of parsing a keys.json.
type file struct {
	data     []byte
	decoder  *json.Decoder
	bindings []binding
	// bound holds the actions that the file names.
	bound  map[string]bool
	faults []string
}

// Parse returns the default keys with the changes in a file: {"keys": {"ACTION": ["KEY", …]}}. Each item of
// faults begins with a line number. A file with errors changes nothing.
func Parse(data []byte) (m *Map, faults []string) {
	f := &file{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), bound: map[string]bool{}}
	if err := f.read(); err != nil {
		f.fault("%v", err)
	}
	all := rows()
	f.conflicts(of(all))
	if len(f.faults) > 0 {
		return Default(), f.faults
	}
	for _, row := range all {
		for i := range row.Actions {
			if a := &row.Actions[i]; f.bound[a.Name] {
				a.Keys, a.Own = f.keysOf(a.Name), true
			}
		}
	}
	return of(all), nil
}

// fault records an error at the line that was read last.
func (f *file) fault(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf("%d: ", f.line())+fmt.Sprintf(format, args...))
}

func (f *file) line() int {
	return rawjson.PositionAt(f.data, int(f.decoder.InputOffset())).Line
}

// read reads the file. It returns an error if parsing cannot continue.
func (f *file) read() error {
	const object = "expected a JSON object"
	err := f.each('{', object, func(name string) error {
		if name != "keys" {
			f.fault("unknown field %q: only \"keys\" is allowed", name)
			return f.decoder.Decode(new(json.RawMessage))
		}
		return f.each('{', object, f.action)
	})
	if err != nil {
		return err
	}
	if f.decoder.More() {
		return errors.New("there is text after the JSON object")
	}
	return nil
}

// each reads an object or a list, and calls item with the name of each member or with each value.
func (f *file) each(opens json.Delim, wanted string, item func(string) error) error {
	if token, err := f.decoder.Token(); err != nil {
		return err
	} else if token != opens {
		return fmt.Errorf("%s, not %v", wanted, token)
	}
	for f.decoder.More() {
		token, err := f.decoder.Token()
		if err != nil {
			return err
		}
		if err := item(fmt.Sprint(token)); err != nil {
			return err
		}
	}
	_, err := f.decoder.Token()
	return err
}

func (f *file) action(name string) error {
	names := make([]string, 0, 64)
	for _, a := range Default().Actions() {
		names = append(names, a.Name)
		if a.Name == name && a.Fixed {
			f.fault("can't change the keys of %s", name)
		}
	}
	if !slices.Contains(names, name) {
		f.fault("unknown action %q%s", name, cmp.Or(suggest.Question(name, names), ". Run: /keys"))
	}
	if f.bound[name] {
		f.fault("%s appears twice", name)
	}
	f.bound[name] = true
	return f.each('[', name+` must be a list of keys, such as ["ctrl+k"]`, func(spelled string) error {
		f.key(name, spelled)
		return nil
	})
}

func (f *file) key(action, spelled string) {
	key, why := term.ParseKey(spelled)
	if why == "" && slices.ContainsFunc(Default().Actions(), func(a Action) bool { return a.Fixed && slices.Contains(a.Keys, key) }) {
		why = "it always interrupts or quits"
	}
	if why != "" {
		f.fault("%s: can't use the key %q: %s", action, spelled, why)
		return
	}
	f.bindings = append(f.bindings, binding{action, key, f.line()})
}

func (f *file) keysOf(action string) []string {
	keys := []string{}
	for _, b := range f.bindings {
		if b.action == action && !slices.Contains(keys, b.key) {
			keys = append(keys, b.key)
		}
	}
	return keys
}

// conflicts records each key that the file assigns to two actions, or to another action than the default
// action of the key.
func (f *file) conflicts(defaults *Map) {
	for i, b := range f.bindings {
		var others []string
		for _, other := range f.bindings[:i] {
			if other.key == b.key && other.action != b.action {
				others = append(others, fmt.Sprintf("%s (line %d)", other.action, other.line))
			}
		}
		for _, other := range defaults.ActionsOf(b.key) {
			if other != b.action && !f.bound[other] {
				others = append(others, other+` (its default; to free the key, set "`+other+`": [])`)
			}
		}
		if len(others) > 0 {
			f.faults = append(f.faults, fmt.Sprintf("%d: %s is assigned to %s and to %s", b.line, b.key, b.action, strings.Join(others, ", ")))
		}
	}
}
