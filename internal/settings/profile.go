package settings

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"

	"github.com/tailscale/hujson"
)

// NoProfile is the name that users type for no profile. No profile can have this name.
const NoProfile = "none"

// maxName is the greatest length of a profile name, in bytes, so that its file name is valid on
// every system.
const maxName = 64

var plainName = lazyregexp.New(`^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$`)

// Profile is a named set of validated values.
type Profile struct {
	Name string
	// Values maps canonical keys to the known settings, including the model.
	Values map[string]Value
	// Unknown lists the paths of unknown fields, such as "settings.colour". They remain in the file
	// when the profile is saved.
	Unknown []string
}

// CheckName returns an error if name cannot be the name of a profile.
func CheckName(name string) error {
	switch {
	case name == "":
		return &Error{Problem: "a profile needs a name"}
	case strings.EqualFold(name, NoProfile):
		return &Error{Problem: `a profile can't be named "none", which means no profile`}
	case len(name) > maxName || !plainName.MatchString(name):
		return &Error{Problem: "invalid profile name " + quote(name) + "; use at most 64 letters, digits, -, _ and ."}
	}
	return nil
}

// The fields of a profile file. The model is a separate field beside the settings.
const (
	fieldVersion  = "version"
	fieldModel    = "model"
	fieldSettings = "settings"
	// fieldSchema names the JSON Schema for editors. The program ignores it.
	fieldSchema = "$schema"
)

// decodeProfile validates a profile document. The error is a *fault for the first wrong value.
func (r *Registry) decodeProfile(name string, d document) (*Profile, error) {
	p := &Profile{Name: name, Values: make(map[string]Value)}
	for _, m := range d.object.Members {
		switch key(m) {
		case fieldVersion, fieldSchema:
		case fieldModel:
			if err := r.decodeValue(p, m, ""); err != nil {
				return nil, err
			}
		case fieldSettings:
			inner, err := object(m.Value, fieldSettings)
			if err != nil {
				return nil, err
			}
			for _, setting := range inner.object.Members {
				if err := r.decodeValue(p, setting, fieldSettings); err != nil {
					return nil, err
				}
			}
		default:
			p.Unknown = append(p.Unknown, key(m))
		}
	}
	return p, nil
}

// decodeValue validates one setting in the object with the path parent and adds it to p.
func (r *Registry) decodeValue(p *Profile, m hujson.ObjectMember, parent string) error {
	name := join(parent, key(m))
	wrong := func(problem string) error { return &fault{m.Value.StartOffset, name, problem} }
	spec, known := r.named(key(m))
	switch {
	case !known && isKeyName(key(m)):
		return wrong(keyIsNoSetting)
	case !known:
		p.Unknown = append(p.Unknown, name)
		return nil
	case m.Value.Value.Kind() == 'n': // the value is null
		return nil
	case parent == fieldSettings && spec.Key == Model.Key():
		return wrong(`belongs next to "settings", not inside it`)
	}
	if _, twice := p.Values[spec.Key]; twice {
		return wrong("appears twice, as " + strings.Join(append([]string{spec.Key}, spec.Aliases...), " and "))
	}
	value, err := spec.fromJSON(raw(m))
	var typed *Error
	if errors.As(err, &typed) {
		return wrong(typed.Problem)
	}
	p.Values[spec.Key] = value
	return nil
}

// encodeProfile sets values in d and leaves everything else unchanged. Known settings are written
// under their canonical keys.
func (r *Registry) encodeProfile(d document, values map[string]Value) error {
	err := d.set(fieldVersion, version)
	if model, ok := values[Model.Key()]; ok {
		err = errors.Join(err, d.set(fieldModel, model))
	}
	if d.get(fieldSettings) == nil {
		err = errors.Join(err, d.set(fieldSettings, struct{}{}))
	}
	if err != nil {
		return err
	}
	settings, err := object(d.get(fieldSettings).Value, fieldSettings)
	if err != nil {
		return err
	}
	for i, m := range settings.object.Members {
		if spec, known := r.named(key(m)); known {
			settings.object.Members[i].Name.Value = hujson.String(spec.Key)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != Model.Key() {
			if err := settings.set(name, values[name]); err != nil {
				return err
			}
		}
	}
	return nil
}
