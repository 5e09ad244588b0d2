package settings_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/settings"
)

// testChoices stand for the values that other packages declare.
var testChoices = settings.Choices{
	settings.CompressionStrategy.Key(): {"high-density", "top-down-truncation"},
	settings.ApprovalMode.Key():        {"ask", "auto-edit", "full-auto", "plan", "read-only"},
	settings.Theme.Key():               {"auto", "dark", "light"},
	settings.Provider.Key():            {"ollama", "openai"},
}

func newRegistry() *settings.Registry { return settings.NewRegistry(settings.All(), testChoices) }

func newSettings() *settings.Settings {
	return settings.New(newRegistry())
}

func set(t *testing.T, s *settings.Settings, layer settings.Source, key, text string) {
	t.Helper()
	if err := s.Set(layer, key, text); err != nil {
		t.Fatalf("Set(%s, %q, %q): %v", layer, key, text, err)
	}
}

// D-39: the order of precedence is default, detected, profile, environment, flags, /set. Each value
// has its source.
func TestPrecedenceD39(t *testing.T) {
	t.Parallel()
	s := newSettings()
	steps := []struct {
		layer settings.Source
		text  string
	}{
		{settings.LayerDetected, "0.4"},
		{settings.LayerProfile, "0.5"},
		{settings.LayerEnvironment, "0.6"},
		{settings.LayerFlags, "0.7"},
		{settings.LayerSession, "0.8"},
	}
	// Set the strongest layer first, so that an implementation in which the last value wins fails.
	for i := len(steps) - 1; i >= 0; i-- {
		set(t, s, steps[i].layer, settings.CompressionPreserveThreshold.Key(), steps[i].text)
	}
	for i := len(steps) - 1; i >= 0; i-- {
		value, source := s.Get(settings.CompressionPreserveThreshold.Key())
		if value.String() != steps[i].text || source != steps[i].layer {
			t.Fatalf("got %s from %s, want %s from %s", value, source, steps[i].text, steps[i].layer)
		}
		if was, err := s.Unset(steps[i].layer, "compression-preserve-threshold"); !was || err != nil {
			t.Fatalf("Unset = %v, %v", was, err)
		}
	}
	if value, source := s.Get(settings.CompressionPreserveThreshold.Key()); value.String() != "0.2" || source != settings.LayerDefault {
		t.Fatalf("got %s from %s, want 0.2 from default", value, source)
	}
}

// REQ-HD-001.10, D-04: only the user's layers supply a threshold.
func TestThresholdIsTheStrategysUnlessSet(t *testing.T) {
	t.Parallel()
	s := newSettings()
	if x, ok := settings.CompressionThreshold.Get(s); ok {
		t.Fatalf("threshold is %v before anyone set it", x)
	}
	set(t, s, settings.LayerProfile, "compression-threshold", "0.7")
	set(t, s, settings.LayerSession, "compression-threshold", "0.6")
	if x, ok := settings.CompressionThreshold.Get(s); !ok || x != 0.6 {
		t.Fatalf("threshold = %v, %v, want 0.6", x, ok)
	}
}

// The settings of density have the specified types, limits and defaults (REQ-HD-009.1,
// REQ-HD-009.2, REQ-HD-009.3, REQ-HD-009.4, REQ-HD-007.5, BR-RECENCY-004).
func TestDensitySpecs(t *testing.T) {
	t.Parallel()
	registry := newRegistry()
	for key, want := range map[string]struct {
		kind         settings.Type
		value, other string
	}{
		"compression.density.readWritePruning": {settings.TypeBool, "true", "false"},
		"compression.density.fileDedupe":       {settings.TypeBool, "true", "false"},
		"compression.density.recencyPruning":   {settings.TypeBool, "false", "true"},
		"compression.density.recencyRetention": {settings.TypeInt, "3", "4"},
	} {
		spec, err := registry.Lookup(key)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Type() != want.kind || spec.Default().String() != want.value || spec.Category != "cli-behavior" {
			t.Errorf("%s: type %s, default %s, category %s", key, spec.Type(), spec.Default(), spec.Category)
		}
		s := settings.New(registry)
		set(t, s, settings.LayerSession, key, want.other)
		if saved, ok := s.PersistentValues()[key]; !ok || saved.String() != want.other {
			t.Errorf("%s: a profile would keep %q, %t", key, saved, ok)
		}
	}
}

