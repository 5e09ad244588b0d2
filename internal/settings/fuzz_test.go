package settings_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/settings"
)

// Any profile file is either refused with a message, or used. Saving a used file loses none of its
// content.
func FuzzProfile(f *testing.F) {
	for _, seed := range []string{
		`{"version":1,"model":"m","settings":{"temperature":0.5,"context.limit":1000}}`,
		`{"version":1,"x":{"y":[1,2,{"z":null}]},"settings":{"colour":"\u00fc<&>"}}`,
		`{"settings":{"theme":null}}`, `{"version":2}`, `{}`, `[]`, `{"settings":{"settings":{}}}`, "\xff", `{"a":1,"a":2}`,
		`{"version":1,"settings":{"max-turns":1e300}}`, `{"": ""}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		store := settings.NewStore(t.TempDir(), newRegistry())
		path := store.Path("p")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		before, err := store.Load("p")
		if err != nil {
			var typed *settings.Error
			if !errors.As(err, &typed) {
				t.Fatalf("error %v is not for people", err)
			}
			return
		}
		if _, err := store.Save("p", before.Values); err != nil {
			t.Fatalf("what was loaded cannot be saved: %v", err)
		}
		after, err := store.Load("p")
		if err != nil {
			t.Fatalf("what was saved cannot be loaded: %v", err)
		}
		if !maps.Equal(before.Values, after.Values) || !slices.Equal(before.Unknown, after.Unknown) {
			t.Fatalf("%q became %+v, then %+v", text, before, after)
		}
	})
}
