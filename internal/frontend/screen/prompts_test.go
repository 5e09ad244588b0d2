package screen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/atcmd"
	"agent/internal/session"
)

// If prompts cannot be written to the history file, they are queued with a single warning. They are
// written in order as soon as the file is writable again.
func TestPromptsWaitForRoom(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	history := &promptHistory{file: session.Prompts{Path: filepath.Join(folder, "history")}}
	if err := keep(history, atcmd.TypedMessage("one")); err == nil {
		t.Error("it is not said that nothing is recorded")
	}
	if err := keep(history, atcmd.TypedMessage("two")); err != nil {
		t.Errorf("it is said again: %v", err)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := keep(history, atcmd.TypedMessage("three")); err != nil {
		t.Error(err)
	}
	got, err := history.Load()
	want := []atcmd.Message{atcmd.TypedMessage("one"), atcmd.TypedMessage("two"), atcmd.TypedMessage("three")}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := os.Rename(folder, folder+"-gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := keep(history, atcmd.TypedMessage("four")); err == nil {
		t.Error("after a time in which all was recorded it is not said again")
	}
}

func keep(history *promptHistory, message atcmd.Message) error {
	history.Add(message)
	return history.Write()
}
