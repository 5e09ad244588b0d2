package settings

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"agent/internal/pattern"
)

// NoProfile is the word that represents no profile; it cannot name one.
const NoProfile = "none"

// maxName bounds a profile's name, so that its file name is valid everywhere.
const maxName = 64

var plainName = pattern.New(`^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$`)

// Profile is a named set of values, validated.
type Profile struct {
	Name string
	// Values are the known settings by canonical key, the model among them.
	Values map[string]Value
	// Unknown are the fields this version does not know, for example
	// "settings.colour"; they are kept when the profile is saved.
	Unknown []string
}

// ValidName reports whether name can name a profile.
func ValidName(name string) error {
	switch {
	case name == "":
		return &Error{Problem: "a profile needs a name"}
	case strings.EqualFold(name, NoProfile):
		return &Error{Problem: `"none" stands for no profile and cannot name one`}
	case len(name) > maxName || !plainName.MatchString(name):
		return &Error{Problem: "not a profile name: " + quote(name) + "; use letters, digits, - _ and ., at most 64"}
	}
	return nil
}

// Fields of a profile file. The model is beside the settings.
const (
	fieldVersion  = "version"
	fieldModel    = "model"
	fieldSettings = "settings"
	// fieldSchema lets an editor find the schema; it means nothing to the program.
	fieldSchema = "$schema"
)

// decodeProfile validates a profile document. Errors are *fault: the first
// value that is wrong.
func (r *Registry) decodeProfile(name string, d document) (*Profile, error) {
	p := &Profile{Name: name, Values: make(map[string]Value)}
	for _, f := range d {
		switch f.key {
		case fieldVersion, fieldSchema:
		case fieldModel:
			if err := r.decodeValue(p, f, ""); err != nil {
				return nil, err
			}
		case fieldSettings:
			inner, err := parseObject(f.raw, f.offset, fieldSettings)
			if err != nil {
				return nil, err
			}
			for _, setting := range inner {
				if err := r.decodeValue(p, setting, fieldSettings); err != nil {
					return nil, err
				}
			}
		default:
			p.Unknown = append(p.Unknown, f.key)
		}
	}
	return p, nil
}

// decodeValue validates one setting of the object called parent into p.
func (r *Registry) decodeValue(p *Profile, f field, parent string) error {
	spec, known := r.named(f.key)
	if !known && isKeyName(f.key) {
		return &fault{f.offset, join(parent, f.key), keyIsNoSetting}
	}
	if !known {
		p.Unknown = append(p.Unknown, join(parent, f.key))
		return nil
	}
	if string(f.raw) == "null" {
		return nil
	}
	if parent == fieldSettings && spec.Key == Model.Key() {
		return &fault{f.offset, join(parent, f.key), `belongs beside "settings", not into it`}
	}
	if _, twice := p.Values[spec.Key]; twice {
		return &fault{f.offset, join(parent, f.key), "is there twice, as " + strings.Join(append([]string{spec.Key}, spec.Aliases...), " and ")}
	}
	value, err := spec.fromJSON(f.raw)
	var wrong *Error
	if errors.As(err, &wrong) {
		return &fault{f.offset, join(parent, f.key), wrong.Problem}
	}
	p.Values[spec.Key] = value
	return nil
}

// encodeProfile puts values into d and leaves everything else as it is. Known
// settings are written under their canonical keys.
func (r *Registry) encodeProfile(d document, values map[string]Value) (document, error) {
	d, err := d.with(fieldVersion, version)
	if err != nil {
		return nil, err
	}
	var settings document
	if f, ok := d.get(fieldSettings); ok {
		if settings, err = parseObject(f.raw, f.offset, fieldSettings); err != nil {
			return nil, err
		}
	}
	for i, f := range settings {
		if spec, known := r.named(f.key); known {
			settings[i].key = spec.Key
		}
	}
	if model, ok := values[Model.Key()]; ok {
		if d, err = d.with(fieldModel, model); err != nil {
			return nil, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key == Model.Key() {
			continue
		}
		if settings, err = settings.with(key, values[key]); err != nil {
			return nil, err
		}
	}
	if settings == nil {
		return d.with(fieldSettings, json.RawMessage("{}"))
	}
	return d.with(fieldSettings, settings)
}
