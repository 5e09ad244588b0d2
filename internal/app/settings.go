package app

import (
	"fmt"
	"strings"

	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/tui/style"
	"agent/internal/websearch"
)

// Registry returns the declared settings, with the enum values of the packages that define them.
func Registry() *settings.Registry { return registryWith(nil) }

// registryWith returns the declared settings, with a user's own themes among the values of the theme
// setting.
func registryWith(own []Theme) *settings.Registry {
	themes := style.Themes()
	for _, theme := range own {
		themes = append(themes, theme.Name)
	}
	return settings.NewRegistry(settings.All(), settings.Choices{
		settings.CompressionStrategy.Key(): compression.Names(),
		settings.ApprovalMode.Key():        gate.ModeNames(),
		settings.Theme.Key():               themes,
		settings.Provider.Key():            vendor.Names(),
		settings.WebSearch.Key():           websearch.SettingValues(),
		settings.ModelFamily.Key():         append([]string{"auto"}, vendor.FamilyNames()...),
	})
}

// Sources describes the sources of settings besides the defaults.
type Sources struct {
	// Profile is the name of the profile to use, "" for the default profile.
	Profile string
	// Set holds settings as "KEY=VALUE"; the last value of a key wins.
	Set []string
	// Isolated omits profiles and the environment.
	Isolated bool
}

// Settings returns the settings from the given sources.
func (p *Process) Settings(from Sources) (*settings.Settings, error) {
	f, err := p.Folders()
	if err != nil {
		return nil, err
	}
	bounds, err := p.Policy()
	if err != nil {
		return nil, err
	}
	s := settings.New(registryWith(p.Themes()))
	bounds.NarrowSettings(s)
	usual := compression.CacheAwareName
	if !from.Isolated {
		usual = f.usualStrategy()
	}
	if err := s.Set(settings.LayerDefault, settings.CompressionStrategy.Key(), usual); err != nil {
		return nil, err
	}
	if !from.Isolated {
		if err := p.useOwn(s, settings.NewStore(f.Config, s.Registry()), from.Profile); err != nil {
			return nil, err
		}
	}
	for _, pair := range from.Set {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, InputError{fmt.Errorf("--set %s: expected KEY=VALUE", pair)}
		}
		if err := s.Set(settings.LayerFlags, strings.TrimSpace(key), value); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// useOwn applies the stored choices, then the profile named name, or the default profile if name is "", and
// then the environment.
func (p *Process) useOwn(s *settings.Settings, store *settings.Store, name string) error {
	kept, problems, err := store.SavedChoices()
	if err != nil {
		return err
	}
	s.LoadChoices(kept)
	for _, problem := range problems {
		p.say(problem)
	}
	if name == "" {
		if name, err = store.Default(); err != nil {
			return err
		}
	}
	if name != "" && name != settings.NoProfile {
		profile, err := store.Load(name)
		if err != nil {
			return err
		}
		s.UseProfile(profile)
		for _, unknown := range profile.Unknown {
			p.say(fmt.Sprintf("profile %s: this version doesn't know the setting %s; its value is preserved", name, unknown))
		}
	}
	return s.SetEnvironment(p.Env)
}
