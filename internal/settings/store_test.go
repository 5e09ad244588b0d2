package settings_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/settings"
	"agent/internal/testing/require"
)

func newStore(t *testing.T) (*settings.Store, string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "config", "agent")
	return settings.NewStore(folder, newRegistry()), folder
}

// writeProfile writes text to the file of a profile and returns its path.
func writeProfile(t *testing.T, store *settings.Store, name, text string) string {
	t.Helper()
	path := store.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, store *settings.Store, name string) *settings.Profile {
	t.Helper()
	p, err := store.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A profile stores the values that the user set, in the documented format. Only the user can read
// its file.
func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	store, folder := newStore(t)
	s := newSettings()
	set(t, s, settings.LayerFlags, "model", "some/model:7b")
	set(t, s, settings.LayerSession, "compression-threshold", "0.5")
	set(t, s, settings.LayerSession, "base-url", "http://h/v1?a=1&b=2")
	set(t, s, settings.LayerSession, "compression.density.recencyPruning", "on")
	if _, err := store.Save("work", s.PersistentValues()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, "profiles", "work.json"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "version": 1,
  "model": "some/model:7b",
  "settings": {
    "base-url": "http://h/v1?a=1&b=2",
    "compression.density.recencyPruning": true,
    "compression.threshold": 0.5
  }
}
`
	if string(data) != want {
		t.Errorf("file is\n%swant\n%s", data, want)
	}
	fresh := newSettings()
	if hidden := fresh.UseProfile(load(t, store, "work")); len(hidden) > 0 {
		t.Errorf("hidden: %v", hidden)
	}
	for i, resolved := range fresh.All() {
		if before := s.All()[i]; resolved.Value != before.Value {
			t.Errorf("%s: %s was saved, %s loaded", resolved.Spec.Key, before.Value, resolved.Value)
		}
	}
	for path, mode := range map[string]fs.FileMode{
		folder: 0o700, filepath.Join(folder, "profiles"): 0o700, store.Path("work"): 0o600, filepath.Join(folder, ".lock"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if require.Unix && info.Mode().Perm() != mode {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), mode)
		}
	}
}

// A detected value is not a choice of the user and is not saved.
func TestFoundIsNotSaved(t *testing.T) {
	t.Parallel()
	s := newSettings()
	set(t, s, settings.LayerDetected, "base-url", "http://localhost:11434/v1")
	set(t, s, settings.LayerEnvironment, "model", "m")
	if values := s.PersistentValues(); len(values) != 1 || values["model"].String() != "m" {
		t.Errorf("would save %v", values)
	}
}

// Every setting can be saved and loaded.
func TestEverySettingPersists(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	s := newSettings()
	for _, spec := range s.Registry().Specs() {
		set(t, s, settings.LayerSession, strings.Replace(spec.Key, "NAME", "X-Test", 1), sample(spec))
	}
	if _, err := store.Save("all", s.PersistentValues()); err != nil {
		t.Fatal(err)
	}
	p := load(t, store, "all")
	for _, resolved := range s.All() {
		if p.Values[resolved.Spec.Key] != resolved.Value {
			t.Errorf("%s: saved %s, loaded %s", resolved.Spec.Key, resolved.Value, p.Values[resolved.Spec.Key])
		}
	}
}

// sample returns a valid value that is not the default.
func sample(spec *settings.Spec) string {
	if spec.Key == settings.PriceTiers.Key() {
		return "272000:4/15/0.2/5"
	}
	switch spec.Type() {
	case settings.TypeURL:
		return "http://localhost:1/v1"
	case settings.TypeInt:
		return "7"
	case settings.TypeDuration:
		return "90s"
	case settings.TypeObject:
		return `{"a":[1,"b"]}`
	case settings.TypeNumber:
		return "0.25"
	case settings.TypeEnum, settings.TypeBool:
		values := spec.Values()
		if values[len(values)-1] == "false" && spec.Default().String() == "false" {
			return "true"
		}
		return values[len(values)-1]
	default:
		return "name"
	}
}

// Saving a profile changes the values that are set. It keeps fields of other versions, settings
// that are not set in this session, and the names of aliases.
func TestSaveKeepsUnknownFields(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	path := writeProfile(t, store, "work", `{
  "$schema": "./s.json", "version": 1, "plugins": ["<a>", {"b": 1.0}],
  "settings": {"colour": "red & blue", "compression-threshold": 0.5, "temperature": 1}
}`)
	p := load(t, store, "work")
	if !slices.Equal(p.Unknown, []string{"plugins", "settings.colour"}) {
		t.Errorf("unknown fields reported: %q", p.Unknown)
	}
	s := newSettings()
	set(t, s, settings.LayerSession, "compression.threshold", "0.75")
	set(t, s, settings.LayerSession, "model", "m")
	kept, err := store.Save("work", s.PersistentValues())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(kept, []string{"temperature"}) {
		t.Errorf("kept %q", kept)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"$schema": "./s.json"`, `"<a>"`, `"b": 1.0`, `"colour": "red & blue"`, `"temperature": 1`, `"compression.threshold": 0.75`, `"model": "m"`} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%s is not in\n%s", part, data)
		}
	}
	if strings.Contains(string(data), "compression-threshold") {
		t.Errorf("the alias is still there:\n%s", data)
	}
}

