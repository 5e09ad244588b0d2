package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/chat"
	"agent/internal/settings"
)

// notRestored are the settings that a resumed session does not bring back: an address
// and a key file that were typed in, and what commands may do, are decided anew each
// time.
var notRestored = []string{
	settings.BaseURL.Key(), settings.AuthKeyfile.Key(), settings.ExtraBody.Key(), settings.WebFetchPrivate.Key(),
	settings.Sandbox.Key(), settings.SandboxAllowWrite.Key(), settings.SandboxDenyRead.Key(), settings.SandboxAllowNetwork.Key(), settings.SandboxAllowEnv.Key(),
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
		a.settings.UseProfile(profile)
		a.notices = append(a.notices, "It uses the profile "+name+", as before.")
	}
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
