package chat

import (
	"strings"
	"testing"
)

// TestApprovalModes: which kinds of call run, by mode, when somebody can be asked.
func TestApprovalModes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode     ApprovalMode
		asked    bool
		wantStop Stop
	}{
		{ModeFullAuto, false, StopDone},
		{ModeAutoEdit, false, StopDone},
		{ModeAsk, true, StopDone},
		{ModeReadOnly, false, StopDone},
	} {
		t.Run(string(tc.mode), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calls("read_file", `{"file_path":"a"}`, "write_file", `{"file_path":"a.go"}`), say("ok"))
			b.set("approval-mode", string(tc.mode))
			b.answering(Decision{Allow: true})
			out, err := b.prompt("go")
			if err != nil || out.Stop != tc.wantStop {
				t.Fatalf("%+v %v", out, err)
			}
			if asked := len(seen[ApprovalRequested](b)) > 0; asked != tc.asked {
				t.Errorf("asked %v", asked)
			}
			refused := b.responses()[1].Error != ""
			if refused != (tc.mode == ModeReadOnly) {
				t.Errorf("write refused: %v", refused)
			}
		})
	}
}

// answering answers every approval.
func (b *bench) answering(d Decision) {
	b.on = func(e Event) {
		if asked, ok := e.(ApprovalRequested); ok {
			b.Answer(asked.Approval.ID, d)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	t.Run("with a reason the model goes on", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, calls("write_file", `{"file_path":"a.go"}`), say("other way"))
		b.set("approval-mode", "ask")
		b.answering(Decision{Reason: "use the other file"})
		if out, err := b.prompt("go"); err != nil || out.Response != "other way" {
			t.Fatalf("%+v %v", out, err)
		}
		if got := b.responses()[0].Error; !strings.Contains(got, "use the other file") {
			t.Errorf("the model reads %q", got)
		}
	})
	t.Run("without a reason the turn ends", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, calls("write_file", `{"file_path":"a.go"}`, "write_file", `{"file_path":"b.go"}`))
		b.set("approval-mode", "ask")
		b.answering(Decision{})
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDenied {
			t.Fatalf("%+v %v", out, err)
		}
		if len(b.responses()) != 2 || len(seen[ApprovalRequested](b)) != 1 {
			t.Errorf("%d responses, %d questions", len(b.responses()), len(seen[ApprovalRequested](b)))
		}
	})
}

func TestAlwaysAllowsTheFileKind(t *testing.T) {
	t.Parallel()
	b := newBench(t,
		calls("write_file", `{"file_path":"a.go"}`),
		calls("write_file", `{"file_path":"sub/b.go"}`),
		calls("write_file", `{"file_path":"c.md"}`),
		say("ok"))
	b.set("approval-mode", "ask")
	b.answering(Decision{Allow: true, Always: true})
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	questions := seen[ApprovalRequested](b)
	if len(questions) != 2 || !strings.Contains(questions[0].Approval.Always, "*.go") {
		t.Errorf("asked %+v", questions)
	}
}

func TestUnattendedRefusalEndsTheTurn(t *testing.T) {
	t.Parallel()
	for _, mode := range []ApprovalMode{ModeAsk, ModeReadOnly} {
		b := newBench(t, calls("write_file", `{"file_path":"a"}`, "read_file", `{"file_path":"b"}`), say("never"))
		b.Unattended = true
		b.set("approval-mode", string(mode))
		out, err := b.prompt("go")
		if err != nil || out.Stop != StopDenied || len(b.responses()) != 2 {
			t.Errorf("%s: %+v %v", mode, out, err)
		}
	}
}

func TestInterruptWhileAskedLeavesAValidHistory(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a"}`))
	b.set("approval-mode", "ask")
	b.on = func(e Event) {
		if _, ok := e.(ApprovalRequested); ok {
			b.Interrupt()
		}
	}
	if out, err := b.prompt("go"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("%+v %v", out, err)
	}
	if len(seen[ApprovalSettled](b)) != 1 {
		t.Error("the question was not taken back")
	}
}

func TestModeCycle(t *testing.T) {
	t.Parallel()
	mode, visited := ModeAsk, map[ApprovalMode]bool{}
	for range ApprovalModes() {
		visited[mode] = true
		mode = nextMode(mode)
	}
	if mode != ModeAsk || len(visited) != len(ApprovalModes()) {
		t.Errorf("visited %v, back at %s", visited, mode)
	}
}
