package settings

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Source is the layer of a value. A greater Source takes precedence (D-39).
type Source int

// The layers of values.
const (
	LayerDefault Source = iota
	// LayerDetected holds values that the program detected because nothing was set: a local server and
	// its model. They are never saved.
	LayerDetected
	// LayerSaved holds the user's choices that apply to every session.
	LayerSaved
	// LayerProfile holds the values of the loaded profile.
	LayerProfile
	// LayerEnvironment holds the values of environment variables.
	LayerEnvironment
	// LayerFlags holds the values of command line flags.
	LayerFlags
	// LayerSession holds the values that /set and other commands set.
	LayerSession
	// LayerPolicy is the source of a value that the policy of the machine has narrowed. It is not a
	// layer.
	LayerPolicy

	layers = LayerPolicy
)

// String returns the name of the layer in messages.
func (s Source) String() string {
	return [...]string{"default", "found", "kept", "profile", "environment", "flag", "/set", "policy"}[s]
}

// Settings holds the values of a running program. It is safe for concurrent use. A write is visible
// to every read that starts after it.
type Settings struct {
	registry *Registry

	revision atomic.Uint64

	mu      sync.RWMutex
	layers  [layers]map[string]Value
	profile string
	keeps   bool
	// lent holds the original values while PushProfile is in effect, nil otherwise.
	lent *own
	// changed is called for changes of the session layer (see OnSessionChange).
	changed func(key, text string)
	// bounds maps keys to functions that limit the values of these settings.
	bounds map[string]Limiter
}

// A Limiter returns the value to use instead of a value of a setting. Both are in the form that
// users type, or "" if unset. If the value may be used unchanged, err is nil. Otherwise err is the
// reason.
type Limiter func(text string) (narrower string, err error)

// AddLimiter restricts the values of a setting in every layer, and in copies that are made later. A
// limit cannot be removed.
func (s *Settings) AddLimiter(key string, bound Limiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bounds := maps.Clone(s.bounds)
	if bounds == nil {
		bounds = map[string]Limiter{}
	}
	bounds[key] = bound
	s.bounds = bounds
	s.revision.Add(1)
}

// NarrowedReasons returns the reasons why configured values are not used unchanged.
func (s *Settings) NarrowedReasons() (reasons []string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, key := range slices.Sorted(maps.Keys(s.bounds)) {
		value, source := s.unboundedValue(LayerSession, key)
		if _, err := s.bounds[key](value.String()); err != nil && source != LayerDefault {
			reasons = append(reasons, err.Error())
		}
	}
	return reasons
}

// New returns settings in which every value is the built-in default.
func New(registry *Registry) *Settings {
	s := &Settings{registry: registry, changed: func(string, string) {}}
	for i := range s.layers {
		s.layers[i] = make(map[string]Value)
	}
	for _, spec := range registry.specs {
		if spec.standard.IsSet() {
			s.layers[LayerDefault][spec.Key] = spec.standard
		}
	}
	return s
}

// Revision returns a number that changes with every change of a value.
func (s *Settings) Revision() uint64 { return s.revision.Load() }

// Registry returns the registry of the settings.
func (s *Settings) Registry() *Registry { return s.registry }

// Set validates text as the value of key (a key or an alias) and stores it in layer. After an
// error, which is an *Error, nothing has changed.
func (s *Settings) Set(layer Source, key, text string) error {
	spec, err := s.registry.Lookup(key)
	if err != nil {
		return err
	}
	if spec.Key == Headers.Key() {
		return &Error{Key: spec.Key, Problem: "is not a setting itself; replace NAME with the name of an HTTP header"}
	}
	value, err := spec.Parse(text)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if bound := s.bounds[spec.Key]; bound != nil {
		if _, err := bound(value.String()); err != nil {
			return &Error{Problem: err.Error()}
		}
	}
	s.change(layer, spec.Key, func(values map[string]Value) { values[spec.Key] = value })
	if layer == LayerSession {
		s.changed(spec.Key, value.String())
	}
	return nil
}

// ProfileChange is the key that OnSessionChange reports when a profile is loaded.
const ProfileChange = "profile"

