package provider_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/settings"
)

// addresses are possible targets of an attack on API keys: hosts of vendors and similar names, with
// and without TLS, and with other ports and paths.
var addresses = []string{
	"",
	"https://api.groq.com/openai/v1", "https://api.groq.com/other?x=1", "https://API.GROQ.com/v1",
	"http://api.groq.com/openai/v1", "http://api.groq.com:443/v1", "http://api.groq.com./v1", "https://api.groq.com:8443/v1", "https://api.groq.com./v1",
	"https://api.openai.com/v1", "http://api.openai.com/v1", "https://api.openai.com.evil.example/v1",
	"https://evil.example/api.groq.com/v1", "http://evil.example/v1", "https://evil.example:443/v1", "https://gw.example/v1", "http://gw.example/v1",
	"http://127.0.0.1:9/v1", "http://localhost:9/v1", "http://127.0.0.1.evil.example/v1",
}

// TestKeysStayWhereTheyBelong combines endpoints with sources of the key (security C1, C3). A
// vendor's key is only sent to the vendor's host over https, a stored key to its own address, and a
// key file to the address in the same layer.
func TestKeysStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	const profile, envLayer, flags, session = settings.LayerProfile, settings.LayerEnvironment, settings.LayerFlags, settings.LayerSession
	cases, keyed := 0, map[string]int{}
	for _, name := range []string{"", "groq", "openai", "ollama"} {
		for _, nameFrom := range []settings.Source{profile, flags, session} {
			for _, base := range addresses {
				for _, baseFrom := range []settings.Source{profile, envLayer, flags, session} {
					for _, fileFrom := range []settings.Source{settings.LayerDefault, profile, flags, session} {
						for stored := range 3 {
							from := provider.EndpointSources{
								Provider: provider.SettingChoice{Text: name, From: nameFrom},
								BaseURL:  provider.SettingChoice{Text: base, From: baseFrom},
								Env:      env(map[string]string{vendor.EnvKey: "sk-openai", "GROQ_API_KEY": "sk-groq"}),
								Stored: func(place string) (llm.Key, string) {
									plain := strings.HasPrefix(place, "http://")
									if stored == 1 && !plain || stored == 2 && plain {
										return llm.Key("stored:" + place), "the ring"
									}
									return "", ""
								},
								ReadKeyFile: func(string) (llm.Key, error) { return "file", nil },
							}
							if fileFrom != settings.LayerDefault {
								from.KeyFile = provider.SettingChoice{Text: "/k", From: fileFrom}
							}
							cases++
							e, err := provider.Resolve(from)
							if err != nil || e.Key == "" {
								continue
							}
							kind, _, _ := strings.Cut(string(e.Key), ":")
							keyed[kind]++
							if problem := misplaced(e, from); problem != "" {
								t.Errorf("provider %q of %s, base-url %q of %s, key file of %s, stored %d: the key %s goes to %s: %s",
									name, nameFrom, base, baseFrom, fileFrom, stored, string(e.Key), e.BaseURL, problem)
							}
						}
					}
				}
			}
		}
	}
	for _, kind := range []string{"sk-openai", "sk-groq", "stored", "file"} {
		if keyed[kind] == 0 {
			t.Errorf("of %d cases none used %s", cases, kind)
		}
	}
}

// misplaced returns the reason why a key must not be sent to an address, or "" if it may.
func misplaced(e provider.Endpoint, from provider.EndpointSources) string {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return err.Error()
	}
	host := strings.ToLower(u.Host)
	local := strings.HasPrefix(host, "127.0.0.1:") || strings.HasPrefix(host, "localhost:")
	plain := u.Scheme == "http" && !local
	vendor := strings.Contains(host, "groq.com") && !strings.Contains(host, "evil") || strings.HasPrefix(host, "api.openai.com") && !strings.Contains(host, "evil")
	switch key := string(e.Key); {
	case plain && vendor:
		return "a vendor over plain http"
	case key == "sk-groq" && (u.Scheme != "https" || host != "api.groq.com"):
		return "not its host"
	case key == "sk-openai" && e.BaseURL != "https://api.openai.com/v1" && e.From != settings.LayerEnvironment && e.From != settings.LayerFlags:
		return "nobody typed this address for it"
	case strings.HasPrefix(key, "stored:") && key != "stored:"+host && key != "stored:http://"+host:
		return "another host's"
	case key == "stored:"+host && plain:
		return "it is for https"
	case key == "file" && from.KeyFile.From < e.From:
		return "another address is beside it"
	}
	return ""
}

