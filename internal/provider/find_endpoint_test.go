package provider_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/testing/require"
)

// asked answers questions and stores them.
type asked struct {
	yes       bool
	questions []string
}

func (a *asked) ask(_ context.Context, question string) (bool, error) {
	a.questions = append(a.questions, question)
	return a.yes, nil
}

func ollamaThere(context.Context) []provider.LocalServer {
	return []provider.LocalServer{{Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []string{"q:latest", "r"}}}
}

// A local server needs approval once, and the answer is stored. In a non-interactive run it is
// never used (security M2).
func TestFindLocalServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	start := func(user *asked) (*bench, string, error) {
		b := newBench(t, func(c *provider.Config) {
			c.Detect, c.Folder = ollamaThere, folder
			if user != nil {
				c.Ask = user.ask
			}
		})
		notice, err := b.Find(t.Context())
		return b, notice, err
	}
	chosen := func(b *bench) bool { return provider.IsChosen(b.Connection, ollamaThere(t.Context())[0]) }
	if b, _, err := start(nil); chosen(b) || !errors.Is(err, provider.ErrNoEndpoint) || settings.BaseURL.Value(b.settings) != "" {
		t.Fatalf("headless: %v", err)
	}
	no := &asked{}
	if _, _, err := start(no); !errors.Is(err, provider.ErrNoEndpoint) || len(no.questions) != 1 || !strings.Contains(no.questions[0], "Ollama at http://127.0.0.1:11434/v1 (models: q:latest, r)?") {
		t.Fatalf("refused: %v, %q", err, no.questions)
	}
	yes := &asked{yes: true}
	b, notice, err := start(yes)
	if err != nil || len(yes.questions) != 1 || settings.Model.Value(b.settings) != "q:latest" || !strings.Contains(notice, "of Ollama at") {
		t.Fatalf("agreed: %v, %q", err, notice)
	}
	if headless, _, err := start(nil); !chosen(headless) || !strings.Contains(err.Error(), "Ollama runs at http://127.0.0.1:11434/v1. To use it, run: agent --provider ollama") {
		t.Errorf("headless, after an approval: %v", err)
	}
	if _, source := b.settings.Get("base-url"); source != settings.LayerDetected {
		t.Errorf("it is kept as %s", source)
	}
	again := &asked{}
	if _, _, err := start(again); err != nil || len(again.questions) != 0 {
		t.Errorf("the second time: %v, %q", err, again.questions)
	}
	require.Mode(t, filepath.Join(folder, "allowed.json"), 0o600)
}

// D-82: a resumed session reaches another provider than before only after an answer.
func TestContinueAt(t *testing.T) {
	t.Parallel()
	const here, theirs = "http://127.0.0.1:9/v1", "https://theirs.example/v1"
	for name, c := range map[string]struct {
		recorded, profile, key string
		user                   *asked
		want                   string // the address in use, "" for an error
		asks                   int
	}{
		"the endpoint is the same":               {recorded: theirs + "/", profile: theirs, user: &asked{}, want: theirs},
		"a server here, no endpoint is set":      {recorded: here, want: here},
		"a server here, only a key is set":       {recorded: here, key: "sk-0123456789", user: &asked{}, want: here},
		"a server here, a profile names another": {recorded: here, profile: theirs, user: &asked{}, asks: 1},
		"from another provider to this machine":  {recorded: theirs, profile: here, user: &asked{}, want: here},
		"another provider, and the user agrees":  {recorded: theirs, key: "sk-0123456789", user: &asked{yes: true}, want: theirs, asks: 1},
		"another provider, and the user refuses": {recorded: theirs, key: "sk-0123456789", user: &asked{}, asks: 1},
		"another provider, and no user":          {recorded: theirs, key: "sk-0123456789"},
		"an address with a password":             {recorded: "https://me:pa55word@theirs.example", user: &asked{yes: true}},
		"an address that hides its host":         {recorded: theirs + strings.Repeat("/x", 1000), user: &asked{yes: true}},
		"a name below localhost":                 {recorded: "http://x.localhost:9/v1", user: &asked{}, asks: 1},
	} {
		b := newBench(t, func(config *provider.Config) {
			config.Env = env(map[string]string{vendor.EnvKey: c.key})
			if c.user != nil {
				config.Ask = c.user.ask
			}
		})
		if c.profile != "" {
			if err := b.settings.Set(settings.LayerProfile, "base-url", c.profile); err != nil {
				t.Fatal(err)
			}
		}
		notices, err := provider.ContinueAt(t.Context(), b.Connection, c.recorded)
		if text := fmt.Sprint(notices, err); strings.Contains(text, "pa55word") || len(text) > 1000 {
			t.Errorf("%s: %s", name, text)
		}
		if says := strings.Contains(strings.Join(notices, ""), "OPENAI_API_KEY is not sent there"); says != (c.want == c.recorded && c.key != "") {
			t.Errorf("%s: %q", name, notices)
		}
		if _, is := errors.AsType[*provider.ConfigError](err); is != (c.want == "") {
			t.Errorf("%s: %v", name, err)
		}
		if endpoint, _ := b.Endpoint(); err == nil && (endpoint.BaseURL != c.want || endpoint.Key != "") {
			t.Errorf("%s: continues at %s with the key %q", name, endpoint.BaseURL, endpoint.Key)
		}
		if c.user != nil && len(c.user.questions) != c.asks {
			t.Errorf("%s: %q", name, c.user.questions)
		}
	}
}

