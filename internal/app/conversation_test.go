package app_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// newProcess returns a program whose files are all in folders of the test.
func newProcess(t *testing.T) *app.Process {
	t.Helper()
	p := &app.Process{Environ: []string{"PATH=" + os.Getenv("PATH")}, Home: t.TempDir(), Dir: t.TempDir(), Version: "test", Now: time.Now}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// parallelConversation is one of several conversations in one program.
type parallelConversation struct {
	*app.Conversation
	model, mode, workspace string
	server                 *llmtest.Server
	given                  *settings.Settings

	mu     sync.Mutex
	events []chat.Event
}

// newParallelConversation starts a conversation. Its model writes a file and answers with its own name.
func newParallelConversation(t *testing.T, p *app.Process, base *settings.Settings, model, mode string) *parallelConversation {
	t.Helper()
	made := &parallelConversation{model: model, mode: mode, workspace: t.TempDir()}
	made.server = llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role == "tool" {
			return llmtest.Say("I am "+model).Usage(1_000_000, 0, 0)
		}
		return llmtest.Call("write_file", fmt.Sprintf(`{"file_path":"by.txt","content":"%s\n"}`, model))
	})
	own := base.Overlay()
	for key, value := range map[string]string{
		settings.BaseURL.Key(): made.server.URL, settings.Model.Key(): model, settings.ApprovalMode.Key(): mode,
		"price.input": "1", "price.output": "1",
	} {
		if err := own.Set(settings.LayerFlags, key, value); err != nil {
			t.Fatal(err)
		}
	}
	conversation, err := app.New(t.Context(), p, app.Options{Workspace: made.workspace, Settings: own, Events: made.event})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conversation.Close)
	made.Conversation, made.given = conversation, own
	return made
}

// event stores an event, and approves every call.
func (p *parallelConversation) event(e chat.Event) {
	p.mu.Lock()
	p.events = append(p.events, e)
	p.mu.Unlock()
	if asked, ok := e.(chat.ApprovalRequested); ok {
		go p.Chat.Answer(asked.Approval.ID, chat.Decision{Allow: true})
	}
}

// eventsOf returns the events of one type.
func eventsOf[E chat.Event](p *parallelConversation) (events []E) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		if event, ok := e.(E); ok {
			events = append(events, event)
		}
	}
	return events
}

// Conversations with different models, modes and workspaces run at the same time in one program.
// They do not share settings, prompts, call numbers, files to undo, todo lists or records.
func TestConversationsAtTheSameTime(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	base, err := p.Settings(app.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := p.Log()
	if err != nil {
		t.Fatal(err)
	}
	log.Level.Set(slog.LevelDebug)
	asking, refusing := newParallelConversation(t, p, base, "asking-model", "ask"), newParallelConversation(t, p, base, "refusing-model", "read-only")
	var running sync.WaitGroup
	for _, each := range []*parallelConversation{asking, refusing} {
		running.Go(func() {
			for range 3 {
				if _, err := each.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	logged, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range []*parallelConversation{asking, refusing} {
		if !strings.Contains(string(logged), "conversation="+each.ID()) {
			t.Errorf("the log does not know %s", each.ID())
		}
		for _, request := range each.server.Requests() {
			if request.Model != each.model {
				t.Errorf("%s was asked for %s", each.model, request.Model)
			}
		}
		for _, e := range each.events {
			if _, err := json.Marshal(e); err != nil {
				t.Error(err)
			}
		}
		if ends := eventsOf[chat.ToolEnded](each); len(ends) != 3 || ends[2].Call != 3 {
			t.Errorf("%s: calls %+v", each.model, ends)
		}
		if err := each.Settings().Set(settings.LayerSession, "approval-mode", string(gate.ModeAutoEdit)); err != nil || settings.ApprovalMode.Value(each.given) != each.mode {
			t.Errorf("%s changed the settings it was made from: %v", each.model, err)
		}
		if each.SessionID() != each.ID() || each.Chat.Consent().Mode() != gate.ModeAutoEdit || settings.Model.Value(base) != "" {
			t.Errorf("%s has session %s and mode %s", each.model, each.SessionID(), each.Chat.Consent().Mode())
		}
	}
	if asked := eventsOf[chat.ApprovalRequested](asking); len(asked) == 0 || asked[0].Approval.ID != 1 || len(eventsOf[chat.ApprovalRequested](refusing)) > 0 {
		t.Errorf("asked %+v", asked)
	}
	if text, err := os.ReadFile(filepath.Join(asking.workspace, "by.txt")); err != nil || string(text) != "asking-model\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(refusing.workspace, "by.txt")); err == nil {
		t.Error("a read-only conversation wrote a file")
	}
	if app.ShareFilesOrLists(asking.Conversation, refusing.Conversation) {
		t.Error("the conversations share their files or lists")
	}
	if p.Costs.Total() < 6 {
		t.Errorf("the costs are %v", p.Costs.Total())
	}
}

// The cost of one conversation also counts for max-cost of the other conversations in the program.
func TestMaxCostHoldsOverConversations(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	base, err := p.Settings(app.Sources{Set: []string{"max-cost=1"}})
	if err != nil {
		t.Fatal(err)
	}
	first, second := newParallelConversation(t, p, base, "first", "full-auto"), newParallelConversation(t, p, base, "second", "full-auto")
	for _, tc := range []struct {
		party *parallelConversation
		want  chat.Stop
	}{{first, chat.StopDone}, {second, chat.StopMaxCost}} {
		out, err := tc.party.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
		if err != nil || out.Stop != tc.want {
			t.Errorf("%s: %+v, %v", tc.party.model, out, err)
		}
	}
	if requests := second.server.Requests(); len(requests) > 0 {
		t.Errorf("%d requests over the limit", len(requests))
	}
}

// An immediate end of the program ends the processes of open conversations, and calls no handler of
// a closed one.
func TestEndAtOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	var ended []string
	forget := p.OnAbort(func() { ended = append(ended, "closed") })
	p.OnAbort(func() { ended = append(ended, "first") })
	p.OnAbort(func() { ended = append(ended, "second") })
	forget()
	p.Abort()
	if got := strings.Join(ended, " "); got != "first second" {
		t.Errorf("ended %s", got)
	}
}
