package slash_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/settings"
	"agent/internal/slash"
)

// A user tries out settings: each line has the expected reply.
func TestSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []struct{ line, want string }{
		{"/set", "All settings have their defaults. To list them, type /settings."},
		{"/set compression-strategy TOP-down-truncation", "compression.strategy = top-down-truncation (was high-density)"},
		{"/set compression-strategy high-density", "compression.strategy = high-density (was top-down-truncation)"},
		{"/set compression.threshold 0.5", "compression.threshold = 0.5 (was unset: the strategy's own)"},
		{"/set theme=dark", "theme = dark (was auto)"},
		{`/set auth-keyfile "~/my keys/key"`, "auth-keyfile = ~/my keys/key (was unset: the provider's environment variable, then the keyring)"},
		{"/set compression-threshold", "compression.threshold = 0.5 (/set)\n" +
			"  share of the context window at which compression starts\n" +
			"  takes a number above 0 and up to 1\n" +
			"  default unset: the strategy's own\n" +
			"  also compression-threshold"},
		{"/set", "auth-keyfile           ~/my keys/key  /set (default unset: the provider's environment variable, then the keyring)\n" +
			"compression.strategy   high-density   /set (default high-density)\n" +
			"compression.threshold  0.5            /set (default unset: the strategy's own)\n" +
			"theme                  dark           /set (default auto)"},
		{"/set unset compression-threshold", "compression.threshold is unset: the strategy's own (default)"},
		{"/set UNSET theme", "theme is auto (default)"},
		{"/set unset theme", "theme is auto (default); it was not changed by /set"},
	} {
		if got := text(w.run(t, step.line)); got != step.want {
			t.Errorf("%s says\n%s\nwant\n%s", step.line, got, step.want)
		}
	}
}

// If the strategy does not use a setting, setting and showing it print a notice.
func TestSetReportsSettingsWithoutEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const why = "compression.density.fileDedupe has no effect with the compression strategy cache-aware"
	if got := text(w.run(t, "/set compression.density.fileDedupe false")); strings.Contains(got, "no effect") {
		t.Errorf("with high-density\n%s", got)
	}
	w.run(t, "/set compression-strategy cache-aware")
	for _, line := range []string{"/set compression.density.fileDedupe true", "/set compression.density.fileDedupe"} {
		if got := text(w.run(t, line)); !strings.HasSuffix(got, why) {
			t.Errorf("%s says\n%s", line, got)
		}
	}
}

// After a value of /set is removed, the value of the next layer is shown.
func TestUnsetShowsTheLayerBelow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t, "/set theme dark")
	w.run(t, "/profile save night")
	w.run(t, "/profile load night")
	if got := text(w.run(t, "/set unset theme")); got != "theme is dark (profile night)" {
		t.Errorf("got %q", got)
	}
	if got := text(w.run(t, "/set unset theme")); got != "theme is dark (profile night); it was not changed by /set" {
		t.Errorf("got %q", got)
	}
}

// An invalid value causes a one-line error with the valid choices, and changes nothing.
func TestSetRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for line, want := range map[string]string{
		"/set context-limit many":            "must be a whole number above 0",
		"/set compression-threshold 1.5":     "must be a number above 0 and up to 1",
		"/set modle gpt-5":                   "did you mean model?",
		"/set modle":                         "did you mean model?",
		"/set unset modle":                   "did you mean model?",
		"/set unset":                         "an argument is missing: /set unset KEY",
		"/set unset model theme":             "too many arguments",
		"/set model gpt 5 turbo":             `put quotes around a value with spaces: /set model "gpt 5 turbo"`,
		"/set modle gpt 5 turbo":             "did you mean model?",
		`/set model "gpt 5"`:                 "model must be a name, without spaces",
		"/set approval-mode everything":      "must be one of ask, auto-edit, full-auto, plan, read-only",
		"/set compression.profile a/b":       "invalid profile name",
		"/set compression.profile nosuch":    `no profile "nosuch"`,
		"/set compression-strategy density":  "did you mean high-density?",
		"/approval everything":               "must be one of ask, auto-edit, full-auto, plan, read-only",
		"/theme neon":                        "must be one of auto, dark, light",
		"/set api-key sk-0123456789abcdef01": "API keys are not settings",
	} {
		w.refused(t, line, want)
	}
	if changed := w.settings.NonDefault(); len(changed) > 0 {
		t.Errorf("%s changed", changed[0].Spec.Key)
	}
}

