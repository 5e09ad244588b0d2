package settings

import "testing"

// The last selected model is stored for each endpoint separately, and is reported once for each
// selection.
func TestChosenModels(t *testing.T) {
	t.Parallel()
	s := NewStore(t.TempDir(), NewRegistry(All(), nil))
	const here, there = "http://here/v1", "http://there/v1"
	asks := func(endpoint, want string, news bool) {
		t.Helper()
		if model, first := s.ChosenModel(endpoint); model != want || first != news {
			t.Errorf("%s: %q %t, want %q %t", endpoint, model, first, want, news)
		}
	}
	choose := func(endpoint, model string) {
		t.Helper()
		if err := s.ChooseModel(endpoint, model); err != nil {
			t.Fatal(err)
		}
	}
	asks(here, "", false)
	choose(here, "a")
	if model := s.LastModel(here); model != "a" { // the selection is not reported to its own session
		t.Errorf("the last model is %q", model)
	}
	asks(here, "a", true)
	asks(here, "a", false)
	choose(here, "a")
	asks(here, "a", false)
	choose(here, "b")
	asks(there, "", false)
	asks(here, "b", true)
	choose(there, "c")
	asks(here, "b", false)
	asks(there, "c", true)
	if err := s.RememberModel("z"); err != nil {
		t.Fatal(err)
	}
	asks(here, "b", false)
	for n := range 2 * maxChosen {
		choose(here+string(rune('a'+n)), "m")
	}
	config, err := s.config()
	if n := len(value[map[string]chosenModel](config, fieldChosen)); err != nil || n > maxChosen {
		t.Errorf("%d endpoints are remembered, %v", n, err)
	}
}
