package settings

import "testing"

// D-36: compression.profile names another model. Settings that belong to the current model,
// especially its API key, do not apply to the other one.
func TestWithAnotherProfile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		profile map[string]string
		want    map[string]string
	}{
		"nothing": {nil, map[string]string{"model": "big", "base-url": "https://a/v1", "auth-keyfile": "k", "login": "work", "temperature": "0.5", "context-limit": "9000", "max-retries": "3", "header.X-A": "1", "price.input": "2"}},
		"another model": {map[string]string{"model": "small"}, map[string]string{
			"model": "small", "base-url": "https://a/v1", "auth-keyfile": "k", "login": "work", "temperature": "", "context-limit": "", "max-retries": "3", "header.X-A": "1", "price.input": "",
		}},
		"another endpoint": {map[string]string{"base-url": "https://b/v1", "model": "small", "price.input": "7"}, map[string]string{
			"model": "small", "base-url": "https://b/v1", "auth-keyfile": "", "login": "", "temperature": "", "context-limit": "", "max-retries": "3", "header.X-A": "", "price.input": "7",
		}},
		"the same endpoint":   {map[string]string{"base-url": "https://a/v1", "model": "small"}, map[string]string{"model": "small", "base-url": "https://a/v1", "auth-keyfile": "k", "header.X-A": "1", "context-limit": ""}},
		"another temperature": {map[string]string{"temperature": "0"}, map[string]string{"model": "big", "temperature": "0", "context-limit": "9000"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := NewRegistry(All(), Choices{})
			s := New(r)
			for layer, pairs := range map[Source]map[string]string{
				LayerProfile:     {"auth-keyfile": "k", "login": "work", "temperature": "1"},
				LayerEnvironment: {"base-url": "https://a/v1"},
				LayerFlags:       {"model": "big", "context-limit": "9000", "max-retries": "3", "header.X-A": "1", "price.input": "2"},
				LayerSession:     {"temperature": "0.5"},
			} {
				for key, text := range pairs {
					if err := s.Set(layer, key, text); err != nil {
						t.Fatal(err)
					}
				}
			}
			p := &Profile{Name: "p", Values: map[string]Value{}}
			for key, text := range tc.profile {
				spec, err := r.Lookup(key)
				if err != nil {
					t.Fatal(err)
				}
				if p.Values[key], err = spec.Parse(text); err != nil {
					t.Fatal(err)
				}
			}
			with := s.With(p)
			for key, want := range tc.want {
				if got, _ := with.Get(key); got.String() != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if _, from := with.Get("base-url"); name == "the same endpoint" && from != LayerEnvironment {
				t.Errorf("the address comes from %s now, and its key would not", from)
			}
			if got, _ := s.Get("temperature"); got.String() != "0.5" {
				t.Error("the settings in use changed")
			}
		})
	}
}

// The settings of a conversation start as a copy of the program's settings. Later changes of one do
// not affect the other.
func TestOverlay(t *testing.T) {
	t.Parallel()
	base := New(NewRegistry(All(), Choices{}))
	set := func(s *Settings, key, text string) {
		t.Helper()
		if err := s.Set(LayerFlags, key, text); err != nil {
			t.Fatal(err)
		}
	}
	set(base, "model", "big")
	over := base.Overlay()
	other := base.Overlay()
	set(over, "model", "small")
	set(base, "max-turns", "3")
	for _, tc := range []struct {
		s           *Settings
		model, most string
	}{{base, "big", "3"}, {over, "small", "-1"}, {other, "big", "-1"}} {
		model, _ := tc.s.Get("model")
		most, _ := tc.s.Get("max-turns")
		if model.String() != tc.model || most.String() != tc.most {
			t.Errorf("model %s, max-turns %s, want %+v", model, most, tc)
		}
	}
}
