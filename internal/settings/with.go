package settings

import (
	"maps"
	"slices"
	"strings"
)

// endpointKeys lists the settings of the model category that belong to the endpoint, and
// patienceKeys the settings that belong to the user. All others belong to the model.
var (
	endpointKeys = []string{Provider.Key(), BaseURL.Key(), AuthKeyfile.Key(), ExtraBody.Key()}
	patienceKeys = []string{RequestTimeout.Key(), IdleTimeout.Key(), MaxRetries.Key()}
)

// Overlay returns a copy of s for one conversation. Later changes of one do not affect the other.
func (s *Settings) Overlay() *Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	over := &Settings{registry: s.registry, changed: func(string, string) {}, profile: s.profile, bounds: s.bounds}
	for i, layer := range s.layers {
		over.layers[i] = maps.Clone(layer)
	}
	return over
}

// With returns a copy of s in which the values of the profile take precedence over all layers. If
// the profile names another endpoint, the copy has no other settings of the endpoint and of the
// model. If it only names a model, the copy has no other settings of the model. Later changes of
// one do not affect the other.
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
	for layer := Default + 1; layer < layers; layer++ {
		maps.DeleteFunc(with.layers[layer], func(key string, _ Value) bool {
			return names(key) && (elsewhere || !s.registry.isAbout(key, true, false)) || s.registry.isAbout(key, elsewhere, other)
		})
	}
	maps.Copy(with.layers[ProfileLayer], p.Values)
	return with
}

// isAbout returns endpoint for a setting that belongs to the endpoint, model for a setting that
// belongs to the model, and false for other settings.
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