// OnSessionChange makes s call changed, in order, for every later change of the session layer. For
// a setting, key and text are its key and its new value, or "" if it was unset. When a profile is
// loaded, key is ProfileChange and text is its name or NoProfile. changed must not call methods of
// s.
func (s *Settings) OnSessionChange(changed func(key, text string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// LoadChoices sets the layer Kept.
func (s *Settings) LoadChoices(values map[string]Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers[LayerSaved] = maps.Clone(values)
	s.keeps = true
	s.revision.Add(1)
}

// KeepsChoices reports whether LoadChoices was called. New choices then also apply to later sessions.
func (s *Settings) KeepsChoices() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.keeps
}

// Unset removes the value of key (a key or an alias) from layer, so that the next weaker layer
// takes effect. It reports whether there was a value. After an error nothing has changed.
func (s *Settings) Unset(layer Source, key string) (bool, error) {
	spec, err := s.registry.Lookup(key)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, was := s.layers[layer][spec.Key]
	s.change(layer, spec.Key, func(values map[string]Value) { delete(values, spec.Key) })
	if layer == LayerSession && was {
		s.changed(spec.Key, "")
	}
	return was, nil
}

// SetEnvironment sets the environment layer from the environment variables of the settings. It
// ignores empty variables. After an error nothing has changed.
func (s *Settings) SetEnvironment(getenv func(string) string) error {
	found := make(map[string]Value)
	for _, spec := range s.registry.specs {
		if spec.Environment == "" || getenv(spec.Environment) == "" {
			continue
		}
		value, err := spec.Parse(getenv(spec.Environment))
		if err != nil {
			return &Error{Problem: spec.Environment + ": " + err.Error()}
		}
		found[spec.Key] = value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers[LayerEnvironment] = found
	s.revision.Add(1)
	return nil
}

// UseProfile replaces the profile layer by the values of p. A nil p empties the layer. It returns
// the keys of p whose values a stronger layer overrides.
func (s *Settings) UseProfile(p *Profile) (hidden []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.revision.Add(1)
	s.takeBack()
	s.profile, s.layers[LayerProfile] = "", make(map[string]Value)
	if p == nil {
		s.changed(ProfileChange, NoProfile)
		return nil
	}
	s.changed(ProfileChange, p.Name)
	s.profile, s.layers[LayerProfile] = p.Name, maps.Clone(p.Values)
	for _, spec := range s.registry.specs {
		if _, ok := p.Values[spec.Key]; !ok {
			continue
		}
		if _, source := s.boundedValue(LayerSession, spec.Key); source != LayerProfile {
			hidden = append(hidden, spec.Key)
		}
	}
	return hidden
}

// Profile returns the name of the loaded profile, "" if there is none.
func (s *Settings) Profile() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.profile
}

// Get returns the value of a key and its layer. If no layer sets the key, the value is its default
// or unset, and the layer is Default.
func (s *Settings) Get(key string) (Value, Source) {
	return s.GetUpToLayer(LayerSession, key)
}

// GetUpToLayer is like Get, but ignores layers that are stronger than layer.
func (s *Settings) GetUpToLayer(layer Source, key string) (Value, Source) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.boundedValue(layer, key)
}

// boundedValue returns the value of a key within its limit.
func (s *Settings) boundedValue(layer Source, key string) (Value, Source) {
	value, source := s.unboundedValue(layer, key)
	bound := s.bounds[key]
	if bound == nil {
		return value, source
	}
	narrower, err := bound(value.String())
	switch {
	case err == nil:
		return value, source
	case narrower == "":
		return Value{}, LayerPolicy
	}
	if value, err = s.registry.byName[key].Parse(narrower); err != nil {
		panic("settings: the limit of " + key + " is the invalid value " + narrower)
	}
	return value, LayerPolicy
}

// unboundedValue returns the value of a key without its limit.
func (s *Settings) unboundedValue(layer Source, key string) (Value, Source) {
	for source := layer; source > LayerDefault; source-- {
		if value, ok := s.layers[source][key]; ok {
			return value, source
		}
	}
	return s.standard(layer, key), LayerDefault
}

// standard returns the default of a key. The default strategy is that of the installation. If a
// density setting is set, which that strategy would ignore, the default is the built-in strategy
// (D-90).
func (s *Settings) standard(layer Source, key string) Value {
	if key != CompressionStrategy.Key() {
		return s.layers[LayerDefault][key]
	}
	for source := layer; source > LayerDefault; source-- {
		for set := range s.layers[source] {
			if strings.HasPrefix(set, DensityKey("")) {
				return s.registry.byName[key].standard
			}
		}
	}
	return s.layers[LayerDefault][key]
}

// Lookup returns a setting and its value by its key or an alias.
func (s *Settings) Lookup(name string) (ResolvedSetting, error) {
	spec, err := s.registry.Lookup(name)
	if err != nil {
		return ResolvedSetting{}, err
	}
	value, source := s.Get(spec.Key)
	return ResolvedSetting{spec, value, source}, nil
}

// All returns a consistent snapshot of every setting with its value, in display order. Headers that
// are set follow the setting Headers.
func (s *Settings) All() []ResolvedSetting {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []ResolvedSetting
	add := func(spec *Spec) {
		value, source := s.boundedValue(LayerSession, spec.Key)
		all = append(all, ResolvedSetting{spec, value, source})
	}
	for _, spec := range s.registry.specs {
		add(spec)
		if spec.Key == Headers.Key() {
			for _, key := range s.headers() {
				if header, found := s.registry.named(key); found {
					add(header)
				}
			}
		}
	}
	return all
}

// headers returns the keys of the headers that some layer sets, sorted.
func (s *Settings) headers() []string {
	keys := map[string]bool{}
	for _, layer := range s.layers {
		for key := range layer {
			if strings.HasPrefix(key, headerPrefix) && key != Headers.Key() {
				keys[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// NonDefault returns the settings with values from a layer other than Default, even if the values
// equal the default.
func (s *Settings) NonDefault() []ResolvedSetting {
	return slices.DeleteFunc(s.All(), func(r ResolvedSetting) bool { return r.Source == LayerDefault })
}

// PersistentValues returns the values to save in a profile: the values of all layers except Default and
// Detected. It omits the values of PushProfile, and the kept values, because they apply in addition to
// every profile.
func (s *Settings) PersistentValues() map[string]Value {
	s.mu.RLock()
	lent := s.lent
	s.mu.RUnlock()
	if lent != nil {
		plain := s.Overlay()
		plain.lent = lent
		plain.takeBack()
		return plain.PersistentValues()
	}
	values := make(map[string]Value)
	for _, resolved := range s.NonDefault() {
		s.mu.RLock()
		value, source := s.unboundedValue(LayerSession, resolved.Spec.Key)
		kept := s.layers[LayerSaved][resolved.Spec.Key]
		s.mu.RUnlock()
		if source > LayerSaved && (source != LayerSession || value != kept) {
			values[resolved.Spec.Key] = value
		}
	}
	return values
}
