package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// bench is a connection with separate settings.
type bench struct {
	t        *testing.T
	settings *settings.Settings
	*provider.Connection
}

func newBench(t *testing.T, change ...func(*provider.Config)) *bench {
	t.Helper()
	s := settings.New(settings.NewRegistry(settings.All(), settings.Choices{settings.Provider.Key(): vendor.Names()}))
	config := provider.Config{
		Settings: s,
		Env:      func(string) string { return "" },
		Folder:   t.TempDir(),
		Stored:   func(string) (llm.Key, string) { return "", "" },
		Detect:   func(context.Context) []provider.LocalServer { return nil },
	}
	for _, f := range change {
		f(&config)
	}
	b := &bench{t, s, provider.New(config)}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func (b *bench) set(key, value string) {
	b.t.Helper()
	if err := b.settings.Set(settings.LayerSession, key, value); err != nil {
		b.t.Fatal(err)
	}
}

// modelList returns a body of /v1/models.
func modelList(entries ...string) string {
	return `{"object":"list","data":[` + strings.Join(entries, ",") + `]}`
}

// If no model is set, the error lists the available models. A single model is used without asking.
func TestNoModelIsSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		offered int
		want    string
	}{
		{0, "no model is set; choose one with -m MODEL or /model MODEL"},
		{1, ""},
		{2, "available: m1, m2; choose one"},
		{10, "m7, m8 and 2 more; choose one"},
	} {
		server := llmtest.New(t)
		var models []string
		for i := range c.offered {
			models = append(models, fmt.Sprintf(`{"id":"m%d","object":"model"}`, i+1))
		}
		server.Answer("/v1/models", modelList(models...))
		b := newBench(t)
		b.set("base-url", server.URL)
		_, err := b.Provider()
		var config *provider.ConfigError
		switch {
		case c.want == "" && (err != nil || settings.Model.Value(b.settings) != "m1"):
			t.Errorf("with one model: model %q, %v", settings.Model.Value(b.settings), err)
		case c.want != "" && (!errors.As(err, &config) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("with %d models: %v, want %q", c.offered, err, c.want)
		}
	}
}

