package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/chat"
	"agent/internal/settings"
)

// neverWider are the settings that say what commands and requests may do: a session
// that goes on does not bring them back.
var neverWider = []string{
	settings.WebFetchPrivate.Key(), settings.Sandbox.Key(), settings.SandboxAllowWrite.Key(), settings.SandboxDenyRead.Key(),
	settings.SandboxAllowRead.Key(), settings.SandboxAllowNetwork.Key(), settings.SandboxAllowEnv.Key(),
}

// notRestored are neverWider, and an address and a key file that were typed in, which
// are decided anew each time.
var notRestored = append([]string{settings.BaseURL.Key(), settings.AuthKeyfile.Key(), settings.ExtraBody.Key()}, neverWider...)

// begunWith is what flags and the profile say of whom a session talks to, by the keys
// under which it is recorded (D-82).
func (a *app) begunWith() map[string]string {
	with := map[string]string{}
	if name := a.settings.Profile(); name != "" {
		with[settings.ProfileChange] = name
	}
	for _, key := range []string{settings.Model.Key(), settings.Provider.Key()} {
		if value, source := a.settings.Get(key); source == settings.Flags {
			with[key] = value.String()
		}
	}
	return with
}

// restoreSettings uses the profile again and sets what was set with /set in the
// session, but for what would let it do more than the program was started with. What
// flags say goes first; flags that name whom to talk to leave out all that the record
// has about that.
func (a *app) restoreSettings(recorded map[string]string, o settingsOptions) {
	if name := recorded[settings.ProfileChange]; name != "" {
		a.restoreProfile(name, o)
	}
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		if key == settings.ProfileChange || a.flagged(key, o) {
			continue
		}
		a.restoreSetting(key, recorded[key])
	}
}

func (a *app) restoreSetting(key, text string) {
	mode, now := chat.ApprovalMode(text), chat.ApprovalMode(settings.ApprovalMode.Of(a.settings))
	switch {
	case key == settings.ApprovalMode.Key() && mode.AllowsMoreThan(now):
		a.notices = append(a.notices, fmt.Sprintf("The session ran in %s; it goes on in %s (Shift+Tab changes it).", text, now))
		return
	case slices.Contains(notRestored, key) || strings.HasPrefix(key, "header."):
		a.notices = append(a.notices, fmt.Sprintf("The session had %s set; it is not set again.", key))
		return
	}
	if err := a.settings.Set(settings.Session, key, text); err != nil {
		a.notices = append(a.notices, "from the recorded session: "+err.Error())
	}
}

// restoreProfile uses a profile as /profile load did.
func (a *app) restoreProfile(name string, o settingsOptions) {
	switch {
	case o.isolated || o.namesEndpoint(a.settings):
	case name == settings.NoProfile:
		a.settings.UseProfile(nil)
	default:
		profile, err := a.profiles.Load(name)
		if err != nil {
			a.notices = append(a.notices, fmt.Sprintf("The session used the profile %s, which cannot be used again: %v", name, err))
			return
		}
		left := a.narrow(profile)
		a.settings.UseProfile(profile)
		a.notices = append(a.notices, "It uses the profile "+name+", as before.")
		if len(left) > 0 {
			a.notices = append(a.notices, fmt.Sprintf("Of that is not set again: %s (--profile %s sets it).", strings.Join(left, ", "), name))
		}
	}
}

// narrow takes out of a profile what would allow more than the program was started
// with, and returns the keys of that.
func (a *app) narrow(profile *settings.Profile) (left []string) {
	now := chat.ApprovalMode(settings.ApprovalMode.Of(a.settings))
	for key, value := range profile.Values {
		wider := key == settings.ApprovalMode.Key() && chat.ApprovalMode(value.String()).AllowsMoreThan(now)
		if inForce, _ := a.settings.Get(key); wider || slices.Contains(neverWider, key) && inForce != value {
			delete(profile.Values, key)
			left = append(left, key)
		}
	}
	slices.Sort(left)
	return left
}

// flagged reports whether flags decide about a setting.
func (a *app) flagged(key string, o settingsOptions) bool {
	_, from := a.settings.Get(key)
	about := key == settings.Provider.Key() || key == settings.Model.Key()
	return from == settings.Flags || about && o.namesEndpoint(a.settings)
}

// namesEndpoint reports whether flags say whom to talk to.
func (o settingsOptions) namesEndpoint(s *settings.Settings) bool {
	_, provider := s.Get(settings.Provider.Key())
	_, baseURL := s.Get(settings.BaseURL.Key())
	return o.profile != "" || provider == settings.Flags || baseURL == settings.Flags
}
