package screen

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/llm"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/snapshot"
	"agent/internal/testing/llmtest"
)

// The last line of the program sums up the session.
func TestTally(t *testing.T) {
	t.Parallel()
	changed := func(names ...string) chat.TurnEnded {
		return chat.TurnEnded{Changes: snapshot.Changes{Files: names}}
	}
	var nothing, some tally
	for _, e := range []chat.Event{chat.UserMessage{}, changed("a.go"), chat.UserMessage{}, changed("a.go", "b.go"), changed()} {
		some.take(e)
	}
	for _, tt := range []struct {
		tally *tally
		stats chat.Stats
		want  string
	}{
		{&nothing, chat.Stats{}, ""},
		{&some, chat.Stats{UsageReported: chat.UsageReported{PromptTokens: 40_000, CompletionTokens: 1_000}, Cost: 0.25}, "2 turns, 41k tokens, $0.25, 2 files changed · "},
	} {
		if got := tt.tally.sums(tt.stats); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// The banner names the branch if the repository has several work trees, and marks it if files have
// changed.
func TestBranch(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "repo")
	run := func(in string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := branchNow(t.Context(), dir); got != "" {
		t.Errorf("without a repository %q", got)
	}
	run(dir, "init", "-q", "-b", "feature/x")
	write("one")
	run(dir, "add", ".")
	run(dir, "commit", "-q", "-m", "one")
	tree := filepath.Join(filepath.Dir(dir), "tree")
	run(dir, "worktree", "add", "-q", "-b", "other", tree)
	for in, want := range map[string]string{dir: "feature/x", filepath.Join(dir, "sub"): "feature/x", tree: "other"} {
		if got := branchNow(t.Context(), in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	write("two")
	if got := branchNow(t.Context(), dir); got != "feature/x*" {
		t.Errorf("after a change: %q", got)
	}
	run(dir, "checkout", "-q", "--detach")
	if got := branchNow(t.Context(), dir); got != "" {
		t.Errorf("without a branch: %q", got)
	}
}

// A model that is discovered after the banner was printed is named in a separate line. No line is
// printed for a known or selected model, or if several models are available.
func TestLateModel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, models, chosen, want string
	}{
		{"found", `{"id":"m1"}`, "", "model m1 at "},
		{"several", `{"id":"m1"},{"id":"m2"}`, "", ""},
		{"chosen meanwhile", `{"id":"m1"}`, "m2", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t)
			server.Answer("/v1/models", `{"object":"list","data":[`+tt.models+`]}`)
			s := settings.New(settings.NewRegistry(settings.All(), nil))
			if err := s.Set(settings.LayerSession, settings.BaseURL.Key(), server.URL); err != nil {
				t.Fatal(err)
			}
			connection := provider.New(provider.Config{
				Settings: s, Env: func(string) string { return "" }, Folder: t.TempDir(),
				Stored: func(string) (llm.Key, string) { return "", "" },
				Detect: func(context.Context) []provider.LocalServer { return nil },
			})
			defer connection.Close()
			if tt.want != "" {
				tt.want += strings.TrimSuffix(strings.TrimPrefix(server.URL, "http://"), "/v1")
			}
			late := lateModel(s, connection)
			if tt.chosen != "" {
				if err := s.Set(settings.LayerSession, settings.Model.Key(), tt.chosen); err != nil {
					t.Fatal(err)
				}
				if lateModel(s, connection) != nil {
					t.Error("the banner names a model, and another is waited for")
				}
			}
			if got := late(t.Context()); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
