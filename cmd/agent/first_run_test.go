package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/testing/llmtest"
)

// startUnconfigured starts the program without configuration, with only these environment variables.
func startUnconfigured(t *testing.T, home string, environ []string, args ...string) *screenRun {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(home, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	return startWith(t, home, append([]string{"DBUS_SESSION_BUS_ADDRESS=", "HTTPS_PROXY=http://127.0.0.1:9"}, environ...), append([]string{"agent"}, args...)...)
}

// The first start without environment variables offers the possible models, a field for an API key,
// and the demo. A pasted key is not shown. The program stores it and uses it.
func TestTheFirstMinute(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := startUnconfigured(t, home, []string{"GROQ_API_KEY=gsk_0123456789"})
	shown := s.until("the demo")
	for _, want := range []string{"Groq", "with the key in GROQ_API_KEY", "paste a key"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	s.press("paste\r")
	s.until("API key for the provider")
	s.press("sk-ant-typed\x1b") // Esc goes back to the list
	s.until("paste a key")
	s.press("paste\r")
	s.untilTimes("API key for the provider", 2)
	s.press("sk-ant-a bad key\r")
	s.untilTimes("API key for the provider", 3)
	s.until("The key was not stored: an API key can't contain spaces")
	s.press("sk-x\x7f\x7f\x7f\x7fsk-ant-0123456789abcdef\r")
	shown = s.until("at api.anthropic.com")
	if strings.Contains(shown, "sk-ant-0123456789abcdef") {
		t.Errorf("the key is shown:\n%s", shown)
	}
	s.press("/quit\r")
	_ = s.cmd.Wait()
	key, err := os.ReadFile(filepath.Join(home, ".config", "agent", "keys", "api.anthropic.com"))
	if err != nil || strings.TrimSpace(string(key)) != "sk-ant-0123456789abcdef" {
		t.Errorf("the key that is kept: %q, %v", key, err)
	}
	s = startUnconfigured(t, home, nil)
	s.until("at api.anthropic.com") // the next start shows no prompt
}

// Esc ends the program and stores nothing. Selecting the demo plays it.
func TestTheFirstMinuteWithoutAKey(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := startUnconfigured(t, home, nil)
	s.until("the demo")
	s.press("\x1b")
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("Esc: %v", err)
	}
	s = startUnconfigured(t, home, nil)
	s.until("the demo")
	s.press("demo\r")
	s.until("This is the demo")
}

// A user who sends a message without a model needs two Enters until the answer, and none at the
// next start.
func TestAMessageWaitsForItsModel(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server := llmtest.New(t, llmtest.Say("hello from it"), llmtest.Say("again"))
	server.Answer("/v1/models", `{"object":"list","data":[{"id":"alpha"},{"id":"beta"}]}`)
	s := startUnconfigured(t, home, []string{"OPENAI_BASE_URL=" + server.URL}, "hi there")
	s.until("▸ alpha")
	s.press("\x1b[B\r")
	s.until("hello from it")
	if got := server.Requests()[0].Model; got != "beta" {
		t.Errorf("%s was asked", got)
	}
	s.press("/quit\r")
	_ = s.cmd.Wait()
	s = startUnconfigured(t, home, []string{"OPENAI_BASE_URL=" + server.URL}, "more")
	s.until("Using beta, your last choice at")
	s.until("again")
}

// ownerOf returns the provider of a key only if no other provider uses the same form.
func TestOwnersOfKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[llm.Key]string{
		"sk-ant-api03-x": "anthropic", "sk-or-v1-x": "openrouter", "sk-proj-x": "openai", "gsk_x": "groq", "AIzaSy": "gemini", "xai-x": "xai",
		"sk-0123456789": "", "": "", "token": "",
	} {
		if of, told := ownerOf(key); told != (want != "") || of.Name != want {
			t.Errorf("%s: %q, %t", key, of.Name, told)
		}
	}
}

// Enter means yes only if the prompt shows yes as the default.
func TestEnterAgreesWhereItSaysSo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, answer string
		want             bool
	}{
		{"Use it? [Y/n]", "", true},
		{"Use it? [Y/n]", "n", false},
		{"Use it? [Y/n]", "maybe", false},
		{"Use it? [Y/n]", "Y", true},
		{"Send it?", "", false},
		{"Send it?", "yes", true},
		{"Send it?", "no", false},
	} {
		if got := agrees(c.question, c.answer); got != c.want {
			t.Errorf("%q to %q: %t", c.answer, c.question, got)
		}
	}
}
