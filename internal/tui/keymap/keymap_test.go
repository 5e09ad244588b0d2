package keymap_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/keymap"
)

func TestFileOfKeys(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file   string
		of     map[string][]string
		faults []string
	}{
		"an action gets a key": {`{"keys": {"stash": ["F2", "Alt+S", "ctrl+alt+x"]}}`, map[string][]string{"f2": {"stash"}, "alt+S": {"stash"}, "alt+ctrl+x": {"stash"}, "ctrl+s": nil}, nil},
		"Enter begins a line":  {`{"keys": {"new-line": ["enter"], "send": ["ctrl+j"]}}`, map[string][]string{"enter": {"new-line"}, "ctrl+j": {"send"}, "alt+enter": nil}, nil},
		"keys are taken over":  {`{"keys": {"stash": ["ctrl+k"], "cut-to-end": []}}`, map[string][]string{"ctrl+k": {"stash"}}, nil},
		"an empty object":      {`{}`, map[string][]string{"ctrl+d": {"quit", "delete-right"}, "ctrl+s": {"stash"}}, nil},
		"nothing readable":     {"{\n \"keys\": [", nil, []string{"2: expected a JSON object, not ["}},
		"an unfinished file":   {"{\"keys\": {\n\"stash\": [\"f2\"]", nil, []string{"2: EOF"}},
		"more after the end":   {"{}\n{}", nil, []string{"2: there is text after the JSON object"}},
		"a key as a string":    {`{"keys": {"stash": "f2"}}`, nil, []string{`1: stash must be a list of keys, such as ["ctrl+k"], not f2`}},
		"several faults": {
			"{\n\"key\": 1,\n\"keys\": {\n\"stsh\": [],\n\"interrupt\": [\"f2\"],\n\"stash\": [\n\"esc\",\n\"x\",\n\"ctrl+i\",\n\"ctrl+1\",\n\"hyper+x\"],\n\"stash\": []}}", nil,
			[]string{
				`2: unknown field "key": only "keys" is allowed`,
				`4: unknown action "stsh"; did you mean stash?`,
				"5: can't change the keys of interrupt",
				`7: stash: can't use the key "esc": it always interrupts or quits`,
				`8: stash: can't use the key "x": it types a character`,
				`9: stash: can't use the key "ctrl+i": terminals send it as tab`,
				`10: stash: can't use the key "ctrl+1": terminals can't send it`,
				`11: stash: can't use the key "hyper+x": unknown key`,
				"12: stash appears twice",
			},
		},
		"two actions of the file": {"{\"keys\": {\n\"stash\": [\"f2\"],\n\"mode\": [\"f2\"]}}", nil, []string{"3: f2 is assigned to mode and to stash (line 2)"}},
		"a key of another action": {`{"keys": {"stash": ["ctrl+k"]}}`, nil, []string{`1: ctrl+k is assigned to stash and to cut-to-end (its default; to free the key, set "cut-to-end": [])`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, faults := keymap.Parse([]byte(tc.file))
			if diff := cmp.Diff(tc.faults, faults); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			for key, want := range tc.of {
				if got := m.ActionsOf(key); !slices.Equal(got, want) {
					t.Errorf("%s does %v, want %v", key, got, want)
				}
			}
			if len(tc.faults) > 0 && !slices.Equal(m.ActionsOf("ctrl+s"), []string{"stash"}) {
				t.Error("a file with faults changed keys")
			}
		})
	}
}

func TestReadNamesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	if _, faults := keymap.Read(path); len(faults) > 0 {
		t.Errorf("no file: %v", faults)
	}
	if err := os.WriteFile(path, []byte(`{"keys": {"nope": []}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, faults := keymap.Read(path); len(faults) != 1 || !strings.HasPrefix(faults[0], path+":1: ") {
		t.Errorf("faults: %q", faults)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"keys": {"stash": ["f2"]}}`)
	f.Add(`{"keys": {"stash": [{}], "up": [null, 1e9, "ctrl+é", "alt+"]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, faults := keymap.Parse([]byte(text))
		for _, a := range m.Actions() {
			for _, key := range a.Keys {
				if !slices.Contains(m.ActionsOf(key), a.Name) {
					t.Fatalf("%s has the key %s, which does %v", a.Name, key, m.ActionsOf(key))
				}
			}
		}
		if !slices.Equal(m.ActionsOf("ctrl+c"), []string{"interrupt"}) || !slices.Contains(m.ActionsOf("esc"), "escape") {
			t.Fatalf("Ctrl+C or Esc was bound (faults %v)", faults)
		}
	})
}