// The keyring is read once for each request, however often the context window is needed. A changed
// endpoint is still noticed.
func TestTheKeyIsLookedForOnce(t *testing.T) {
	t.Parallel()
	window := func(tokens int) string {
		server := llmtest.New(t)
		server.Answer("/v1/models", modelList(fmt.Sprintf(`{"id":"m","max_model_len":%d}`, tokens)))
		return server.URL
	}
	first, second := window(1000), window(2000)
	asked := map[string]int{}
	b := newBench(t, func(c *provider.Config) {
		c.Stored = func(host string) (llm.Key, string) {
			asked[host]++
			return "sk-0123456789", "a test"
		}
	})
	for _, url := range []string{first, second, first} {
		b.set("base-url", url)
		b.set("model", "m")
		for range 10 {
			want := map[string]int{first: 1000, second: 2000}[url]
			if limit, known := b.ContextLimit("m"); !known || limit != want {
				t.Fatalf("%s: window %d, %t; want %d", url, limit, known, want)
			}
		}
	}
	host := func(url string) string { return strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1") }
	if asked[host(first)] != 2 || asked[host(second)] != 1 {
		t.Errorf("the keyring was asked %v", asked)
	}
}

// A local server may serve a model with a vendor's model name. The first request waits for its list
// of models, up to a limit, and then uses its values.
func TestOwnServersAreBelieved(t *testing.T) {
	t.Parallel()
	const short = 200 * time.Millisecond // shorter than the wait of the program
	silent := llmtest.New(t)
	silent.Hang("/v1/models")
	answers := llmtest.New(t)
	answers.Answer("/v1/models", modelList(`{"id":"gpt-4o","max_model_len":8192}`))
	for url, want := range map[string]int{silent.URL: 128_000, answers.URL: 8192} {
		b := newBench(t)
		b.set("base-url", url)
		b.set("model", "gpt-4o")
		start := time.Now()
		limit, known := b.ContextLimit("gpt-4o")
		waited := time.Since(start) >= short
		if !known || limit != want && (!waited || url == silent.URL) {
			t.Errorf("window %d, %t, want %d", limit, known, want)
		}
		if url == silent.URL && !waited {
			t.Error("the server was not waited for")
		}
		again := time.Now()
		b.ContextLimit("gpt-4o")
		if time.Since(again) >= short {
			t.Error("the server was waited for twice")
		}
	}
}

// A late answer of an earlier endpoint does not select a model for the current one.
func TestLateAnswerChoosesNoModel(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	slow := newListServer(t, func() string {
		close(asked)
		<-answer
		return modelList(`{"id":"theirs"}`)
	})
	learned := make(chan struct{}, 2)
	b := newBench(t)
	b.OnModelsListed(func() { learned <- struct{}{} }, func(string) {})
	b.set("base-url", slow)
	b.ContextLimit("gpt-4o")
	<-asked
	other := llmtest.New(t)
	other.Answer("/v1/models", modelList(`{"id":"a"}`, `{"id":"b"}`))
	b.set("base-url", other.URL)
	b.ContextLimit("gpt-4o")
	<-learned
	close(answer)
	<-learned
	if model := settings.Model.Value(b.settings); model != "" {
		t.Errorf("model %q was chosen", model)
	}
}

// The learned lifetime of a cache is stored by endpoint and model for a month, and replaced by
// later values.
func TestCacheLives(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	at := func(host string) *bench {
		b := newBench(t, func(c *provider.Config) { c.State, c.Now = state, func() time.Time { return now } })
		b.set("base-url", "http://"+host+":9/v1")
		return b
	}
	at("127.0.0.1").SaveCacheTTL("m", time.Hour)
	at("127.0.0.1").SaveCacheTTL("m", 20*time.Minute)
	if got := at("127.0.0.1").Cache("m").Life; got != 20*time.Minute {
		t.Errorf("the next run believes in %v", got)
	}
	lives, err := os.ReadFile(filepath.Join(state, "caches.json"))
	bound := regexp.MustCompile(`"lesson": *\d+`).ReplaceAll(lives, []byte(`"lesson":true`))
	if err := errors.Join(err, os.WriteFile(filepath.Join(state, "bound.json"), bound, 0o600)); err != nil {
		t.Fatal(err)
	}
	for model, bound := range map[string]bool{"m": true, "n": false, "claude-opus-5-5": true} {
		if got := at("127.0.0.1").Cache(model).Bound; got != bound {
			t.Errorf("the reasoning of %s is bound: %t", model, got)
		}
	}
	if at("127.0.0.1").Cache("n").Life != 0 || at("localhost").Cache("m").Life != 0 {
		t.Error("another model or endpoint has learned it")
	}
	now = now.Add(31 * 24 * time.Hour)
	if got := at("127.0.0.1").Cache("m").Life; got != 0 {
		t.Errorf("after a month it is %v", got)
	}
}

// An endpoint that is no longer used keeps no open connection.
func TestTheOldEndpointIsLetGo(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{}, 16)
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, modelList(`{"id":"m"}`)) }))
	old.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	old.Start()
	defer old.Close()
	next := llmtest.New(t)
	next.Answer("/v1/models", modelList(`{"id":"m"}`))
	b := newBench(t)
	b.set("model", "m")
	for _, url := range []string{old.URL, next.URL} {
		b.set("base-url", url)
		b.ContextLimit("m")
	}
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("the connection is still open")
	}
}

// At a gateway, a model has the reasoning levels of its maker.
func TestEffortsAtAGateway(t *testing.T) {
	t.Parallel()
	for url, model := range map[string]string{
		"http://127.0.0.1:1/v1":          "gpt-5.5",
		"https://gateway.example.org/v1": "openai/gpt-5.5",
		"https://api.openai.com/v1":      "gpt-5.5",
	} {
		b := newBench(t)
		b.set("base-url", url)
		if got := b.ReasoningEfforts(model); !slices.Contains(got, "high") {
			t.Errorf("%s at %s: efforts %q", model, url, got)
		}
		if got := b.ReasoningEfforts("demo"); got != nil {
			t.Errorf("a model that nobody knows has the efforts %q", got)
		}
	}
}
