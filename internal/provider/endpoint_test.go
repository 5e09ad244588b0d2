package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/testing/require"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// An API key is only sent to the endpoint that the same layer names (security M1).
func TestResolve(t *testing.T) {
	t.Parallel()
	keyFile := func(path string) (llm.Key, error) {
		if path != "/keys/mine" {
			return "", errors.New("no such file")
		}
		return "from-file", nil
	}
	const (
		profile  = settings.LayerProfile
		envLayer = settings.LayerEnvironment
		flag     = settings.LayerFlags
		session  = settings.LayerSession
		found    = settings.LayerDetected
	)
	openAI := map[string]string{vendor.EnvKey: " sk-openai\n"}
	stored := func(host string) (llm.Key, string) { return llm.Key("stored:" + host), "the ring" }
	for _, tt := range []struct {
		name string
		from provider.EndpointSources
		want provider.Endpoint
		// withheld means that OpenAI's key is not sent, but the user can approve it.
		withheld bool
	}{
		{name: "nothing"},
		{
			name: "a key alone is OpenAI's", from: provider.EndpointSources{Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "https://api.openai.com/v1", Provider: "openai", Key: "sk-openai", KeyFrom: vendor.EnvKey},
		},
		{
			name: "a key file alone is OpenAI's", from: provider.EndpointSources{KeyFile: provider.SettingChoice{"/keys/mine", profile}},
			want: provider.Endpoint{BaseURL: "https://api.openai.com/v1", Provider: "openai", Key: "from-file", KeyFrom: "/keys/mine"},
		},
		{
			name: "the profile's own key, not the environment's",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"http://127.0.0.1:1/v1", profile}, KeyFile: provider.SettingChoice{"/keys/mine", profile}, Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "http://127.0.0.1:1/v1", From: profile, Key: "from-file", KeyFrom: "/keys/mine"},
		},
		{
			name: "the environment's key goes to the environment's address",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h/v1", envLayer}, Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: envLayer, Key: "sk-openai", KeyFrom: vendor.EnvKey},
		},
		{
			name: "and to an address of the command line",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h/v1", flag}, Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: flag, Key: "sk-openai", KeyFrom: vendor.EnvKey},
		},
		{
			name: "not to that of a profile", withheld: true,
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h/v1", profile}, Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: profile},
		},
		{
			name: "nor to one that was set in the session", withheld: true,
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h/v1", session}, Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: session},
		},
		{
			name: "unless it was allowed",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h/v1", profile}, Env: env(openAI), Allowed: func(host string) bool { return host == "h" }},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: profile, Key: "sk-openai", KeyFrom: vendor.EnvKey},
		},
		{
			name: "a server of one's own needs none",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"http://localhost:8080/v1", profile}, Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "http://localhost:8080/v1", From: profile},
		},
		{
			name: "a key file of a weaker layer belongs to another address",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h/v1", flag}, KeyFile: provider.SettingChoice{"/keys/mine", profile}},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: flag},
		},
		{
			name: "one of a stronger layer is meant",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h/v1", profile}, KeyFile: provider.SettingChoice{"/keys/mine", flag}},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: profile, Key: "from-file", KeyFrom: "/keys/mine"},
		},
		{
			name: "what was found gets no key",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"http://127.0.0.1:11434/v1", found}, KeyFile: provider.SettingChoice{"/keys/mine", profile}, Env: env(openAI), Stored: stored},
			want: provider.Endpoint{BaseURL: "http://127.0.0.1:11434/v1", From: found},
		},
		{
			name: "a stored key",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://h:9/v1", profile}, Env: env(openAI), Stored: stored},
			want: provider.Endpoint{BaseURL: "https://h:9/v1", From: profile, Key: "stored:h:9", KeyFrom: "the ring"},
		},
		{
			name: "a provider and its variable",
			from: provider.EndpointSources{Provider: provider.SettingChoice{"deepseek", profile}, Env: env(map[string]string{vendor.EnvKey: "sk-openai", "DEEPSEEK_API_KEY": "sk-deep"})},
			want: provider.Endpoint{BaseURL: "https://api.deepseek.com/v1", From: profile, Provider: "deepseek", Key: "sk-deep", KeyFrom: "DEEPSEEK_API_KEY"},
		},
		{
			name: "a provider never gets another's key",
			from: provider.EndpointSources{Provider: provider.SettingChoice{"deepseek", flag}, Env: env(openAI)},
			want: provider.Endpoint{BaseURL: "https://api.deepseek.com/v1", From: flag, Provider: "deepseek"},
		},
		{
			name: "a provider by its host",
			from: provider.EndpointSources{BaseURL: provider.SettingChoice{"https://openrouter.ai/api/v1", profile}, Env: env(map[string]string{vendor.EnvKey: "sk-openai", "OPENROUTER_API_KEY": "sk-or"})},
			want: provider.Endpoint{BaseURL: "https://openrouter.ai/api/v1", From: profile, Provider: "openrouter", Key: "sk-or", KeyFrom: "OPENROUTER_API_KEY"},
		},
		{
			name: "a provider of the command line beats a profile's address",
			from: provider.EndpointSources{Provider: provider.SettingChoice{"groq", flag}, BaseURL: provider.SettingChoice{"https://h/v1", profile}, Env: env(map[string]string{"GROQ_API_KEY": "sk-g"})},
			want: provider.Endpoint{BaseURL: "https://api.groq.com/openai/v1", From: flag, Provider: "groq", Key: "sk-g", KeyFrom: "GROQ_API_KEY"},
		},
		{
			name: "an address of the command line does not get a profile's provider's key",
			from: provider.EndpointSources{Provider: provider.SettingChoice{"groq", profile}, BaseURL: provider.SettingChoice{"https://h/v1", flag}, Env: env(map[string]string{"GROQ_API_KEY": "sk-g"})},
			want: provider.Endpoint{BaseURL: "https://h/v1", From: flag},
		},
		{
			name: "an address and a provider of one layer belong together",
			from: provider.EndpointSources{Provider: provider.SettingChoice{"zai", profile}, BaseURL: provider.SettingChoice{"https://api.z.ai/api/coding/paas/v4", profile}, Env: env(map[string]string{"ZAI_API_KEY": "sk-z"})},
			want: provider.Endpoint{BaseURL: "https://api.z.ai/api/coding/paas/v4", From: profile, Provider: "zai", Key: "sk-z", KeyFrom: "ZAI_API_KEY"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.from.KeyFile.Text != "" {
				tt.from.ReadKeyFile = keyFile
			}
			tt.want.Withheld = tt.withheld
			got, err := provider.Resolve(tt.from)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(provider.Endpoint{})); err != nil || diff != "" {
				t.Error(err, diff)
			}
			if string(got.Key) != string(tt.want.Key) {
				t.Errorf("key %q, want %q", string(got.Key), string(tt.want.Key))
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	for want, from := range map[string]provider.EndpointSources{
		"base-url: \"localhost:8080\" must start with http":          {BaseURL: provider.SettingChoice{Text: "localhost:8080"}},
		"OPENAI_API_KEY: an API key can't contain spaces":            {Env: env(map[string]string{vendor.EnvKey: "sec\nret"})},
		"auth-keyfile: file does not exist":                          {KeyFile: provider.SettingChoice{Text: "/gone"}, ReadKeyFile: func(string) (llm.Key, error) { return "", os.ErrNotExist }},
		"unknown provider \"nobody\"; providers: openai, openrouter": {Provider: provider.SettingChoice{Text: "nobody"}},
	} {
		_, err := provider.Resolve(from)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "ret") && strings.Contains(err.Error(), "sec") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A key over plain http to another host causes a warning.
func TestWarning(t *testing.T) {
	t.Parallel()
	for base, warns := range map[string]bool{
		"http://h/v1": true, "http://10.0.0.1:8000/v1": true, "https://h/v1": false, "http://localhost:1/v1": false,
		"http://127.0.0.1:1/v1": false, "http://[::1]:1/v1": false, "http://localhost.evil.com/v1": true,
	} {
		if got := (provider.Endpoint{BaseURL: base, Key: "k"}).Warning(); (got != "") != warns {
			t.Errorf("%s: %q", base, got)
		}
		if got := (provider.Endpoint{BaseURL: base}).Warning(); got != "" {
			t.Errorf("%s without a key: %q", base, got)
		}
	}
}

func TestNormalizeBaseURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://localhost:8080/v1":                        "http://localhost:8080/v1",
		" https://api.openai.com/v1/ ":                    "https://api.openai.com/v1",
		"https://api.openai.com/v1/chat/completions":      "https://api.openai.com/v1",
		"https://api.openai.com/v1//chat/completions/":    "https://api.openai.com/v1",
		"https://openrouter.ai/api/v1///":                 "https://openrouter.ai/api/v1",
		"HTTP://LOCALHOST:1/v1":                           "http://localhost:1/v1",
		"http://[::1]:8080":                               "http://[::1]:8080",
		"https://h/v1/chat/completions?api-version=2026":  "https://h/v1?api-version=2026",
		"https://api.example/a/chat/completions/beta/v1/": "https://api.example/a/chat/completions/beta/v1",
	} {
		if got, err := provider.NormalizeBaseURL(raw); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", raw, got, err, want)
		}
		if got, err := provider.NormalizeBaseURL(want); err != nil || got != want {
			t.Errorf("%q is not stable: %q, %v", want, got, err)
		}
	}
	for raw, says := range map[string]string{
		"localhost:8080":                  "must start with http://",
		"api.openai.com/v1":               "must start with http://",
		"ftp://host/v1":                   "not ftp://",
		"http:///v1":                      "has no host",
		"http://ho st/v1":                 "invalid URL",
		"https://me:secret@host/v1":       "OPENAI_API_KEY",
		"https://host/v1?key=abc":         "must not contain a key",
		"https://host/v1?a=1&api_key=abc": "must not contain a key",
		"https://host/v1#x":               "must not contain a fragment",
	} {
		_, err := provider.NormalizeBaseURL(raw)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "abc") {
			t.Errorf("%q: got %v, want %q", raw, err, says)
		}
	}
}

func TestReadKeyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, mode := range []os.FileMode{0o600, 0o400} {
		if key, err := provider.ReadKeyFile(write(mode.String(), "sk-abc\n", mode)); err != nil || key != "sk-abc" {
			t.Errorf("mode %o: got %q, %v", mode, string(key), err)
		}
	}
	others := map[string]string{
		write("group", "sk-abc", 0o640): "mode 0640). Run: chmod 600",
		write("world", "sk-abc", 0o604): "other users can read",
	}
	if !require.Unix {
		clear(others)
	}
	wrong := map[string]string{
		write("empty", " \n", 0o600):                       "the API key is empty",
		write("lines", "KEY=sk-abc\nOTHER=1", 0o600):       "spaces, line breaks",
		write("large", strings.Repeat("x", 17<<10), 0o600): "at most 16384 bytes",
		dir:                           "not a file",
		filepath.Join(dir, "missing"): syscall.ENOENT.Error(),
	}
	maps.Copy(wrong, others)
	for path, says := range wrong {
		if _, err := provider.ReadKeyFile(path); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sk-abc") {
			t.Errorf("%s: got %v, want %q", path, err, says)
		}
	}
}

// TestKeyDoesNotPrint checks that formatting a key does not print it.
func TestKeyDoesNotPrint(t *testing.T) {
	t.Parallel()
	const secret = "sk-live-abcdef"
	endpoint := provider.Endpoint{BaseURL: "http://host/v1", Key: secret}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "endpoint", endpoint, "key", endpoint.Key)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "endpoint", endpoint, "key", endpoint.Key)
	data, err := json.Marshal(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	printed := log.String() + string(data) + fmt.Sprintf("%v %+v %#v %s %q", endpoint, endpoint, endpoint, endpoint.Key, endpoint.Key)
	if strings.Contains(printed, "abcdef") {
		t.Error(printed)
	}
	if got := fmt.Sprint(llm.Key("")); got != "" {
		t.Errorf("no key prints as %q", got)
	}
}
