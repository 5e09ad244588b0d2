package app

import (
	"errors"
	"slices"
	"testing"
	"time"

	"agent/internal/settings"
)

// openPlace opens a place with the given settings.
func openPlace(t *testing.T, o Options, set ...string) (*place, error) {
	t.Helper()
	p := &Process{Home: t.TempDir(), Dir: t.TempDir(), Version: "test", Now: time.Now}
	with, err := p.Settings(Sources{Isolated: true, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	o.Settings = with
	ends := &closers{}
	t.Cleanup(func() {
		ends.close(p.say)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return newPlace(p, o, ends)
}

// A rule of a flag may name every tool that exists or can be added later, before the model's server
// is known.
func TestRulesOfFlags(t *testing.T) {
	t.Parallel()
	for rule, fits := range map[string]bool{
		"write_file(docs/**)": true, "web_search(domain:go.dev)": true, "mcp__a__b(*)": true, "task(*)": true, "remember(*)": true, "nope(*)": false,
	} {
		at, err := openPlace(t, Options{Allow: []string{rule}}, "web-search=provider")
		if _, input := errors.AsType[InputError](err); input == fits || fits && len(at.policy.Allow) != 1 {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// A conversation releases its resources in reverse order, also after an error.
func TestClosers(t *testing.T) {
	t.Parallel()
	var ends closers
	var closed []int
	for i := range 3 {
		ends.add(func() error {
			closed = append(closed, i)
			return errors.New("stuck")
		})
	}
	said := 0
	ends.close(func(...string) { said++ })
	ends.close(func(...string) { said++ })
	if !slices.Equal(closed, []int{2, 1, 0}) || said != 3 {
		t.Errorf("closed %v, %d failures said", closed, said)
	}
}

// The settings of a resumed session never allow more than the flags of the program.
func TestRestorer(t *testing.T) {
	t.Parallel()
	at, err := openPlace(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	notices := restorer{at.settings, at.profiles, false}.restore(map[string]string{
		"approval-mode": "full-auto", "sandbox": "off", "base-url": "http://elsewhere", "max-turns": "7",
	})
	if len(notices) != 3 || settings.ApprovalMode.Value(at.settings) == "full-auto" || settings.MaxTurns.Value(at.settings) != 7 || settings.BaseURL.Value(at.settings) != "" {
		t.Errorf("%q", notices)
	}
	// Every session records the strategy, so its presence does not mean that the user set it.
	usual := settings.CompressionStrategy.Value(at.settings)
	restorer{at.settings, at.profiles, false}.restore(map[string]string{settings.CompressionStrategy.Key(): usual})
	if _, source := at.settings.Get(settings.CompressionStrategy.Key()); source != settings.LayerDefault {
		t.Errorf("the strategy counts as set: %v", source)
	}
}
