package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// TestS08FailuresReachTheUser covers S-08, REQ-HD-013.1, REQ-HD-013.2, REQ-HD-013.3, REQ-HD-013.4,
// ERR-002, ERR-003, ERR-020, ERR-021 and D-31. A failure before a request ends the turn. Nothing is
// sent, the message is kept, and it can be sent after the cause is removed. The tests of package
// window list the possible failures.
func TestS08FailuresReachTheUser(t *testing.T) {
	t.Parallel()
	for words, full := range map[string]history.MutationKind{
		"pruning failed, so nothing was sent": history.MutationDensity, "To send your message again": history.MutationReplaced,
	} {
		b := newBench(t, say("ok"))
		fails := true
		b.keep(history.NewService(wordCount{}, func(m history.Mutation) error {
			if fails && m.Kind == full {
				return errors.New("boom")
			}
			return nil
		}))
		b.set("context-limit", "1000")
		b.record(history.HumanText("go"))
		for i := range 5 {
			b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(180))
		}
		b.pair("stale", "write_file", "0", "ok")
		out, err := b.prompt("now")
		if err == nil || !strings.Contains(err.Error(), words) || out.Stop != StopFailed || len(b.model.requests) != 0 {
			t.Fatalf("%+v, %v, %d requests", out, err, len(b.model.requests))
		}
		if said := b.texts(history.Human); !slices.Contains(said, "now") {
			t.Errorf("the message is not kept: %q", said)
		}
		if len(seen[Compressed](b)) != 0 {
			t.Error("REQ-HD-013.4: something else was done instead")
		}
		fails = false
		if out, err := b.Resend(context.Background()); err != nil || out.Response != "ok" {
			t.Errorf("it cannot be sent again: %+v, %v", out, err)
		}
	}
}

// If another program removes the record, a notice reports it each time.
func TestATakenRecordIsSaid(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, t.TempDir(), say("one"), say("two"))
	for i, text := range []string{"a", "b"} {
		if _, err := r.prompt(text); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := os.Remove(r.log.Path()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if said := seen[Notice](r.bench); len(said) != 1 || !strings.Contains(said[0].Text, "another program deleted the session log") {
		t.Errorf("said %q", said)
	}
}

// If the disk accepts no data, one notice reports it, the status shows it as long as it lasts, and
// no turn ends.
func TestUnsavedIsReportedOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "sessions")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file in the place of the folder
		t.Fatal(err)
	}
	r := newRecorded(t, dir, calls("ls", `{}`), say("one"), say("two"), say("three"))
	for _, text := range []string{"a", "b"} {
		if out, err := r.prompt(text); err != nil || out.Stop != StopDone {
			t.Fatalf("%+v %v", out, err)
		}
	}
	if status := seen[StatusChanged](r.bench); !status[len(status)-1].Status.Unsaved {
		t.Error("the status shows it as saved")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := r.prompt("c"); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, n := range seen[Notice](r.bench) {
		told = append(told, n.Text)
	}
	if len(told) != 2 || !strings.Contains(told[0], "is not saved to "+dir) || !strings.HasPrefix(told[1], "The session is saved again") {
		t.Errorf("told %q", told)
	}
	if status := seen[StatusChanged](r.bench); status[len(status)-1].Status.Unsaved {
		t.Error("the status shows it as behind")
	}
}
