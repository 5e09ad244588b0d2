package provider_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// If a server is down, the error reports it, whichever source named the server. A later request
// connects again. An endpoint without a list of models still needs a model name.
func TestAServerThatIsDownIsCalledSo(t *testing.T) {
	t.Parallel()
	down, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := down.Addr().String()
	down.Close()
	refused := llmtest.New(t)
	refused.Answer("/v1/models", modelList())
	for name, c := range map[string]struct{ url, want string }{
		"down":            {"http://" + address + "/v1", "connection refused: no server is listening"},
		"lists no models": {refused.URL, "no model is set; choose one"},
	} {
		b := newBench(t)
		b.set("base-url", c.url)
		for range 2 {
			if _, err := b.Provider(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
	}
	b := newBench(t)
	b.set("base-url", "http://"+address+"/v1")
	if _, err := b.Provider(); err == nil {
		t.Fatal("the server is there")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(modelList(`{"id":"one"}`))) }))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	defer server.Close()
	if _, err := b.Provider(); err != nil || settings.Model.Value(b.settings) != "one" {
		t.Errorf("once it runs: %v, model %q", err, settings.Model.Value(b.settings))
	}
}

// NoModelError reports that the selection of a model can fix it if the endpoint lists models.
func TestNoModelErrorCanBeFixed(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.Answer("/v1/models", modelList(`{"id":"a"}`, `{"id":"b"}`))
	b := newBench(t)
	b.set("base-url", server.URL)
	_, err := b.Provider()
	if wanting, is := errors.AsType[*provider.NoModelError](err); !is || !wanting.ChoosesModel() {
		t.Errorf("%v", err)
	}
}

// newKeyedBench returns a bench with a user, API keys and local servers.
func newKeyedBench(t *testing.T, folder string, keys map[string]string, locals ...provider.LocalServer) *bench {
	t.Helper()
	return newBench(t, func(c *provider.Config) {
		c.Folder, c.Env = folder, func(name string) string { return keys[name] }
		c.Ask = func(context.Context, string) (bool, error) { t.Error("it asks"); return false, nil }
		c.Detect = func(context.Context) []provider.LocalServer { return locals }
	})
}

// If no endpoint is set, the options are the answering local servers, and then the API keys in the
// environment. The selected option is used at the next start without a question.
func TestOptions(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ollama := provider.LocalServer{Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []string{"q", "r"}}
	vllm := provider.LocalServer{Name: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Models: []string{"one"}}
	keys := map[string]string{"ANTHROPIC_API_KEY": "sk-ant-0123456789", "GROQ_API_KEY": "gsk_0123456789"}
	b := newKeyedBench(t, folder, keys, ollama, vllm)
	if _, err := b.FindKnown(t.Context()); !errors.Is(err, provider.ErrNoEndpoint) {
		t.Fatal(err)
	}
	var names []string
	ways := b.Options(t.Context())
	for _, way := range ways {
		names = append(names, way.Local.Name+way.Vendor.Name)
	}
	if got := strings.Join(names, " "); got != "Ollama vLLM anthropic groq" {
		t.Fatal(got)
	}
	for _, c := range []struct {
		way           provider.Option
		url, model    string
		later, model2 string
	}{
		{ways[2], "https://api.anthropic.com/v1", "", "https://api.anthropic.com/v1", ""},
		{ways[0], ollama.BaseURL, "", ollama.BaseURL, "q"}, // the user selects one of two models
		{ways[3], "https://api.groq.com/openai/v1", "", "https://api.groq.com/openai/v1", ""},
	} {
		b := newKeyedBench(t, folder, keys, ollama, vllm)
		if _, err := b.UseOption(c.way); err != nil {
			t.Fatal(err)
		}
		endpoint, err := b.Endpoint()
		if err != nil || endpoint.BaseURL != c.url || settings.Model.Value(b.settings) != c.model {
			t.Errorf("%+v: %s %q, %v", c.way, endpoint.BaseURL, settings.Model.Value(b.settings), err)
		}
		if local := c.way.Local.Name != ""; (endpoint.Key == "") != local {
			t.Errorf("%+v: the key is %q", c.way, endpoint.Key)
		}
		b = newKeyedBench(t, folder, keys, ollama, vllm)
		if _, err := b.FindKnown(t.Context()); err != nil {
			t.Errorf("%+v, later: %v", c.way, err)
		}
		if endpoint, err := b.Endpoint(); err != nil || endpoint.BaseURL != c.later || settings.Model.Value(b.settings) != c.model2 {
			t.Errorf("%+v, later: %s %q, %v", c.way, endpoint.BaseURL, settings.Model.Value(b.settings), err)
		}
	}
}

