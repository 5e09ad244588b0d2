package chat

import (
	"slices"
	"testing"

	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// The offered tools depend on the family of the model. They change only when the model changes or a
// conversation starts, so that the cached prefix stays valid. Calls of tools that are not offered
// get an answer (D-94).
func TestToolsFollowTheModel(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a"}`), say("one"), say("two"), say("three"), calls("write_file", `{"file_path":"b"}`), say("four"), say("five"))
	edit, _ := b.config.Tools.Get("write_file")
	edit.Form = toolspec.EditReplace
	patch := edit
	patch.Name, patch.Form, patch.Free = "patch_it", toolspec.EditPatch, &tools.FreeForm{Parameter: "input", Grammar: "start: /.+/"}
	b.Chat.config.Tools = tools.NewRegistry(append(b.config.Tools.All(), edit, patch)...)
	b.renew()
	b.set("approval-mode", "full-auto")
	form := toolspec.EditReplace
	b.config.Form = func() toolspec.EditFormat { return form }
	b.config.HeadKey = func() string { return settings.Model.Value(b.config.Settings) }
	b.renew()
	offered := func(r llm.Request) (edits []string) {
		for _, tool := range r.Tools {
			if tool.Name == "write_file" || tool.Name == "patch_it" {
				edits = append(edits, tool.Name)
				if free := tool.Free; (tool.Name == "patch_it") != (free != nil && free.Parameter == "input" && free.Grammar != "") {
					t.Errorf("%s is offered with the free form %v", tool.Name, free)
				}
			}
		}
		return edits
	}
	ask := func(want string) {
		t.Helper()
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
		if got := offered(b.model.requests[len(b.model.requests)-1]); !slices.Equal(got, []string{want}) {
			t.Errorf("offered %q, want %s", got, want)
		}
		b.valid()
	}
	ask("write_file")
	form = toolspec.EditPatch // like /set edit-tool
	ask("write_file")
	b.set("model", "another")
	ask("patch_it")
	ask("patch_it") // its call of write_file gets an answer
	if last := b.responses()[1]; last.Error != "" {
		t.Errorf("a tool that is not offered: %s", last.Error)
	}
	form = toolspec.EditReplace
	b.window.Reset() // like /clear
	ask("write_file")
}
