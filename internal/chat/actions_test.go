package chat

import (
	"math/rand"
	"slices"
	"testing"
	"time"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// The record contains actions outside the calls of the model: files that undo and redo changed,
// with hashes, hidden commands, and commands in a message. It also contains the permission that
// allowed a call without a prompt.
func TestActionsAreRecorded(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, map[string]string{"a.txt": "one\n"}, calls("write_file", `{"file_path":"b.txt","content":"b\n"}`), say("done"))
	log, err := session.Create(session.Options{Dir: t.TempDir(), Workspace: b.root, Random: rand.New(rand.NewSource(1)), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	config := b.config
	config.Session, config.History = log, history.NewService(wordCount{}, log.Observe)
	b.Chat = New(config)
	b.prompt("go")
	b.move(snapshot.Undo)
	b.move(snapshot.Redo)
	if _, err := b.shell(t.Context(), "exit 3", true); err != nil {
		t.Fatal(err)
	}
	if _, refused, err := b.embedded(t.Context(), "exit 4", ""); err != nil || refused != "" {
		t.Fatal(err, refused)
	}
	const sum = "sha256:0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f"
	wrote := map[string]history.FileChange{"undo": {Path: "b.txt", Before: sum}, "redo": {Path: "b.txt", After: sum}}
	exits := map[string]int{"!!": 3, "a message": 4}
	var allowed history.Decision
	for record, err := range session.ScanRecords(log.Path()) {
		if err != nil {
			t.Fatal(err)
		}
		if entry := record.Entry(); entry != nil {
			if deed, is := history.MetaOf[history.Effect](entry, history.MetaEffect); is && len(deed.Wrote) > 0 {
				allowed = *deed.Asked
			}
		}
		act, is := record.Action()
		if want, moves := wrote[act.By]; moves && !slices.Equal(act.Wrote, []history.FileChange{want}) {
			t.Errorf("%s wrote %+v, want %+v", act.By, act.Wrote, want)
		}
		if want, runs := exits[act.By]; runs && (act.Exit == nil || *act.Exit != want) {
			t.Errorf("%s: %+v, want exit %d", act.By, act, want)
		}
		if is {
			delete(wrote, act.By)
			delete(exits, act.By)
		}
	}
	if len(wrote)+len(exits) > 0 || allowed != (history.Decision{By: "mode full-auto", Answer: "allowed"}) {
		t.Errorf("not recorded: %v %v; the call was allowed by %+v", wrote, exits, allowed)
	}
}

// If the user declines the proposal of a call, the record has a refusal by the user, although the
// user answered.
func TestADeclinedProposalIsRecordedAsRefused(t *testing.T) {
	t.Parallel()
	for _, declined := range []bool{true, false} {
		r := &runner{env: &tools.Env{}}
		k := &call{answer: tools.Answer{Declined: declined}, asked: decisionOf(Decision{Allow: true}, true, gate.Approval{})}
		want := "allowed"
		if declined {
			want = "refused"
		}
		if got := r.deed(k).Asked; *got != (history.Decision{By: "person", Answer: want}) {
			t.Errorf("declined %t: %+v", declined, got)
		}
	}
}