// A selected vendor receives only its own API key, and is not used without it. It is not used in a
// non-interactive run. Settings take precedence over it.
func TestAChosenVendor(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keys := map[string]string{"GROQ_API_KEY": "gsk_0123456789"}
	groq, _ := vendor.Named("groq")
	if _, err := newKeyedBench(t, folder, keys).UseOption(provider.Option{Vendor: groq}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*provider.Config){
		"without its key": func(c *provider.Config) { c.Env = env(map[string]string{"XAI_API_KEY": "xai-0123456789"}) },
		"unattended":      func(c *provider.Config) { c.Ask = nil },
	} {
		b := newBench(t, func(c *provider.Config) {
			c.Folder, c.Env, c.Ask = folder, env(keys), func(context.Context, string) (bool, error) { return false, nil }
			change(c)
		})
		if _, err := b.Find(t.Context()); !errors.Is(err, provider.ErrNoEndpoint) {
			endpoint, _ := b.Endpoint()
			t.Errorf("%s: %v, %s", name, err, endpoint.BaseURL)
		}
	}
	b := newKeyedBench(t, folder, keys)
	b.set("base-url", "http://127.0.0.1:9/v1")
	if _, err := b.FindKnown(t.Context()); err != nil || settings.Provider.Value(b.settings) != "" {
		t.Errorf("something is set: %v, provider %q", err, settings.Provider.Value(b.settings))
	}
}

// In a non-interactive run, the error names the running server and the existing API key.
func TestNoEndpointNamesTheOptions(t *testing.T) {
	t.Parallel()
	for want, local := range map[string]provider.LocalServer{
		"Ollama runs at http://127.0.0.1:11434/v1. To use it, run: agent --provider ollama. GROQ_API_KEY is set. To use it, add --provider groq":                {Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []string{"q"}},
		"vLLM runs at http://127.0.0.1:8080/v1. To use it, run: agent --base-url http://127.0.0.1:8080/v1. GROQ_API_KEY is set. To use it, add --provider groq": {Name: "vLLM", BaseURL: "http://127.0.0.1:8080/v1", Models: []string{"q"}},
	} {
		b := newBench(t, func(c *provider.Config) {
			c.Env, c.Detect = env(map[string]string{"GROQ_API_KEY": "gsk_0123456789"}), func(context.Context) []provider.LocalServer { return []provider.LocalServer{local} }
		})
		_, err := b.Find(t.Context())
		unset, is := errors.AsType[*llm.Error](err)
		if !is || !strings.Contains(unset.Hint, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The last selected model of an endpoint is used again, with one notice. A setting takes
// precedence, and a model that is no longer offered is dropped.
func TestTheModelIsRemembered(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.Answer("/v1/models", modelList(`{"id":"a"}`, `{"id":"b"}`))
	start := func(t *testing.T, remembered string, news bool, change func(*settings.Settings)) (*bench, string, error) {
		b := newBench(t, func(c *provider.Config) {
			c.Remembered = func(url string) (string, bool) {
				if url != server.URL {
					return "", false
				}
				return remembered, news
			}
		})
		b.set("base-url", server.URL)
		change(b.settings)
		notice, err := b.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Provider()
		return b, notice, err
	}
	nothing := func(*settings.Settings) {}
	for _, c := range []struct {
		name, remembered, want, notice string
		news                           bool
		change                         func(*settings.Settings)
	}{
		{"the first time", "b", "b", "Using b, your last choice at", true, nothing},
		{"later", "b", "b", "", false, nothing},
		{"a flag", "b", "a", "", true, func(s *settings.Settings) { _ = s.Set(settings.LayerFlags, "model", "a") }},
		{"a profile", "b", "a", "", true, func(s *settings.Settings) { _ = s.Set(settings.LayerProfile, "model", "a") }},
		{"nothing", "", "", "", false, nothing},
	} {
		b, notice, err := start(t, c.remembered, c.news, c.change)
		if got := settings.Model.Value(b.settings); got != c.want || (err == nil) != (c.want != "") || !strings.HasPrefix(notice, c.notice) || c.notice == "" && notice != "" {
			t.Errorf("%s: %q, %q, %v", c.name, got, notice, err)
		}
	}
	b, _, _ := start(t, "gone", false, nothing)
	_, err := b.Provider() // the endpoint has listed its models by now
	for range 100 {
		if settings.Model.Value(b.settings) == "" {
			break
		}
		_, _ = b.Models(t.Context())
	}
	if got := settings.Model.Value(b.settings); got != "" {
		t.Errorf("a model that is not offered any more is used: %q, %v", got, err)
	}
}
