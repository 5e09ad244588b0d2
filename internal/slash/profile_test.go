package slash_test

import (
	"os"
	"strings"
	"testing"

	"agent/internal/settings"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.store.Path("work")
	for _, step := range []struct{ line, want string }{
		{"/profile", "No profiles. To save the current settings, type /profile save NAME."},
		{"/set model m", "model = m (was unset: the endpoint's model, if it has only one)"},
		{"/set temperature 0.5", "temperature = 0.5 (was unset: not sent)"},
		{"/profile save work", "Saved profile work with 2 settings in " + path + "\n  model = m\n  temperature = 0.5"},
		{"/profile save home", "Saved profile home with 2 settings in " + w.store.Path("home") + "\n  model = m\n  temperature = 0.5"},
		{"/set unset temperature", "temperature is unset: not sent (default)"},
		{"/profile save home", "Saved profile home with 1 setting in " + w.store.Path("home") + "\n  model = m\nSettings that the profile already had and keeps: temperature"},
		{"/profile load work", "Profile work is active from the next message\n  model is unchanged: set by /set; to use the profile's value, type /set unset model"},
		{"/profile default home", "Profile home will be loaded at every start"},
		{"/profile list", "home  default\nwork  in use"},
		{"/profile show work", "profile work (" + path + ")\n  model        m\n  temperature  0.5"},
		{"/profile none", "No profile is active in this session."},
		{"/profile default NONE", "No profile will be loaded at start."},
		{"/profile", "home\nwork"},
		{"/profile delete home", "Deleted profile home"},
		{"/profile LIST", "work"},
	} {
		if got := text(w.run(t, step.line)); got != step.want {
			t.Errorf("%s says\n%s\nwant\n%s", step.line, got, step.want)
		}
	}
}

// Loading a profile changes the model, the endpoint and the settings together.
func TestLoadSwitchesEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t, "/profile save other")
	const other = `{"version":1,"model":"m2","later":true,"settings":{"base-url":"http://h/v1","compression-strategy":"top-down-truncation"}}`
	if err := os.WriteFile(w.store.Path("other"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := text(w.run(t, "/profile load other")); !strings.Contains(got, "Unknown settings, kept in the file but not used: later") {
		t.Errorf("/profile load says %q", got)
	}
	if settings.Model.Value(w.settings) != "m2" || settings.BaseURL.Value(w.settings) != "http://h/v1" || settings.CompressionStrategy.Value(w.settings) != "top-down-truncation" {
		t.Errorf("settings are %s, %s, %s", settings.Model.Value(w.settings), settings.BaseURL.Value(w.settings), settings.CompressionStrategy.Value(w.settings))
	}
}

func TestProfileRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t, "/profile save work")
	for line, want := range map[string]string{
		"/profile save a/b":     "invalid profile name",
		"/profile save none":    "means no profile",
		"/profile save":         "an argument is missing: /profile save NAME",
		"/profile load wrok":    "did you mean work?",
		"/profile laod work":    `unknown argument "laod"; did you mean load?`,
		"/profile show nosuch":  `no profile "nosuch"; the profiles are: work`,
		"/profile default nope": `no profile "nope"`,
		"/profile list work":    "too many arguments",
		"/profile none work":    "too many arguments",
	} {
		w.refused(t, line, want)
	}
	// S-10: the error names the valid strategies, and the current settings stay.
	if err := os.WriteFile(w.store.Path("bad"), []byte(`{"version":1,"model":"m","settings":{"compression.strategy":"fast"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run(t, "/profile load work")
	w.refused(t, "/profile load bad", "must be one of high-density, middle-out, one-shot, top-down-truncation")
	if w.settings.Profile() != "work" || settings.Model.Value(w.settings) != "" {
		t.Errorf("profile %q, model %q", w.settings.Profile(), settings.Model.Value(w.settings))
	}
}
