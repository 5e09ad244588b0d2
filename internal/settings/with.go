package settings

import (
	"maps"
	"slices"
	"strings"
)

// endpointKeys say where requests go and what accompanies them; patienceKeys are
// about the user, whatever the model. All other settings of a model are about it.
var (
	endpointKeys = []string{Provider.Key(), BaseURL.Key(), AuthKeyfile.Key(), ExtraBody.Key()}
	patienceKeys = []string{RequestTimeout.Key(), IdleTimeout.Key(), MaxRetries.Key()}
)

// Overlay returns settings that begin as s and are those of one conversation: what
// changes in them does not reach s, nor what changes in s them.
func (s *Settings) Overlay() *Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	over := &Settings{registry: s.registry, changed: func(string, string) {}, profile: s.profile}
	for i, layer := range s.layers {
		over.layers[i] = maps.Clone(layer)
	}
	return over
}

// With returns settings like s in which what the profile says counts before
// everything else: those of the model that it names. An endpoint of its own takes
// over nothing that belongs to the endpoint or the model in use, a model of its own
// nothing that belongs to that model. Changes of either do not reach the other.
func (s *Settings) With(p *Profile) *Settings {
	names := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { _, ok := p.Values[key]; return ok })
	}
	with := s.Overlay()
	// The address in use, said once more, is the same place with the same key.
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

// isAbout reports whether a setting belongs to the endpoint, or to the model.
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
