package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/secret"
	"agent/internal/gate"
	"agent/internal/provider"
	"agent/internal/settings"
)

// neverWider lists the settings that control the permissions of commands and requests. A resumed session
// does not restore them.
var neverWider = []string{
	settings.WebFetchPrivate.Key(), settings.WebSearch.Key(), settings.WebSearchURL.Key(), settings.WebSearchCommand.Key(), settings.Sandbox.Key(), settings.SandboxAllowWrite.Key(), settings.SandboxDenyRead.Key(),
	settings.SandboxAllowRead.Key(), settings.SandboxAllowNetwork.Key(), settings.SandboxAllowEnv.Key(),
}

// notRestored lists the settings that are not restored: neverWider, and settings that are decided again
// each time. These are typed addresses, key files and body fields.
var notRestored = append([]string{settings.BaseURL.Key(), settings.AuthKeyfile.Key(), settings.AuthCommand.Key(), settings.ExtraBody.Key()}, neverWider...)

// endpointUsed is the key under which a session records the address of its endpoint. It is not a setting.
const endpointUsed = "endpoint"

// begunWith returns the settings to record at the start of a session, by their keys. They are the settings
// of flags and profile that choose the model and its provider (D-82), and the compression strategy.
func begunWith(s *settings.Settings) map[string]string {
	with := map[string]string{}
	if name := s.Profile(); name != "" {
		with[settings.ProfileChange] = name
	}
	for _, key := range []string{settings.Model.Key(), settings.Provider.Key()} {
		if value, source := s.Get(key); source == settings.LayerFlags {
			with[key] = value.String()
		}
	}
	with[settings.CompressionStrategy.Key()] = settings.CompressionStrategy.Value(s) // D-90
	return with
}

// shownText returns the value that a user has set, without API keys, for the record. Such a value is never
// restored from the record (restorer.setting).
func shownText(registry *settings.Registry, key, text string) string {
	if spec, err := registry.Lookup(key); err == nil && text != "" && key != settings.ProfileChange {
		if value, err := spec.Parse(text); err == nil {
			return spec.DisplayValue(value)
		}
	}
	return text
}

// A restorer applies the settings of a recorded session to the settings that the program was started with.
type restorer struct {
	settings *settings.Settings
	profiles *settings.Store
	// keepEndpoint is set if the program was started with an endpoint.
	keepEndpoint bool
}

// restore applies the recorded profile and the recorded changes of /set. It omits changes that would allow
// more than the settings at the start of the program. Flags take precedence. If flags choose the endpoint,
// it also omits the recorded settings about the endpoint.
func (r restorer) restore(recorded map[string]string) (notices []string) {
	if name := recorded[settings.ProfileChange]; name != "" {
		notices = r.profile(name)
	}
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		if key == settings.ProfileChange || key == endpointUsed || key == settings.BaseURL.Key() && isAddress(recorded[key], recorded[endpointUsed]) || r.flagged(key) {
			continue
		}
		if notice := r.setting(key, recorded[key]); notice != "" {
			notices = append(notices, notice)
		}
	}
	return notices
}

// isAddress reports whether a base URL that a user typed is an address.
func isAddress(typed, address string) bool {
	normal, err := provider.NormalizeBaseURL(typed)
	return err == nil && normal == address
}

// setting applies a recorded setting, or returns a notice with the reason why it does not.
func (r restorer) setting(key, text string) (notice string) {
	mode, now := gate.Mode(text), gate.Mode(settings.ApprovalMode.Value(r.settings))
	_, source := r.settings.Get(key)
	switch {
	case source == settings.LayerSaved:
		return "" // the user has chosen another value since then
	case key == settings.ApprovalMode.Key() && mode.AllowsMoreThan(now):
		return fmt.Sprintf("The session ran in mode %s and continues in %s. Shift+Tab changes the mode.", text, now)
	case slices.Contains(notRestored, key) || strings.HasPrefix(key, "header.") || strings.Contains(text, secret.Placeholder):
		return fmt.Sprintf("The session's own setting was not restored: %s.", key)
	}
	if key == settings.CompressionStrategy.Key() && settings.CompressionStrategy.Value(r.settings) == text {
		return "" // every session records its strategy, even the default
	}
	if err := r.settings.Set(settings.LayerSession, key, text); err != nil {
		return "can't restore a setting of the session: " + err.Error()
	}
	return ""
}

// profile applies a profile like /profile load.
func (r restorer) profile(name string) (notices []string) {
	if r.keepsEndpoint() {
		return nil
	}
	if name == settings.NoProfile {
		r.settings.UseProfile(nil)
		return nil
	}
	profile, err := r.profiles.Load(name)
	if err != nil {
		return []string{fmt.Sprintf("Can't load the profile %s of the session again: %v", name, err)}
	}
	left := r.narrow(profile)
	r.settings.UseProfile(profile)
	notices = []string{"The session continues with its profile " + name + "."}
	if len(left) > 0 {
		notices = append(notices, fmt.Sprintf("Not restored from the profile: %s. To set it, add --profile %s.", strings.Join(left, ", "), name))
	}
	return notices
}

// narrow removes from a profile the settings that would allow more than the program was started with, and
// returns their keys.
func (r restorer) narrow(profile *settings.Profile) (left []string) {
	now := gate.Mode(settings.ApprovalMode.Value(r.settings))
	for key, value := range profile.Values {
		wider := key == settings.ApprovalMode.Key() && gate.Mode(value.String()).AllowsMoreThan(now)
		if inForce, _ := r.settings.Get(key); wider || slices.Contains(neverWider, key) && inForce != value {
			delete(profile.Values, key)
			left = append(left, key)
		}
	}
	slices.Sort(left)
	return left
}

// flagged reports whether flags decide about a setting.
func (r restorer) flagged(key string) bool {
	_, from := r.settings.Get(key)
	about := key == settings.Provider.Key() || key == settings.Model.Key()
	return from == settings.LayerFlags || about && r.keepsEndpoint()
}

func (r restorer) keepsEndpoint() bool {
	_, provider := r.settings.Get(settings.Provider.Key())
	_, baseURL := r.settings.Get(settings.BaseURL.Key())
	return r.keepEndpoint || provider == settings.LayerFlags || baseURL == settings.LayerFlags
}