// A profile with a vendor and another address is refused if the vendor's key could be sent there
// (security C1). An https key over plain http is refused too (C3).
func TestResolveRefusesToLeak(t *testing.T) {
	t.Parallel()
	const profile = settings.LayerProfile
	keys := env(map[string]string{"GROQ_API_KEY": "sk-groq"})
	stored := func(place string) (llm.Key, string) {
		if place == "gw.example" {
			return "sk-stored", "the ring"
		}
		return "", ""
	}
	for want, from := range map[string]provider.EndpointSources{
		"GROQ_API_KEY is for api.groq.com and was not sent to evil.example (base-url of the profile)": {
			Provider: provider.SettingChoice{Text: "groq", From: profile}, BaseURL: provider.SettingChoice{Text: "https://evil.example/v1", From: profile}, Env: keys,
		},
		"the API key is not sent to api.groq.com unencrypted. Use https://api.groq.com/v1": {
			BaseURL: provider.SettingChoice{Text: "http://api.groq.com/v1", From: settings.LayerFlags}, Env: keys,
		},
		"the API key from the ring is not sent to gw.example unencrypted": {
			BaseURL: provider.SettingChoice{Text: "http://gw.example/v1", From: profile}, Stored: stored,
		},
	} {
		if _, err := provider.Resolve(from); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Headers and extra-body of a profile are only sent to the address in the same profile. An omitted
// header is reported before any request (security C2).
func TestHeadersBelongToTheirAddress(t *testing.T) {
	t.Parallel()
	const own = "" // stands for the address of the test's server
	for _, tt := range []struct {
		name    string
		profile map[string]string
		flags   map[string]string
		layer   settings.Source
		sent    bool
	}{
		{"the profile's own address", map[string]string{"base-url": own}, nil, settings.LayerFlags, true},
		{"another of the command line", map[string]string{"base-url": "https://good.example/v1"}, map[string]string{"base-url": own}, settings.LayerFlags, false},
		{"another of the environment", map[string]string{"base-url": "https://good.example/v1"}, map[string]string{"base-url": own}, settings.LayerEnvironment, false},
		{"another of the session", map[string]string{"base-url": "https://good.example/v1"}, map[string]string{"base-url": own}, settings.LayerSession, false},
		{"beside another provider", map[string]string{"provider": "groq"}, map[string]string{"base-url": own}, settings.LayerFlags, false},
		{"no address beside it", nil, map[string]string{"base-url": own}, settings.LayerEnvironment, false},
		{"the same address, typed once more", map[string]string{"base-url": own}, map[string]string{"base-url": own}, settings.LayerFlags, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := newWitness(t)
			var cautions []string
			before := -1
			b := newBench(t, func(c *provider.Config) {
				c.Caution = func(text string) { cautions, before = append(cautions, text), len(server.got()) }
			})
			set := func(layer settings.Source, values map[string]string) {
				for key, value := range values {
					if value == own {
						value = server.URL
					}
					if err := b.settings.Set(layer, key, value); err != nil {
						t.Fatal(err)
					}
				}
			}
			set(settings.LayerProfile, tt.profile)
			set(settings.LayerProfile, map[string]string{"header.X-Leak": "secret", "extra-body": `{"leak":1}`, "model": "m"})
			set(tt.layer, tt.flags)
			p, err := b.Provider()
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range p.Stream(t.Context(), llm.Request{Model: "m", History: []*history.Content{history.HumanText("hi")}}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, request := range server.got() {
				header, body := strings.Contains(request, "X-Leak: secret"), strings.Contains(request, `"leak":1`)
				if header != tt.sent || body != (tt.sent && strings.HasPrefix(request, http.MethodPost)) {
					t.Errorf("sent: %s", request)
				}
			}
			if said := fmt.Sprint(cautions); tt.sent != (len(cautions) == 0) || !tt.sent && (before != 0 || !strings.Contains(said, "Not sent to 127.0.0.1") || !strings.Contains(said, "header.X-Leak of the profile")) {
				t.Errorf("%s after %d requests", said, before)
			}
		})
	}
}

// witness is an endpoint that stores the requests.
type witness struct {
	URL string

	mu       sync.Mutex
	requests []string
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		dump, err := httputil.DumpRequest(r, true)
		if err != nil {
			t.Error(err)
		}
		w.mu.Lock()
		w.requests = append(w.requests, string(dump))
		w.mu.Unlock()
		out.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(out, modelList(`{"id":"m"}`))
			return
		}
		_, _ = io.WriteString(out, `{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	w.URL = server.URL + "/v1"
	return w
}

func (w *witness) got() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.requests)
}

// A key for plain http is stored separately from the key for https of the same host.
func TestHostsHaveSeparateFiles(t *testing.T) {
	t.Parallel()
	keys := provider.Keys{Folder: t.TempDir()}
	for _, base := range []string{"https://gw.example:8000/v1", "http://gw.example:8000/v1"} {
		if _, err := keys.Set(provider.KeyHost(base), llm.Key("sk-for-"+base[:5])); err != nil {
			t.Fatal(err)
		}
	}
	secure, _ := keys.Get("gw.example:8000")
	plain, _ := keys.Get("http://gw.example:8000")
	if secure != "sk-for-https" || plain != "sk-for-http:" {
		t.Errorf("%q and %q", string(secure), string(plain))
	}
}

// A gateway key in a header is removed from records like the API key of the endpoint, whenever the
// record begins. The name of a project is not a key.
func TestKeysInHeadersAreHidden(t *testing.T) {
	t.Parallel()
	for _, begun := range []bool{false, true} {
		b := newBench(t)
		var hidden []string
		hide := func(key llm.Key) { hidden = append(hidden, string(key)) }
		if !begun {
			b.OnKey(hide)
		}
		for key, value := range map[string]string{"base-url": newWitness(t).URL, "model": "m", "header.X-Api-Key": "gate-key-1", "header.cf-aig-authorization": "Bearer gate-key-2", "header.X-Title": "my-project"} {
			if err := b.settings.Set(settings.LayerFlags, key, value); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Provider(); err != nil {
			t.Fatal(err)
		}
		if begun {
			b.OnKey(hide)
		}
		slices.Sort(hidden)
		if got := strings.Join(slices.Compact(hidden), " "); got != "gate-key-1 gate-key-2" {
			t.Errorf("hidden, begun before %v: %q", begun, got)
		}
	}
}
