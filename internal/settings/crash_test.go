package settings_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/settings"
)

// The test binary runs itself as another program that saves profiles.
const (
	envFolder = "AGENT_TEST_SAVE_FOLDER"
	envSet    = "AGENT_TEST_SAVE_SET"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(envFolder); folder != "" {
		if err := saver(folder, os.Getenv(envSet)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// saver sets KEY=VALUE and saves it once. Without an assignment it saves a long and a short profile
// in turn until it is killed.
func saver(folder, assignment string) error {
	s := newSettings()
	store := settings.NewStore(folder, s.Registry())
	if key, value, ok := strings.Cut(assignment, "="); ok {
		if err := s.Set(settings.LayerSession, key, value); err != nil {
			return err
		}
		_, err := store.Save("work", s.PersistentValues())
		return err
	}
	for {
		for _, model := range []string{"short", strings.Repeat("long", 64<<10)} {
			if err := s.Set(settings.LayerSession, "model", model); err != nil {
				return err
			}
			if _, err := store.Save("work", s.PersistentValues()); err != nil {
				return err
			}
		}
	}
}

func startSaver(t *testing.T, folder, assignment string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envFolder+"="+folder, envSet+"="+assignment)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// A writer that is killed at any time leaves the old file or the new one, and no lock.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	store, folder := newStore(t)
	whole := func() bool {
		p, err := store.Load("work")
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if err != nil {
			t.Fatalf("torn file: %.200s", err.Error())
		}
		return p.Values["model"].IsSet()
	}
	for round := range 12 {
		writer := startSaver(t, folder, "")
		ended := make(chan error, 1)
		go func() { ended <- writer.Wait() }()
		for seen := 0; seen <= 7*round; {
			select {
			case err := <-ended:
				t.Fatalf("the writer ended by itself: %v", err)
			default:
			}
			if whole() {
				seen++
			}
		}
		if err := writer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		if !whole() {
			t.Fatal("the profile is gone")
		}
	}
	s := newSettings()
	set(t, s, settings.LayerSession, "model", "after")
	if _, err := store.Save("work", s.PersistentValues()); err != nil {
		t.Fatalf("cannot save after the writer was killed: %v", err)
	}
	if got := load(t, store, "work").Values["model"].String(); got != "after" {
		t.Fatalf("model = %.20q", got)
	}
}

// Programs that save at the same time lose nothing: the value of each is in the file afterwards.
func TestConcurrentPrograms(t *testing.T) {
	t.Parallel()
	store, folder := newStore(t)
	assignments := []string{
		"model=m", "temperature=0.5", "theme=dark", "max-turns=9", "context-limit=1000", "compression.threshold=0.75",
	}
	var programs []*exec.Cmd
	for _, assignment := range assignments {
		programs = append(programs, startSaver(t, folder, assignment))
	}
	for _, program := range programs {
		if err := program.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	p := load(t, store, "work")
	for _, assignment := range assignments {
		key, value, _ := strings.Cut(assignment, "=")
		if got := p.Values[key].String(); got != value {
			t.Errorf("%s = %q, want %q", key, got, value)
		}
	}
}