// Every name and alias can be shown, and every proposed value can be set.
func TestSetEveryKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, spec := range w.settings.Registry().Specs() {
		for _, name := range append([]string{spec.Key}, spec.Aliases...) {
			got := text(w.run(t, "/set "+name))
			for _, part := range []string{spec.Key + " = ", spec.Help, spec.ValidValuesText()} {
				if !strings.Contains(got, part) {
					t.Errorf("/set %s does not say %q:\n%s", name, part, got)
				}
			}
			for _, value := range w.values("/set " + name + " ") {
				w.run(t, "/set "+name+" "+value)
			}
			if values := w.values("/set " + name[:len(name)-1]); !slices.Contains(values, name) {
				t.Errorf("%s is not proposed while it is typed, but %q", name, values)
			}
		}
	}
}

func TestApprovalAndTheme(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const modes = "* ask        ask before edits, commands and network\n" +
		"  auto-edit  edit files without asking, ask before the rest\n" +
		"  full-auto  run everything without asking\n" +
		"  plan       read only until you approve a plan\n" +
		"  read-only  refuse edits, commands and network"
	if got := text(w.run(t, "/approval")); !strings.HasPrefix(got, modes+"\n\n") {
		t.Errorf("/approval shows\n%s", got)
	}
	w.run(t, "/approval Auto-Edit")
	w.run(t, "/theme LIGHT")
	if settings.ApprovalMode.Value(w.settings) != "auto-edit" || settings.Theme.Value(w.settings) != "light" {
		t.Errorf("mode %q, theme %q", settings.ApprovalMode.Value(w.settings), settings.Theme.Value(w.settings))
	}
	if got := text(w.run(t, "/theme")); got != "  auto   default\n  dark\n* light  in use" {
		t.Errorf("/theme shows\n%s", got)
	}
}

func TestSettingsTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.settings.Set(settings.LayerFlags, "model", "m"); err != nil {
		t.Fatal(err)
	}
	all := text(w.run(t, "/settings"))
	for _, resolved := range w.settings.All() {
		if !strings.Contains(all, "  "+resolved.Spec.Key+" ") {
			t.Errorf("/settings does not list %s", resolved.Spec.Key)
		}
	}
	if err := w.settings.Set(settings.LayerFlags, "base-url", "http://a-server-with-a-long-name.example:8080/v1"); err != nil {
		t.Fatal(err)
	}
	if again := text(w.run(t, "/settings")); !strings.Contains(again, "\n  theme                                 auto    default\n") {
		t.Errorf("a long address moves all that is listed:\n%s", again)
	}
	if !strings.Contains(all, "flag (default unset: the endpoint's model, if it has only one)") {
		t.Errorf("/settings does not tell the source of model:\n%s", all)
	}
	if got := text(w.run(t, "/settings theme")); !strings.HasPrefix(got, "theme = auto (default)") {
		t.Errorf("/settings theme shows %q", got)
	}
	if got := text(w.run(t, "/settings recency")); strings.Count(got, "\n") != 2 {
		t.Errorf("/settings recency shows\n%s", got)
	}
	w.refused(t, "/settings qqq", "unknown setting")
}

// An invalid theme is refused with its reason by every command that selects it, and the list marks
// it.
func TestAFaultyThemeIsRefused(t *testing.T) {
	t.Parallel()
	fault := errors.New("red is not readable")
	w := newWorld(t, func(d *slash.Deps) {
		d.ThemeFault = func(name string) error {
			if name == "light" {
				return fault
			}
			return nil
		}
	})
	for _, line := range []string{"/theme light", "/set theme light", "/set theme=light"} {
		if _, err := w.Run(t.Context(), line); !errors.Is(err, fault) {
			t.Errorf("%s: %v", line, err)
		}
	}
	w.run(t, "/theme dark")
	for _, c := range w.run(t, "/theme").Pick.Choices {
		if faulty := c.Name == "light"; c.Faded != faulty || (c.Theme == "") != faulty {
			t.Errorf("%+v", c)
		}
	}
}

// A choice that describes the user is stored. The reply reports this, and one command resets it. A
// choice for the task is kept for the session.
func TestChoicesAreKept(t *testing.T) {
	t.Parallel()
	kept := map[string]string{}
	w := newWorld(t, func(d *slash.Deps) {
		d.Choices.Setting = func(key string, value settings.Value) error {
			kept[key] = value.String()
			return nil
		}
	})
	for _, step := range []struct{ line, want string }{
		{"/theme light", "theme = light (was auto)\nSaved for later sessions. To reset it, type /set unset theme"},
		{"/set approval-mode read-only", "approval-mode = read-only (was ask)\nFor this session. To keep it, type /profile save NAME."},
		{"/set max-cost 2", "max-cost = 2 (was unset: no limit)\nFor this session. To keep it, type /profile save NAME."},
		{"/set unset theme", "theme is auto (default)"},
	} {
		if got := text(w.run(t, step.line)); got != step.want {
			t.Errorf("%s says\n%s\nwant\n%s", step.line, got, step.want)
		}
	}
	if len(kept) != 1 || kept["theme"] != "" {
		t.Errorf("kept: %v", kept)
	}
}
