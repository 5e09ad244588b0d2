package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/settings"
)

// ofPerson lists the settings that describe the user. All other settings describe the task.
var ofPerson = []string{
	"theme", "ui.keys", "ui.links", "ui.columns", "notice.density", "notice.cache", "ui.estimate", "notify", "notify-command",
	"status-line.command", "output-style", "commit.trailer",
	"web-search", "web-search.url", "web-search.command", "web-search.price", "web-search.max-tokens",
}

// Each setting declares whether it describes the user. A choice is stored for the next start
// exactly if it does.
func TestKeptChoices(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, spec := range newRegistry().Specs() {
		value := sample(spec)
		v, err := spec.Parse(value)
		if err != nil {
			t.Errorf("%s: %v", spec.Key, err)
			continue
		}
		person := slices.Contains(ofPerson, spec.Key)
		store := settings.NewStore(folder, newRegistry())
		if err := store.SaveChoice(spec.Key, v); (err == nil) != person || spec.Person != person {
			t.Errorf("%s of the person: %v; kept: %v", spec.Key, spec.Person, err)
			continue
		}
		started := settings.New(newRegistry())
		kept, problems, err := settings.NewStore(folder, newRegistry()).SavedChoices()
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		started.LoadChoices(kept)
		now, source := started.Get(spec.Key)
		if (source == settings.LayerSaved) != person || person && now != v {
			t.Errorf("after a restart %s is %s (%s)", spec.Key, now, source)
		}
		if !person {
			continue
		}
		for _, layer := range []settings.Source{settings.LayerEnvironment, settings.LayerFlags, settings.LayerSession} {
			set(t, started, layer, spec.Key, value)
			if _, source := started.Get(spec.Key); source != layer {
				t.Errorf("%s: %s goes before %s", spec.Key, source, layer)
			}
		}
		if _, saved := started.PersistentValues()[spec.Key]; saved {
			t.Errorf("a profile would freeze %s", spec.Key)
		}
		if err := store.SaveChoice(spec.Key, settings.Value{}); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(folder, "config.json")); err != nil || strings.Contains(string(text), "kept") {
		t.Errorf("config.json holds %s, %v", text, err)
	}
}

// A file that was edited by hand cannot store settings that affect safety or money.
func TestKeptChoicesOfTheTask(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := `{"version": 1, "kept": {"theme": 7, "sandbox": "off", "colour": "red", "ui.columns": 80}}`
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, problems, err := settings.NewStore(folder, newRegistry()).SavedChoices()
	if err != nil || len(kept) != 1 || kept["ui.columns"].String() != "80" || len(problems) != 3 {
		t.Errorf("%v, %q, %v", kept, problems, err)
	}
}
