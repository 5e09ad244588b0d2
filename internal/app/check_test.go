package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// When the model ends its edits, the check of the project runs. If it prints something new, the
// model continues once with it (D-100).
func TestCheckAfterEdits(t *testing.T) {
	t.Parallel()
	write := func(name, content string) llmtest.Turn {
		return llmtest.Call("write_file", `{"file_path":"`+name+`","content":"`+content+`"}`)
	}
	const lint = "cat bad*; false"
	for _, c := range []struct {
		name, check, mode string
		unattended        bool
		// answers are the answers to the prompts, in order.
		answers []bool
		turns   []llmtest.Turn
		// sent and unsent apply to all text that the model reads, shown to the text that the user
		// reads.
		sent, unsent, shown string
		requests            int
	}{
		{"new lines", lint, "full-auto", false, nil, []llmtest.Turn{write("bad1", "two problems"), llmtest.Say("done"), llmtest.Say("really")}, "now prints these lines", "old problem", "has 1 new line", 3},
		{"once, although the next edit adds more", lint, "full-auto", false, nil, []llmtest.Turn{write("bad1", "two"), llmtest.Say("done"), write("bad2", "three"), llmtest.Say("really")}, "now prints these lines", "", "continues the turn", 4},
		{"nothing new", "cat bad", "full-auto", false, nil, []llmtest.Turn{write("good", "x"), llmtest.Say("done")}, "", "now prints", "", 2},
		{"no edit", lint, "full-auto", false, nil, []llmtest.Turn{llmtest.Call("read_file", `{"file_path":"bad"}`), llmtest.Say("done")}, "", "now prints", "", 2},
		{"an edit that failed", lint, "full-auto", false, nil, []llmtest.Turn{llmtest.Call("replace", `{"file_path":"bad","old_string":"none","new_string":"x"}`), llmtest.Say("done")}, "", "now prints", "", 2},
		{"off", "", "full-auto", false, nil, []llmtest.Turn{write("bad1", "two"), llmtest.Say("done")}, "", "now prints", "", 2},
		{"its own command needs no question", lint, "ask", false, []bool{true}, []llmtest.Turn{write("bad1", "two"), llmtest.Say("done"), llmtest.Say("really")}, "now prints", "", "", 3},
		{"a program that is not here", "no-such-program", "full-auto", false, nil, []llmtest.Turn{write("bad1", "two"), llmtest.Say("done")}, "", "now prints", "missing or not executable", 2},
		{"found, agreed to", "auto", "ask", false, []bool{true, true}, []llmtest.Turn{write("a.go", "package a; func f() { x }"), llmtest.Say("done"), llmtest.Say("really")}, "", "", "run the check go vet ./...", 0},
		{"found, refused", "auto", "ask", false, []bool{true, false}, []llmtest.Turn{write("a.go", "package a; func f() { x }"), llmtest.Say("done")}, "", "now prints", "run the check go vet ./...", 2},
		{"found, nobody to ask", "auto", "ask", true, nil, []llmtest.Turn{write("a.go", "package a; func f() { x }"), llmtest.Say("done")}, "", "now prints", "go vet ./...: it requires approval (approval-mode is ask)", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			base, err := p.Settings(app.Sources{})
			if err != nil {
				t.Fatal(err)
			}
			workspace := t.TempDir()
			for name, content := range map[string]string{"bad": "old problem\n", "go.mod": "module m\n"} {
				if err := os.WriteFile(filepath.Join(workspace, name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			server := llmtest.New(t, c.turns...)
			own := base.Overlay()
			for key, value := range map[string]string{settings.BaseURL.Key(): server.URL, settings.Model.Key(): "m", settings.ApprovalMode.Key(): c.mode, settings.CheckCommand.Key(): c.check} {
				if value != "" {
					if err := own.Set(settings.LayerFlags, key, value); err != nil {
						t.Fatal(err)
					}
				}
			}
			var mu sync.Mutex
			var shown strings.Builder
			answers := c.answers
			var conversation *app.Conversation
			options := app.Options{Workspace: workspace, Settings: own, Unattended: c.unattended, Events: func(e chat.Event) {
				mu.Lock()
				defer mu.Unlock()
				switch e := e.(type) {
				case chat.Notice:
					shown.WriteString(e.Text + "\n")
				case chat.ApprovalRequested:
					shown.WriteString(e.Approval.Preview.Title + "\n")
					if len(answers) == 0 {
						t.Errorf("asked for %s", e.Approval.Preview.Title)
						go conversation.Chat.Interrupt()
						return
					}
					allow := answers[0]
					answers = answers[1:]
					go conversation.Chat.Answer(e.Approval.ID, chat.Decision{Allow: allow})
				}
			}}
			if c.unattended {
				options.Allow = []string{"write_file(**)"}
			}
			if conversation, err = app.New(t.Context(), p, options); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(conversation.Close)
			out, err := conversation.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
			if err != nil || out.Stop != chat.StopDone || c.requests > 0 && out.Requests != c.requests || len(answers) > 0 {
				t.Fatalf("%+v, %v, %d answers left; shown:\n%s", out, err, len(answers), shown.String())
			}
			var read strings.Builder
			for _, r := range server.Requests() {
				read.WriteString(string(r.Body) + "\n")
			}
			if text := read.String(); !strings.Contains(text, c.sent) || c.unsent != "" && strings.Contains(text, c.unsent) {
				t.Errorf("the model read %s", text)
			}
			if !strings.Contains(shown.String(), c.shown) {
				t.Errorf("shown %q, want %q", shown.String(), c.shown)
			}
		})
	}
}

// An interrupt ends a check like a command, and the turn ends.
func TestCheckIsInterrupted(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	base, err := p.Settings(app.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	server := llmtest.New(t, llmtest.Call("write_file", `{"file_path":"a","content":"x"}`))
	own := base.Overlay()
	for key, value := range map[string]string{settings.BaseURL.Key(): server.URL, settings.Model.Key(): "m", settings.ApprovalMode.Key(): "full-auto", settings.CheckCommand.Key(): "sleep 100"} {
		if err := own.Set(settings.LayerFlags, key, value); err != nil {
			t.Fatal(err)
		}
	}
	var conversation *app.Conversation
	workspace := t.TempDir()
	conversation, err = app.New(t.Context(), p, app.Options{Workspace: workspace, Settings: own, Events: func(e chat.Event) {
		if waits, ok := e.(chat.ProgramWaiting); ok && waits.Names == "the check sleep 100" {
			go conversation.Chat.Interrupt()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conversation.Close)
	began := time.Now()
	out, err := conversation.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
	if _, made := os.Stat(filepath.Join(workspace, "a")); err != nil || out.Stop != chat.StopInterrupted || time.Since(began) > 15*time.Second || made == nil {
		t.Errorf("%+v, %v, after %s; the edit was made: %v", out, err, time.Since(began), made == nil)
	}
}
