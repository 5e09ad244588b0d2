package chat

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// A call that uses the names of another coding agent runs as our tool and is recorded with our
// names. The model receives the right names once (D-92).
func TestCallsWithOtherNames_D92(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, map[string]string{"f": "one\n", "g": "other\n"},
		calls("Read", `{"path":"f"}`),
		calls("Read", `{"path":"g","reason":"look"}`),
		calls("Edit", `{"path":"f","old_str":"one","new_str":"two"}`),
		calls("edit", `{"path":"f","edits":[{"oldText":"two","newText":"three"}]}`),
		say("ok"))
	if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
		t.Fatalf("%+v, %v", out, err)
	}
	b.want("f", "three\n")
	b.want("g", "other\n")
	var ran []string
	for _, e := range b.config.History.RawHistory() {
		for _, block := range e.Blocks {
			if c, ok := block.(*history.ToolCall); ok {
				ran = append(ran, c.Name+string(c.Parameters))
			}
		}
	}
	want := []string{ // the edits supersede the first read, as if it had our names
		`read_file{"file_path":"g"}`,
		`replace{"file_path":"f","old_string":"one","new_string":"two"}`,
		`replace{"file_path":"f","edits":[{"old_string":"two","new_string":"three"}]}`,
	}
	if strings.Join(ran, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded\n%s", strings.Join(ran, "\n"))
	}
	var answers string
	for _, r := range b.responses() {
		answers += r.Result.Text() + r.Error
	}
	for _, note := range []string{"the name here is replace, not Edit", "the name here is old_string, not old_str"} {
		if strings.Count(answers, note) != 1 {
			t.Errorf("%q is said %d times in %s", note, strings.Count(answers, note), answers)
		}
	}
}

// Approval applies to the tool that runs, whatever name the model uses (D-92).
func TestOtherNamesPassNoConsent_D92(t *testing.T) {
	t.Parallel()
	for _, call := range [][2]string{
		{"Edit", `{"path":"f","old_str":"one","new_str":"two"}`},
		{"Write", `{"path":"f","contents":"two"}`},
		{"shell", `{"command":["bash","-lc","echo two > f"]}`},
		{"applypatch", `{"patch":"*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** End Patch"}`},
	} {
		b := newWorkbench(t, map[string]string{"f": "one\n"}, calls("Read", `{"path":"f"}`), calls(call[0], call[1]), say("ok"))
		b.set("approval-mode", "read-only")
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
		b.want("f", "one\n")
		if got := b.responses(); len(got) != 2 || got[0].Error != "" || !strings.Contains(got[1].Error, "read-only") {
			t.Errorf("%s: %+v", call[0], got)
		}
	}
}

// Incomplete arguments are not repaired, and the error tells the model how to continue (D-92).
func TestCutArgumentsAreRefused_D92(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, nil, calls("Write", `{"path":"f","contents":"one`), say("ok"))
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if got := b.responses(); len(got) != 1 || !strings.Contains(got[0].Error, "write less in one call") {
		t.Errorf("%+v", got)
	}
}
