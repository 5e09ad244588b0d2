package chat

import (
	"slices"
	"testing"
	"testing/synctest"
)

// A grant names exactly the calls that it allows and can be listed. After it is revoked, the call
// requires approval again.
func TestGrantsCanBeRevoked(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.set("approval-mode", "ask")
		b.answering(Decision{Allow: true, Always: true})
		b.Send("go")
		synctest.Wait()
		if asked := seen[ApprovalRequested](b); len(asked) != 2 || asked[0].Approval.Always != "edits of Makefile" {
			t.Fatalf("asked %+v", asked)
		}
		if grants := b.Consent().Grants(); len(grants) != 2 || grants[0].Says != "edits of Makefile" || grants[1].Says != "edits of Dockerfile" {
			t.Fatalf("grants %+v", grants)
		}
		if _, err := b.Consent().Revoke(3); err == nil {
			t.Error("a grant that is not there was forgotten")
		}
		if forgotten, err := b.Consent().Revoke(1); err != nil || !slices.Equal(forgotten, []string{"edits of Makefile"}) {
			t.Errorf("forgot %q, %v", forgotten, err)
		}
		b.Send("again")
		synctest.Wait()
		if asked := seen[ApprovalRequested](b); len(asked) != 3 {
			t.Errorf("asked %d times after it was forgotten", len(asked))
		}
		if forgotten, _ := b.Consent().Revoke(0); len(forgotten) != 2 {
			t.Errorf("forgot %q of all", forgotten)
		}
	}, calls("write_file", `{"file_path":"Makefile"}`), calls("write_file", `{"file_path":"Makefile"}`), calls("write_file", `{"file_path":"Dockerfile"}`), say("ok"),
		calls("write_file", `{"file_path":"Makefile"}`), say("ok"))
}

// If the mode changes to one which allows the call, the prompt closes with a yes.
func TestAWiderModeAnswers(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.set("approval-mode", "ask")
		b.Send("go")
		synctest.Wait()
		b.CycleMode() // auto-edit
		synctest.Wait()
		if len(seen[ApprovalSettled](b)) != 1 || b.responses()[0].Error != "" {
			t.Errorf("the question is still open: %+v", b.responses())
		}
	}, calls("write_file", `{"file_path":"a.go"}`), say("ok"))
}