// An invalid file is reported with line and field. Loading and saving do not change it.
func TestBrokenProfiles(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"not JSON", "{\n  \"version\": 1,\n  oops\n}", ":3:3: not valid JSON: invalid character 'o'"},
		{"cut", `{"version":1,"model":"m"`, ":1:24: not valid JSON: unexpected end"},
		{"empty", " \n", "the file is empty"},
		{"a list", `[1]`, ":1:1: must be a JSON object"},
		{"text after it", `{"version":1} {}`, ":1:15: not valid JSON"},
		{"an API key", "{\"version\":1,\n\"settings\":{\"api_key\":\"sk-1\"}}", ":2:23: settings.api_key: API keys are not settings: put the key in a file"},
		{"newer", "{\n\"version\": 2}", ":2:12: version: is 2, from a newer version of agent; this version supports at most 1"},
		{"version of another type", `{"version":"1"}`, ":1:12: version: must be 1"},
		{"settings of another type", `{"version":1,"settings":[]}`, ":1:25: settings: must be a JSON object"},
		{"S-10 unknown strategy", "{\"version\":1,\"settings\":{\n \"compression.strategy\" :  \"fast\"}}", `:2:28: settings.compression.strategy: must be one of high-density, top-down-truncation, not "fast"`},
		{"number in quotes", `{"version":1,"settings":{"temperature":"0.5"}}`, "settings.temperature: must be a number from 0 to 2, without quotes"},
		{"number with a suffix", `{"version":1,"settings":{"context-limit":"64k"}}`, `settings.context-limit: must be a whole number above 0, not "64k"`},
		{"boolean in quotes", `{"version":1,"settings":{"compression.density.fileDedupe":"true"}}`, "must be true or false, without quotes"},
		{"text without quotes", `{"version":1,"model":5}`, `:1:22: model: must be a name, not "5"`},
		{"out of range", `{"version":1,"settings":{"context-limit":0}}`, "settings.context-limit: must be a whole number above 0"},
		{"a number too large for any", `{"version":1,"settings":{"temperature":1e999}}`, `settings.temperature: must be a number from 0 to 2, not "1e999"`},
		{"a number too large for any, in place of a word", `{"version":1,"settings":{"theme":1e999}}`, `settings.theme: must be one of auto, dark, light, not "1e999"`},
		{"fraction", `{"version":1,"settings":{"context-limit":1.5}}`, "settings.context-limit: must be a whole number above 0"},
		{"a list as a value", `{"version":1,"settings":{"theme":["dark"]}}`, "settings.theme: must be one of auto, dark, light"},
		{"twice", "{\"version\":1,\"settings\":{\"theme\":\"dark\",\n\"theme\":\"light\"}}", ":2:9: settings.theme: appears twice"},
		{"twice by an alias", `{"version":1,"settings":{"context-limit":1,"context.limit":2}}`, "appears twice, as context-limit and context.limit"},
		{"model among the settings", `{"version":1,"settings":{"model":"m"}}`, `settings.model: belongs next to "settings"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store, _ := newStore(t)
			path := writeProfile(t, store, "work", test.text)
			_, loadErr := store.Load("work")
			_, saveErr := store.Save("work", nil)
			for _, err := range []error{loadErr, saveErr} {
				var typed *settings.Error
				if !errors.As(err, &typed) {
					t.Fatalf("error = %v, want a *settings.Error", err)
				}
				if !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path+":") || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q does not say %q after the path", err, test.want)
				}
			}
			if after, _ := os.ReadFile(path); string(after) != test.text {
				t.Errorf("the file became %q", after)
			}
		})
	}
}

// A null value counts as unset, and a file that was written by hand does not need a version.
func TestLenientProfile(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	writeProfile(t, store, "work", `{"settings":{"temperature":null,"max-turns":-1}}`)
	p := load(t, store, "work")
	if _, ok := p.Values["temperature"]; ok || p.Values["max-turns"].String() != "-1" {
		t.Errorf("values = %v", p.Values)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	store, folder := newStore(t)
	for name, want := range map[string]string{
		"":                      "needs a name",
		"a/b":                   "invalid profile name",
		"../evil":               "invalid profile name",
		`a\b`:                   "invalid profile name",
		".hidden":               "invalid profile name",
		"-flag":                 "invalid profile name",
		"two words":             "invalid profile name",
		"none":                  "means no profile",
		"None":                  "means no profile",
		strings.Repeat("x", 65): "at most 64",
	} {
		_, loadErr := store.Load(name)
		_, saveErr := store.Save(name, nil)
		for _, err := range []error{loadErr, saveErr, store.Delete(name)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v does not say %q", name, err, want)
			}
		}
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused name created %s (%v)", folder, err)
	}
	for _, name := range []string{"work", "gpt-4.1_mini", "größe", strings.Repeat("x", 64)} {
		if err := settings.CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestListAndDelete(t *testing.T) {
	t.Parallel()
	store, folder := newStore(t)
	if names, err := store.List(); len(names) > 0 || err != nil {
		t.Fatalf("List of nothing = %v, %v", names, err)
	}
	if _, err := store.Load("work"); err == nil || !strings.Contains(err.Error(), `no profile "work"; no profile is saved yet`) {
		t.Fatalf("error = %v", err)
	}
	for _, name := range []string{"work", "home"} {
		if _, err := store.Save(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, stray := range []string{".work.json.tmp", "notes.txt", "none.json"} {
		if err := os.WriteFile(filepath.Join(folder, "profiles", stray), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := store.List(); !slices.Equal(names, []string{"home", "work"}) || err != nil {
		t.Fatalf("List = %v, %v", names, err)
	}
	for wrong, want := range map[string]string{"wrok": "did you mean work?", "zzz": "the profiles are: home, work"} {
		if err := store.Delete(wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Delete(%q): %v", wrong, err)
		}
	}
	if err := store.Delete("work"); err != nil {
		t.Fatal(err)
	}
	if names, _ := store.List(); !slices.Equal(names, []string{"home"}) {
		t.Fatalf("List after Delete = %v", names)
	}
}

func TestDefaultProfile(t *testing.T) {
	t.Parallel()
	store, folder := newStore(t)
	if name, err := store.Default(); name != "" || err != nil {
		t.Fatalf("Default of nothing = %q, %v", name, err)
	}
	if err := store.SetDefault("work"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("default can be a missing profile: %v", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(folder, "config.json")
	if err := os.WriteFile(config, []byte(`{"other":[1]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save("work", nil); err != nil {
		t.Fatal(err)
	}
	if err := store.SetDefault("work"); err != nil {
		t.Fatal(err)
	}
	if name, err := store.Default(); name != "work" || err != nil {
		t.Fatalf("Default = %q, %v", name, err)
	}
	if err := store.Delete("work"); err != nil {
		t.Fatal(err)
	}
	if name, err := store.Default(); name != "" || err != nil {
		t.Fatalf("Default after Delete = %q, %v", name, err)
	}
	if data, _ := os.ReadFile(config); !strings.Contains(string(data), `"other"`) {
		t.Errorf("config.json lost a field: %s", data)
	}
}

func TestRecentModels(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	for _, model := range []string{"a", "b", "c", "a", "d", "e", "f", "g", "h", "i", "j", "k"} {
		if err := store.RememberModel(model); err != nil {
			t.Fatal(err)
		}
	}
	got, err := store.RecentModels()
	if want := []string{"k", "j", "i", "h", "g", "f", "e", "d", "a", "c"}; !slices.Equal(got, want) || err != nil {
		t.Fatalf("recent = %v, %v, want %v", got, err, want)
	}
}

// If a profile is a link to another file, saving keeps the link.
func TestSaveThroughLink(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	target := filepath.Join(t.TempDir(), "dotfiles.json")
	if err := os.WriteFile(target, []byte(`{"version":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	path := writeProfile(t, store, "work", "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	require.Link(t, target, path)
	s := newSettings()
	set(t, s, settings.LayerSession, "model", "m")
	if _, err := store.Save("work", s.PersistentValues()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Fatalf("the link is gone (%v)", err)
	}
	if data, _ := os.ReadFile(target); !json.Valid(data) || !strings.Contains(string(data), `"m"`) {
		t.Fatalf("the target holds %s", data)
	}
}

// The error for a folder that cannot be written contains a fix.
func TestUnwritableFolder(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"a file in its place": blocked, "below a file": filepath.Join(blocked, "agent")}
	if require.Unix {
		folders["read-only"] = readOnly(t)
	}
	for name, folder := range folders {
		store := settings.NewStore(folder, newRegistry())
		_, err := store.Save("work", nil)
		for _, err := range []error{err, store.SetDefault(""), store.RememberModel("m")} {
			if err == nil || !strings.Contains(err.Error(), "can't write") && !strings.Contains(err.Error(), "cannot read") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error = %v", name, err)
			}
		}
	}
}

// readOnly returns a folder in which no file can be created.
func readOnly(t *testing.T) string {
	t.Helper()
	if os.Geteuid() == 0 {
		return "/proc"
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	return folder
}

// Loading a profile replaces the earlier profile, and reports the values that other layers hide.
func TestUseProfile(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	writeProfile(t, store, "one", `{"version":1,"model":"m1","settings":{"temperature":1}}`)
	writeProfile(t, store, "two", `{"version":1,"model":"m2"}`)
	s := newSettings()
	s.UseProfile(load(t, store, "one"))
	if settings.Model.Value(s) != "m1" || *settings.Temperature.Pointer(s) != 1 || s.Profile() != "one" {
		t.Fatalf("after one: %s %v %s", settings.Model.Value(s), settings.Temperature.Pointer(s), s.Profile())
	}
	set(t, s, settings.LayerSession, "model", "mine")
	if hidden := s.UseProfile(load(t, store, "two")); !slices.Equal(hidden, []string{"model"}) {
		t.Errorf("hidden = %v", hidden)
	}
	if settings.Model.Value(s) != "mine" || settings.Temperature.Pointer(s) != nil || s.Profile() != "two" {
		t.Errorf("after two: %s %v %s", settings.Model.Value(s), settings.Temperature.Pointer(s), s.Profile())
	}
	s.UseProfile(nil)
	if s.Profile() != "" || len(s.NonDefault()) != 1 {
		t.Errorf("after none: %q, %d set", s.Profile(), len(s.NonDefault()))
	}
}

// Lent values replace the session's values until they are returned. They are not saved or recorded.
// Values that are set meanwhile stay, and another selected model ends the loan.
func TestLend(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	writeProfile(t, store, "spare", `{"version":1,"model":"other","settings":{"base-url":"http://spare.example/v1"}}`)
	lent := func() (*settings.Settings, *[]string) {
		s, recorded := newSettings(), new([]string)
		set(t, s, settings.LayerFlags, "base-url", "http://first.example/v1")
		set(t, s, settings.LayerSession, "model", "first")
		set(t, s, settings.LayerSession, "temperature", "1")
		s.OnSessionChange(func(key, text string) { *recorded = append(*recorded, key+"="+text) })
		s.PushProfile(load(t, store, "spare"))
		if settings.Model.Value(s) != "other" || settings.BaseURL.Value(s) != "http://spare.example/v1" || settings.Temperature.Pointer(s) != nil || s.Profile() != "spare" {
			t.Fatalf("lent: %v", s.NonDefault())
		}
		return s, recorded
	}
	s, recorded := lent()
	set(t, s, settings.LayerDetected, "model", "found")
	set(t, s, settings.LayerSession, "max-turns", "7")
	if saved := s.PersistentValues(); saved["model"].String() != "first" || saved["max-turns"].String() != "7" {
		t.Errorf("saved: %v", saved)
	}
	revision := s.Revision()
	if !s.PopProfile() || s.PopProfile() || s.Revision() == revision {
		t.Error("it was not taken back once")
	}
	if settings.Model.Value(s) != "first" || settings.BaseURL.Value(s) != "http://first.example/v1" || *settings.Temperature.Pointer(s) != 1 || settings.MaxTurns.Value(s) != 7 || s.Profile() != "" {
		t.Errorf("taken back: %v", s.NonDefault())
	}
	if !slices.Equal(*recorded, []string{"max-turns=7"}) {
		t.Errorf("recorded %q", *recorded)
	}
	s, _ = lent()
	set(t, s, settings.LayerSession, "model", "chosen")
	if settings.Model.Value(s) != "chosen" || settings.BaseURL.Value(s) != "http://first.example/v1" || s.PopProfile() {
		t.Errorf("another choice: %v", s.NonDefault())
	}
	s, _ = lent()
	s.PushProfile(load(t, store, "spare"))
	s.UseProfile(nil)
	if settings.Model.Value(s) != "first" || s.PopProfile() {
		t.Errorf("another profile: %v", s.NonDefault())
	}
}
