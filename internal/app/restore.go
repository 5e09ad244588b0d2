package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/gate"
	"agent/internal/settings"
)

// neverWider lists the settings that control the rights of commands and requests. A resumed
// session does not restore them.
var neverWider = []string{
	settings.WebFetchPrivate.Key(), settings.WebSearch.Key(), settings.WebSearchURL.Key(), settings.WebSearchCommand.Key(), settings.Sandbox.Key(), settings.SandboxAllowWrite.Key(), settings.SandboxDenyRead.Key(),
	settings.SandboxAllowRead.Key(), settings.SandboxAllowNetwork.Key(), settings.SandboxAllowEnv.Key(),
}

// notRestored lists the settings that are not restored: neverWider, and an address, a key file
// and body fields that were typed in and are decided anew each time.
var notRestored = append([]string{settings.BaseURL.Key(), settings.AuthKeyfile.Key(), settings.AuthCommand.Key(), settings.ExtraBody.Key()}, neverWider...)

// begunWith returns the settings to record at the start of a session, by their keys: the settings
// of flags and profile that choose the model and its provider (D-82), and the compression
// strategy.
func (c *ground) begunWith() map[string]string {
	with := map[string]string{}
	if name := c.settings.Profile(); name != "" {
		with[settings.ProfileChange] = name
	}
	for _, key := range []string{settings.Model.Key(), settings.Provider.Key()} {
		if value, source := c.settings.Get(key); source == settings.Flags {
			with[key] = value.String()
		}
	}
	with[settings.CompressionStrategy.Key()] = settings.CompressionStrategy.Of(c.settings) // D-90
	return with
}

// restoreSettings applies the recorded profile and the recorded changes of /set, except for
// changes that would allow more than the program was started with. Flags take precedence. If
// flags choose the endpoint, the recorded settings about the endpoint are left out.
func (c *ground) restoreSettings(recorded map[string]string) {
	if name := recorded[settings.ProfileChange]; name != "" {
		c.restoreProfile(name)
	}
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		if key == settings.ProfileChange || c.flagged(key) {
			continue
		}
		c.restoreSetting(key, recorded[key])
	}
}

func (c *ground) restoreSetting(key, text string) {
	mode, now := gate.Mode(text), gate.Mode(settings.ApprovalMode.Of(c.settings))
	switch {
	case key == settings.ApprovalMode.Key() && mode.AllowsMoreThan(now):
		c.Notices = append(c.Notices, fmt.Sprintf("The session ran in %s; it goes on in %s (Shift+Tab changes it).", text, now))
		return
	case slices.Contains(notRestored, key) || strings.HasPrefix(key, "header."):
		c.Notices = append(c.Notices, fmt.Sprintf("The session had %s set; it is not set again.", key))
		return
	}
	if err := c.settings.Set(settings.Session, key, text); err != nil {
		c.Notices = append(c.Notices, "from the recorded session: "+err.Error())
	}
}

// restoreProfile applies a profile as /profile load did.
func (c *ground) restoreProfile(name string) {
	switch {
	case c.keepsEndpoint():
	case name == settings.NoProfile:
		c.settings.UseProfile(nil)
	default:
		profile, err := c.profiles.Load(name)
		if err != nil {
			c.Notices = append(c.Notices, fmt.Sprintf("The session used the profile %s, which cannot be used again: %v", name, err))
			return
		}
		left := c.narrow(profile)
		c.settings.UseProfile(profile)
		c.Notices = append(c.Notices, "It uses the profile "+name+", as before.")
		if len(left) > 0 {
			c.Notices = append(c.Notices, fmt.Sprintf("Of that is not set again: %s (--profile %s sets it).", strings.Join(left, ", "), name))
		}
	}
}

// narrow removes from a profile the settings that would allow more than the program was started
// with, and returns their keys.
func (c *ground) narrow(profile *settings.Profile) (left []string) {
	now := gate.Mode(settings.ApprovalMode.Of(c.settings))
	for key, value := range profile.Values {
		wider := key == settings.ApprovalMode.Key() && gate.Mode(value.String()).AllowsMoreThan(now)
		if inForce, _ := c.settings.Get(key); wider || slices.Contains(neverWider, key) && inForce != value {
			delete(profile.Values, key)
			left = append(left, key)
		}
	}
	slices.Sort(left)
	return left
}

// flagged reports whether flags decide about a setting.
func (c *ground) flagged(key string) bool {
	_, from := c.settings.Get(key)
	about := key == settings.Provider.Key() || key == settings.Model.Key()
	return from == settings.Flags || about && c.keepsEndpoint()
}

// keepsEndpoint reports whether flags have chosen the endpoint.
func (c *ground) keepsEndpoint() bool {
	_, provider := c.settings.Get(settings.Provider.Key())
	_, baseURL := c.settings.Get(settings.BaseURL.Key())
	return c.options.KeepEndpoint || provider == settings.Flags || baseURL == settings.Flags
}
