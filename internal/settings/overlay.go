package settings

import (
	"maps"
	"slices"
	"strings"
)

// endpointKeys lists the settings of the model category that belong to the endpoint. patienceKeys
// lists those that belong to the user. All others belong to the model.
var (
	endpointKeys = []string{
		Provider.Key(), BaseURL.Key(), AuthKeyfile.Key(), AuthCommand.Key(), AuthCommandLife.Key(), Login.Key(), LoginClientID.Key(),
		CloudProject.Key(), CloudRegion.Key(), CloudResource.Key(), API.Key(), ExtraBody.Key(),
	}
	patienceKeys = []string{RequestTimeout.Key(), IdleTimeout.Key(), MaxRetries.Key()}
)

// Overlay returns a copy of s for one conversation. Later changes of s and of the copy are
// independent.
func (s *Settings) Overlay() *Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	over := &Settings{registry: s.registry, changed: func(string, string) {}, profile: s.profile, keeps: s.keeps, bounds: s.bounds}
	for i, layer := range s.layers {
		over.layers[i] = maps.Clone(layer)
	}
	return over
}

// With returns a copy of s in which the values of the profile take precedence over all layers. If
// the profile names another endpoint, the copy drops all other settings of the endpoint and of the
// model. If it names only a model, the copy drops all other settings of the model. Later changes of
// s and of the copy are independent.
func (s *Settings) With(p *Profile) *Settings {
	names := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { _, ok := p.Values[key]; return ok })
	}
	with := s.Overlay()
	// A profile that repeats the address in use does not change the endpoint.
	same := func(key string) bool {
		value, ok := p.Values[key]
		inUse, _ := with.Get(key)
		return !ok || value == inUse
	}
	elsewhere := !same(Provider.Key()) || !same(BaseURL.Key())
	other := elsewhere || names(Model.Key())
	with.profile = p.Name
	for layer := LayerDefault + 1; layer < layers; layer++ {
		maps.DeleteFunc(with.layers[layer], func(key string, _ Value) bool {
			return names(key) && (elsewhere || !s.registry.isAbout(key, true, false)) || s.registry.isAbout(key, elsewhere, other)
		})
	}
	maps.Copy(with.layers[LayerProfile], p.Values)
	return with
}

// own holds the values of Settings while those of a profile replace them.
type own struct {
	layers  [layers]map[string]Value
	profile string
}

// PushProfile replaces the values of s by those of With(p). It ends with PopProfile, or when a value that
// belongs to the endpoint or the model is set. Other values that are set meanwhile remain set.
// OnSessionChange does not report any of this.
func (s *Settings) PushProfile(p *Profile) {
	s.PopProfile()
	with := s.With(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lent = &own{s.layers, s.profile}
	s.layers, s.profile = with.layers, with.profile
	s.revision.Add(1)
}

// PopProfile ends PushProfile. It reports whether PushProfile was in effect.
func (s *Settings) PopProfile() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeBack()
}

func (s *Settings) takeBack() bool {
	if s.lent == nil {
		return false
	}
	s.layers, s.profile, s.lent = s.lent.layers, s.lent.profile, nil
	s.revision.Add(1)
	return true
}

// change changes the values of a layer. While PushProfile is in effect, it also changes the original
// values of s, except for the layer LayerDetected.
func (s *Settings) change(layer Source, key string, change func(values map[string]Value)) {
	switch {
	case s.lent == nil, layer == LayerDetected:
	case s.registry.isAbout(key, true, true):
		s.takeBack()
	default:
		change(s.lent.layers[layer])
	}
	change(s.layers[layer])
	s.revision.Add(1)
}

// isAbout returns endpoint for a setting that belongs to the endpoint. It returns model for a
// setting that belongs to the model, and false for other settings.
func (r *Registry) isAbout(key string, endpoint, model bool) bool {
	spec, known := r.named(key)
	if !known || spec.Category != CategoryModel && spec.Category != CategoryPrice || slices.Contains(patienceKeys, key) {
		return false
	}
	if slices.Contains(endpointKeys, key) || strings.HasPrefix(key, headerPrefix) {
		return endpoint
	}
	return model
}