// REQ-HD-004.4: the available strategies come from the registry that the caller passes.
func TestStrategiesComeFromTheirRegistry(t *testing.T) {
	t.Parallel()
	s := settings.New(settings.NewRegistry(settings.All(), settings.Choices{"compression.strategy": {"high-density", "brand-new"}}))
	set(t, s, settings.LayerSession, "compression.strategy", "Brand-New")
	if got := settings.CompressionStrategy.Value(s); got != "brand-new" {
		t.Fatalf("strategy = %q", got)
	}
	err := s.Set(settings.LayerSession, "compression.strategy", "brand-old")
	if err == nil || !strings.Contains(err.Error(), "high-density, brand-new") || !strings.Contains(err.Error(), "did you mean brand-new?") {
		t.Fatalf("error = %v", err)
	}
}

// The default thresholds for preserved content are those in D-06.
func TestPreserveDefaults(t *testing.T) {
	t.Parallel()
	s := newSettings()
	if bottom, top := settings.CompressionPreserveThreshold.Value(s), settings.CompressionTopPreserveThreshold.Value(s); bottom != 0.2 || top != 0.2 {
		t.Errorf("kept are %v at the tail and %v at the top", bottom, top)
	}
}

// REQ-HD-009.5, REQ-HD-009.6: each accessor returns the value of the session with the right type.
func TestAccessors(t *testing.T) {
	t.Parallel()
	s := newSettings()
	for key, text := range map[string]string{
		"model": "m", "base-url": "http://h/v1/", "auth-keyfile": "~/my keys/k", "context.limit": "1000",
		"max-output-tokens": "100", "temperature": "0", "top_p": "0.9", "reasoning.effort": "HIGH", "reasoning.replay": "never", "api": "responses", "prompt-cache": "1h", "request-timeout": "90", "idle-timeout": "1h0m", "max-retries": "3",
		"compression-strategy": "Top-Down-Truncation", "compression-threshold": "1",
		"compression-preserve-threshold": "0.3", "compression.topPreserveThreshold": "0.4",
		"compression.profile": "small", "compression.density.readWritePruning": "off",
		"compression.density.fileDedupe": "no", "compression.density.recencyPruning": "ON",
		"compression.density.recencyRetention": "5", "approval-mode": "Full-Auto", "shell-timeout-seconds": "7",
		"tool-output-max-tokens": "8", "file-read-max-lines": "9", "max-turns": "10", "theme": "Dark",
		"sandbox": "Off", "sandbox.allow-write": "/a, /b c", "sandbox.deny-read": "/d", "sandbox.allow-network": "yes", "sandbox.allow-env": "A,B",
		"price.input": "3", "price.output": "15", "price.cached": "0.3",
	} {
		set(t, s, settings.LayerSession, key, text)
	}
	limit, _ := settings.ContextLimit.Get(s)
	output, _ := settings.MaxOutputTokens.Get(s)
	threshold, _ := settings.CompressionThreshold.Get(s)
	prices, _ := settings.PricesOf(s, nil)
	got := []any{
		settings.Model.Value(s), settings.BaseURL.Value(s), settings.AuthKeyfile.Value(s), limit, output, *settings.Temperature.Pointer(s), *settings.TopP.Pointer(s), settings.ReasoningEffort.Value(s), settings.ReasoningReplay.Value(s), settings.API.Value(s), settings.PromptCache.Value(s), settings.RequestTimeout.Value(s), settings.IdleTimeout.Value(s), settings.MaxRetries.Value(s),
		settings.CompressionStrategy.Value(s), threshold, settings.CompressionPreserveThreshold.Value(s), settings.CompressionTopPreserveThreshold.Value(s),
		settings.CompressionProfile.Value(s), settings.DensityConfig(s).Switches["readWritePruning"], settings.DensityConfig(s).Switches["fileDedupe"], settings.DensityConfig(s).Switches["recencyPruning"],
		settings.DensityConfig(s).Numbers["recencyRetention"], settings.ApprovalMode.Value(s), settings.ShellTimeoutSeconds.Value(s), settings.ToolOutputMaxTokens.Value(s),
		settings.FileReadMaxLines.Value(s), settings.MaxTurns.Value(s), settings.Theme.Value(s),
		settings.Sandbox.Value(s), strings.Join(settings.SplitItems(settings.SandboxAllowWrite.Value(s)), "|"), settings.SandboxDenyRead.Value(s), settings.SandboxAllowNetwork.Value(s), settings.SandboxAllowEnv.Value(s),
		prices,
	}
	want := []any{
		"m", "http://h/v1", "~/my keys/k", 1000, 100, 0.0, 0.9, "high", "never", "responses", "1h", 90 * time.Second, time.Hour, 3,
		"top-down-truncation", 1.0, 0.3, 0.4,
		"small", false, false, true,
		5.0, "full-auto", 7, 8,
		9, 10, "dark",
		"off", "/a|/b c", "/d", true, "A,B",
		settings.Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3},
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("accessor %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

// An accessor distinguishes an unset setting from a value.
func TestUnsetAccessors(t *testing.T) {
	t.Parallel()
	s := newSettings()
	if _, ok := settings.ContextLimit.Get(s); ok {
		t.Error("context-limit is set")
	}
	if _, ok := settings.MaxOutputTokens.Get(s); ok {
		t.Error("max-output-tokens is set")
	}
	if settings.Temperature.Pointer(s) != nil || settings.TopP.Pointer(s) != nil || settings.ReasoningEffort.Value(s) != "" || settings.Model.Value(s) != "" {
		t.Error("a model parameter is set")
	}
	set(t, s, settings.LayerSession, "price.input", "3")
	if _, ok := settings.PricesOf(s, nil); ok {
		t.Error("a cost can be told without an output price")
	}
	if prices, ok := settings.InputPricesOf(s, nil); !ok || prices.Input != 3 || prices.CacheRead != 3 {
		t.Errorf("the price of input is %+v, %t without that of output", prices, ok)
	}
	set(t, s, settings.LayerSession, "price.output", "15")
	if prices, ok := settings.PricesOf(s, nil); !ok || prices.CacheRead != 3 {
		t.Errorf("prices = %+v, %v; cached tokens should cost what input costs", prices, ok)
	}
}

// Numbers of tokens may be typed as the screen shows them.
func TestTokens(t *testing.T) {
	t.Parallel()
	s := newSettings()
	for text, want := range map[string]int{"32k": 32_000, "32.8K": 32_800, "1.5M": 1_500_000, "900": 900, "1.0005m": 1_000_500, "9007199254740991": 1<<53 - 1} {
		set(t, s, settings.LayerSession, "context-limit", text)
		if got := settings.ContextLimit.Value(s); got != want {
			t.Errorf("%s is %d", text, got)
		}
	}
}

// D-38: an invalid value causes a one-line error that names the valid choices, and changes nothing.
func TestBadInput(t *testing.T) {
	t.Parallel()
	const key = "sk-abcdefghijklmnopqrstuvwxyz"
	tests := []struct{ name, key, text, want string }{
		{"wrong type: number", "context-limit", "many", `context-limit must be a whole number above 0, not "many"`},
		{"wrong type: fraction", "max-turns", "1.5", `max-turns must be a whole number of at least 1, or -1 for no limit, not "1.5"`},
		{"wrong type: duration or auto", "cache-life", "long", `cache-life must be auto, or a time such as 90s or 5m, from 1s to 48h`},
		{"wrong type: bool", "compression.density.fileDedupe", "maybe", `must be true or false, not "maybe"`},
		{"wrong type: url", "base-url", "localhost", "must be an http or https address such as"},
		{"out of range: zero", "compression.threshold", "0", `must be a number above 0 and up to 1, not "0"`},
		{"out of range: high", "compression-threshold", "1.01", "above 0 and up to 1"},
		{"out of range: NaN", "compression-threshold", "NaN", "above 0 and up to 1"},
		{"out of range: infinite", "temperature", "Inf", "from 0 to 2"},
		{"out of range: too large for an int", "context-limit", "99999999999999999999", "a whole number"},
		{"out of range: no number of tokens", "context-limit", "NaNk", "a whole number"},
		{"exponent", "context-limit", "1e3", `above 0, not "1e3"`},
		{"exponent and suffix", "context-limit", "1e3k", `above 0, not "1e3k"`},
		{"hexadecimal", "context-limit", "0x10", `above 0, not "0x10"`},
		{"underscore", "context-limit", "1_000k", `above 0, not "1_000k"`},
		{"sign", "context-limit", "+5k", `above 0, not "+5k"`},
		{"two suffixes", "context-limit", "1kk", `above 0, not "1kk"`},
		{"two points", "context-limit", "1.2.3M", `above 0, not "1.2.3M"`},
		{"only a suffix", "found-max-tokens", "k", `of at least 0, not "k"`},
		{"part of a token", "context-limit", "1.0005k", `above 0, not "1.0005k"`},
		{"out of range: too large to be exact", "context-limit", "9223372036854775k", `above 0, not "9223372036854775k"`},
		{"no number of tokens", "max-turns", "32k", "a whole number"},
		{"out of range: max-turns 0", "max-turns", "0", "or -1 for no limit"},
		{"out of range: retention", "compression.density.recencyRetention", "0", "of at least 1"},
		{"unknown key", "compresion.strategy", "x", `unknown setting "compresion.strategy"; did you mean compression.strategy?`},
		{"unknown key: part of one", "recencyretention", "3", "did you mean compression.density.recencyRetention?"},
		{"unknown key: nothing near", "zzzzzz", "3", `unknown setting "zzzzzz" (to list all, type /settings or run: agent settings)`},
		{"D-38 the beginning of several", "compression.density", "true", `"compression.density" is a group of settings: compression.density.readWritePruning, compression.density.fileDedupe, compression.density.recencyPruning, compression.density.recencyRetention`},
		{"D-38 the beginning of several, in any case", "Price.", "3", "is a group of settings: price.input, price.output, price.cache-read"},
		{"no key", "", "3", "a setting needs a name"},
		{"unknown enum value", "approval-mode", "yolo", "must be one of ask, auto-edit, full-auto, plan, read-only"},
		{"initials of an enum value", "compression.strategy", "hd", `must be one of high-density, top-down-truncation, not "hd"; did you mean high-density?`},
		{"out of range: retention is a whole number (REQ-HD-009.4)", "compression.density.recencyRetention", "2.5", "a whole number of at least 1"},
		{"near enum value", "approval-mode", "ful-auto", "did you mean full-auto?"},
		{"value with spaces", "model", "my model", "model must be a name, without spaces"},
		{"empty value", "model", "  ", "must not be empty"},
		{"two lines", "auth-keyfile", "a\nb", "must be one line of plain text"},
		{"profile with a slash", "compression.profile", "a/b", `compression.profile must be a profile name: invalid profile name "a/b"`},
		{"secret in the address", "base-url", "https://me:hunter2@h/v1", "must not contain a user name or password"},
		{"a key in place of its file", "auth-keyfile", key, "API keys are not settings"},
		{"a key as a setting", "api_key", key, "API keys are not settings"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSettings()
			err := s.Set(settings.LayerSession, test.key, test.text)
			var typed *settings.Error
			if !errors.As(err, &typed) {
				t.Fatalf("error = %v, want a *settings.Error", err)
			}
			message := err.Error()
			if !strings.Contains(message, test.want) {
				t.Errorf("error %q does not say %q", message, test.want)
			}
			if strings.Contains(message, "\n") {
				t.Errorf("error %q is more than a line", message)
			}
			if strings.Contains(message, "hunter2") || strings.Contains(message, key) {
				t.Errorf("error %q tells a secret", message)
			}
			if changed := s.NonDefault(); len(changed) > 0 {
				t.Errorf("changed: %v", changed[0].Spec.Key)
			}
		})
	}
}

func TestUnsetUnknownKey(t *testing.T) {
	t.Parallel()
	s := newSettings()
	if was, err := s.Unset(settings.LayerSession, "modle"); was || err == nil || !strings.Contains(err.Error(), "did you mean model?") {
		t.Fatalf("Unset = %v, %v", was, err)
	}
	if was, err := s.Unset(settings.LayerSession, "model"); was || err != nil {
		t.Fatalf("Unset of an unset key = %v, %v", was, err)
	}
}

// Every name and alias is found in upper and lower case, every default is valid, and every listed
// choice can be set.
func TestEverySpec(t *testing.T) {
	t.Parallel()
	registry := newRegistry()
	seen := make(map[string]bool)
	for _, spec := range registry.Specs() {
		for _, name := range append([]string{spec.Key, strings.ToUpper(spec.Key)}, spec.Aliases...) {
			if seen[name] {
				t.Errorf("%s is declared twice", name)
			}
			seen[name] = true
			if found, err := registry.Lookup(name); err != nil || found.Key != spec.Key {
				t.Errorf("Lookup(%q) = %v, %v", name, found, err)
			}
		}
		if spec.Help == "" || spec.Category == "" {
			t.Errorf("%s has no help or no category", spec.Key)
		}
		if spec.Default().IsSet() == (spec.Unset != "") {
			t.Errorf("%s needs either a default or what unset means", spec.Key)
		}
		s := settings.New(registry)
		if value, _ := s.Get(spec.Key); value.IsSet() {
			if again, err := spec.Parse(value.String()); err != nil || again != value {
				t.Errorf("%s: the default %q is not valid: %v", spec.Key, value, err)
			}
		}
		for _, choice := range spec.Values() {
			set(t, s, settings.LayerSession, spec.Key, strings.ToUpper(choice))
			if value, _ := s.Get(spec.Key); value.String() != choice {
				t.Errorf("%s: %q became %q", spec.Key, choice, value)
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	s := newSettings()
	variables := map[string]string{"OPENAI_BASE_URL": "http://h:1/v1"}
	if err := s.SetEnvironment(func(name string) string { return variables[name] }); err != nil {
		t.Fatal(err)
	}
	if _, source := s.Get("base-url"); settings.BaseURL.Value(s) != "http://h:1/v1" || source != settings.LayerEnvironment {
		t.Fatalf("base-url = %q from %s", settings.BaseURL.Value(s), source)
	}
	err := s.SetEnvironment(func(string) string { return "nonsense" })
	if err == nil || !strings.HasPrefix(err.Error(), "OPENAI_BASE_URL: base-url must be") {
		t.Fatalf("error = %v", err)
	}
	if settings.BaseURL.Value(s) != "http://h:1/v1" {
		t.Fatal("a wrong environment changed the settings")
	}
}

// The screen reads settings while commands write them. The test is useful with -race.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := newSettings()
	var all sync.WaitGroup
	for _, theme := range testChoices["theme"] {
		all.Go(func() {
			for range 100 {
				if err := s.Set(settings.LayerSession, "theme", theme); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 100 {
				if settings.Theme.Value(s) == "" || len(s.All()) == 0 {
					t.Error("a read saw nothing")
				}
			}
		})
	}
	all.Wait()
}

func TestResolvedAsJSON(t *testing.T) {
	t.Parallel()
	s := newSettings()
	set(t, s, settings.LayerSession, "compression-threshold", "0.5")
	for _, resolved := range s.All() {
		if resolved.Spec.Key != "compression.threshold" {
			continue
		}
		got, err := json.Marshal(resolved)
		const want = `{"key":"compression.threshold","aliases":["compression-threshold"],"type":"number","value":0.5,"source":"/set",` +
			`"default":null,"unset":"the strategy's own","takes":"a number above 0 and up to 1","category":"cli-behavior",` +
			`"help":"share of the context window at which compression starts"}`
		if string(got) != want || err != nil {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
}

func TestOnSessionChange(t *testing.T) {
	t.Parallel()
	s := newSettings()
	var told []string
	s.OnSessionChange(func(key, text string) { told = append(told, key+"="+text) })
	for _, step := range []func() error{
		func() error { return s.Set(settings.LayerSession, "compression-strategy", "HIGH-density") },
		func() error { return s.Set(settings.LayerFlags, "max-turns", "3") },
		func() error { _, err := s.Unset(settings.LayerSession, "max-turns"); return err },
		func() error { _, err := s.Unset(settings.LayerSession, "compression.strategy"); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(told, " "); got != "compression.strategy=high-density compression.strategy=" {
		t.Errorf("told %q", got)
	}
}

// Every change of a value in any layer increments the revision. A refused change does not.
func TestRevision(t *testing.T) {
	t.Parallel()
	s := newSettings()
	revision := s.Revision()
	for _, step := range []struct {
		name    string
		do      func()
		changes bool
	}{
		{"set", func() { _ = s.Set(settings.LayerSession, "max-turns", "7") }, true},
		{"refused", func() { _ = s.Set(settings.LayerSession, "max-turns", "many") }, false},
		{"unset", func() { _, _ = s.Unset(settings.LayerSession, "max-turns") }, true},
		{"environment", func() { _ = s.SetEnvironment(func(string) string { return "" }) }, true},
		{"profile", func() { s.UseProfile(&settings.Profile{}) }, true},
		{"no profile", func() { s.UseProfile(nil) }, true},
		{"nothing", func() { _ = settings.MaxTurns.Value(s) }, false},
	} {
		step.do()
		if now := s.Revision(); (now != revision) != step.changes {
			t.Errorf("%s: revision %d after %d", step.name, now, revision)
		} else {
			revision = now
		}
	}
}