// OPENAI_API_KEY is sent to a host that only a profile names after one approval (security M1).
func TestFindRequiresApprovalForTheKey(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	start := func(user *asked) (*bench, error) {
		b := newBench(t, func(c *provider.Config) {
			c.Env, c.Folder = env(map[string]string{vendor.EnvKey: "sk-0123456789"}), folder
			if user != nil {
				c.Ask = user.ask
			}
		})
		if err := b.settings.Set(settings.LayerProfile, "base-url", "https://other.example/v1"); err != nil {
			t.Fatal(err)
		}
		_, err := b.Find(t.Context())
		return b, err
	}
	var config *provider.ConfigError
	if _, err := start(nil); !errors.As(err, &config) || !strings.Contains(err.Error(), "OPENAI_API_KEY was not sent to other.example, because base-url is from the profile. To send it there, set OPENAI_BASE_URL to https://other.example/v1") {
		t.Fatalf("headless: %v", err)
	}
	no := &asked{}
	b, err := start(no)
	if err != nil || len(no.questions) != 1 {
		t.Fatalf("declined: %v", err)
	}
	if endpoint, err := b.Endpoint(); err != nil || endpoint.Key != "" {
		t.Errorf("declined, and yet %+v, %v", endpoint, err)
	}
	b.set("model", "gpt-4o")
	if _, err := b.Provider(); err != nil {
		t.Errorf("declined, without a key: %v", err)
	}
	yes := &asked{yes: true}
	b, err = start(yes)
	if err != nil {
		t.Fatal(err)
	}
	if endpoint, err := b.Endpoint(); err != nil || endpoint.Key != "sk-0123456789" {
		t.Errorf("allowed, and yet %+v, %v", endpoint, err)
	}
	again := &asked{}
	if b, err = start(again); err != nil || len(again.questions) != 0 {
		t.Errorf("the second time: %v, %q", err, again.questions)
	}
	// A host that is set in the session is a different host, and no question is possible then.
	b.set("base-url", "https://third.example/v1")
	if _, err := b.Provider(); !errors.As(err, &config) || !strings.Contains(err.Error(), "third.example") {
		t.Errorf("changed in the session: %v", err)
	}
}

func TestFindDescribesTheKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *provider.Config) { c.Env = env(map[string]string{"GROQ_API_KEY": "sk-0123456789"}) })
	_, err := b.Find(t.Context())
	var unset *llm.Error
	if !errors.Is(err, provider.ErrNoEndpoint) || !errors.As(err, &unset) || !strings.Contains(unset.Hint, "--provider groq") {
		t.Errorf("%v", err)
	}
}

// If OPENAI_BASE_URL uses plain http, the program prints one warning before any request.
func TestFindWarns(t *testing.T) {
	t.Parallel()
	var cautions []string
	b := newBench(t, func(c *provider.Config) {
		c.Env = env(map[string]string{vendor.EnvKey: "sk-0123456789"})
		c.Caution = func(text string) { cautions = append(cautions, text) }
	})
	if err := b.settings.Set(settings.LayerFlags, "base-url", "http://far.example/v1"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := b.Find(t.Context()); err != nil || len(cautions) != 1 || !strings.Contains(cautions[0], "unencrypted") {
			t.Errorf("%q, %v", cautions, err)
		}
	}
}
