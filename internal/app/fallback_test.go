package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
	"agent/internal/testing/require"
	"agent/internal/tools"
)

// fallbackConversation is a conversation with a first model, whose server is sometimes overloaded, and a second
// one at another host.
type fallbackConversation struct {
	*app.Conversation
	first, second *llmtest.Server
	// answer is the answer to every prompt. "" means that no user can be asked.
	answer string

	mu        sync.Mutex
	notices   []string
	questions int
	// config is the configuration folder.
	config string
}

// newFallbackConversation starts a conversation. host is the host of the second model.
func newFallbackConversation(t *testing.T, host, answer string, first ...llmtest.Turn) *fallbackConversation {
	t.Helper()
	r := &fallbackConversation{answer: answer, first: llmtest.New(t, first...)}
	r.second = llmtest.NewFunc(t, func(q *llmtest.Request) llmtest.Turn {
		if q.Last().Role == "tool" {
			return llmtest.Think("mine").Say("from the second")
		}
		return llmtest.Think("mine").Call("list_directory", `{"path":"."}`)
	})
	p := newProcess(t)
	base, err := p.Settings(app.Sources{Set: []string{
		"base-url=" + r.first.URL, "api=messages", "model=claude-opus-5-5", "max-retries=0", "fallback=spare", "context-limit=100000",
	}})
	if err != nil {
		t.Fatal(err)
	}
	folders, err := p.Folders()
	if err != nil {
		t.Fatal(err)
	}
	r.config = folders.Config
	write := filepath.Join(folders.Config, "profiles")
	if err := os.MkdirAll(write, 0o700); err != nil {
		t.Fatal(err)
	}
	profile := fmt.Sprintf(`{"version":1,"model":"claude-sonnet-5-5","settings":{"base-url":%q,"api":"messages","price.input":1000,"price.output":1}}`, strings.Replace(r.second.URL, "127.0.0.1", host, 1))
	if err := os.WriteFile(filepath.Join(write, "spare.json"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Conversation, err = app.New(t.Context(), p, app.Options{Workspace: t.TempDir(), Settings: base, Events: r.event, Unattended: answer == ""})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func (r *fallbackConversation) event(e chat.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := e.(type) {
	case chat.Notice:
		r.notices = append(r.notices, e.Text)
	case chat.ApprovalRequested:
		r.questions++
		go r.Chat.Answer(e.Approval.ID, chat.Decision{Allow: true, Answers: []tools.InquiryAnswer{{Chosen: []string{r.answer}}}})
	}
}

// told returns the notices that name the model which continues.
func (r *fallbackConversation) told() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.notices {
		if strings.Contains(n, "This turn continues with the profile spare") {
			all = append(all, n)
		}
	}
	return all
}

var overloaded = llmtest.Fail(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)

// If a model is overloaded, the second one replaces it until the end of the turn. One notice
// reports it with the price. The next turn starts with the first model. Neither model receives the
// reasoning of the other.
func TestFallback(t *testing.T) {
	t.Parallel()
	r := newFallbackConversation(t, "127.0.0.1", "", llmtest.Think("hm").Say("one"), overloaded, llmtest.Think("again").Say("three"))
	for i, want := range []string{"one", "from the second", "three"} {
		out, err := r.Chat.Prompt(t.Context(), atcmd.TypedMessage("go on"))
		if err != nil || out.Response != want {
			t.Fatalf("turn %d: %q %v", i+1, out.Response, err)
		}
	}
	if told := r.told(); len(told) != 1 || !strings.Contains(told[0], "Overloaded") || !strings.Contains(told[0], "claude-sonnet-5-5 at 127.0.0.1") || !strings.Contains(told[0], "tokens again, about $") {
		t.Errorf("said %q", told)
	}
	if first, second := len(r.first.Requests()), len(r.second.Requests()); first != 3 || second != 2 {
		t.Errorf("%d requests to the first and %d to the second", first, second)
	}
	for _, q := range append(r.first.Requests(), r.second.Requests()...) {
		own := "mine"
		if q.Model == "claude-opus-5-5" {
			own = "hm"
		}
		for _, m := range q.Messages {
			for _, thought := range m.Reasoning {
				if !strings.Contains(string(thought), own) {
					t.Errorf("%s got %s", q.Model, thought)
				}
			}
		}
	}
	if settings.Model.Value(r.Settings()) != "claude-opus-5-5" {
		t.Error("the settings name the second model after the turn")
	}
}

// The conversation moves to another company only with the user's approval, which is stored. A
// refusal is valid for the session. Without a user nothing is sent.
func TestFallbackAsks(t *testing.T) {
	t.Parallel()
	if !require.Unix {
		t.Skip("needs 0.0.0.0, which is this machine and counts as another host")
	}
	for name, tt := range map[string]struct {
		answer              string
		questions, requests int
		kept                bool
	}{
		"yes":    {"yes, always", 1, 4, true},
		"no":     {"no", 1, 0, false},
		"nobody": {"", 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newFallbackConversation(t, "0.0.0.0", tt.answer, overloaded, overloaded)
			for range 2 {
				out, err := r.Chat.Prompt(t.Context(), atcmd.TypedMessage("hi"))
				if tt.kept != (err == nil) || tt.kept && out.Response != "from the second" {
					t.Fatalf("%+v %v", out, err)
				}
			}
			allowed, _ := os.ReadFile(filepath.Join(r.config, "allowed.json"))
			if r.questions != tt.questions || len(r.second.Requests()) != tt.requests || strings.Contains(string(allowed), "0.0.0.0:") != tt.kept {
				t.Errorf("%d questions, %d requests, kept %s", r.questions, len(r.second.Requests()), allowed)
			}
		})
	}
}

// A subagent whose model is overloaded continues with the second model, while its parent continues
// with the first. The next subagent starts with the first model.
func TestFallbackOfASubagent(t *testing.T) {
	t.Parallel()
	task := llmtest.Call("task", `{"agent":"explore","title":"it","task":"look"}`)
	r := newFallbackConversation(t, "127.0.0.1", "", task, overloaded, task, llmtest.Say("from the first"), llmtest.Say("done"))
	out, err := r.Chat.Prompt(t.Context(), atcmd.TypedMessage("go on"))
	if err != nil || out.Response != "done" {
		t.Fatalf("%q %v", out.Response, err)
	}
	if told := r.told(); len(told) != 1 || !strings.HasPrefix(told[0], "subagent explore: ") || !strings.Contains(told[0], "Overloaded") {
		t.Errorf("said %q", told)
	}
	first, second := r.first.Requests(), r.second.Requests()
	if len(first) != 5 || len(second) != 2 || !isAgents(second[0]) || !isAgents(second[1]) {
		t.Fatalf("%d requests to the first and %d to the second", len(first), len(second))
	}
	for number, want := range map[int]string{2: "from the second", 4: "from the first"} {
		if last := first[number].Last(); isAgents(first[number]) || !strings.Contains(last.Content, want) {
			t.Errorf("the parent read %q, want %q", last.Content, want)
		}
	}
}
