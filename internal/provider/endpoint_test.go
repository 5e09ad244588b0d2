package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/provider"
)

func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestResolve(t *testing.T) {
	t.Parallel()
	keyFile := func(path string) (llm.Key, error) {
		if path != "/keys/mine" {
			return "", errors.New("no such file")
		}
		return "from-file", nil
	}
	tests := []struct {
		name string
		from provider.Sources
		want provider.Endpoint
	}{
		{"nothing", provider.Sources{}, provider.Endpoint{}},
		{
			"an endpoint without a key",
			provider.Sources{BaseURL: "http://host/v1/", BaseURLFrom: "profile"},
			provider.Endpoint{BaseURL: "http://host/v1", BaseURLFrom: "profile"},
		},
		{
			"a key file",
			provider.Sources{BaseURL: "http://host/v1", KeyFile: "/keys/mine", ReadKeyFile: keyFile},
			provider.Endpoint{BaseURL: "http://host/v1", Key: "from-file", KeyFrom: "/keys/mine"},
		},
		{
			"the environment goes before the file",
			provider.Sources{BaseURL: "http://host/v1", Env: env(map[string]string{llm.EnvKey: " from-env\n"}), KeyFile: "/keys/mine", ReadKeyFile: keyFile},
			provider.Endpoint{BaseURL: "http://host/v1", Key: "from-env", KeyFrom: "OPENAI_API_KEY"},
		},
		{
			"the keyring is asked last, by base URL",
			provider.Sources{BaseURL: "http://host/v1", Env: env(nil), Keyring: func(base string) llm.Key { return llm.Key("ring:" + base) }},
			provider.Endpoint{BaseURL: "http://host/v1", Key: "ring:http://host/v1", KeyFrom: "the system's keyring"},
		},
		{
			"an empty keyring",
			provider.Sources{Keyring: func(string) llm.Key { return "" }},
			provider.Endpoint{},
		},
		{
			"a key alone belongs to OpenAI",
			provider.Sources{Env: env(map[string]string{llm.EnvKey: "k"})},
			provider.Endpoint{BaseURL: "https://api.openai.com/v1", BaseURLFrom: "the default for a key", Key: "k", KeyFrom: "OPENAI_API_KEY"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := provider.Resolve(tt.from)
			if err != nil || got != tt.want {
				t.Errorf("got %+v (key %q), %v", got, string(got.Key), err)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from provider.Sources
		says string
	}{
		"an address":         {provider.Sources{BaseURL: "localhost:8080"}, "base-url: \"localhost:8080\" has no http"},
		"a key of two lines": {provider.Sources{Env: env(map[string]string{llm.EnvKey: "sec\nret"})}, "OPENAI_API_KEY: a key is one word"},
		"a key file":         {provider.Sources{KeyFile: "/gone", ReadKeyFile: func(string) (llm.Key, error) { return "", os.ErrNotExist }}, "auth-keyfile: file does not exist"},
	} {
		_, err := provider.Resolve(tt.from)
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "ret") {
			t.Errorf("%s: got %v, want %q", name, err, tt.says)
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
		"HTTP://LOCALHOST:1/v1":                           "http://LOCALHOST:1/v1",
		"http://[::1]:8080":                               "http://[::1]:8080",
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
		"localhost:8080":            "has no http://",
		"api.openai.com/v1":         "has no http://",
		"ftp://host/v1":             "begins with ftp://",
		"http:///v1":                "names no host",
		"http://ho st/v1":           "not a URL",
		"https://me:secret@host/v1": "OPENAI_API_KEY",
		"https://host/v1?key=abc":   "what follows ?",
		"https://host/v1#x":         "what follows ?",
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
	for path, says := range map[string]string{
		write("group", "sk-abc", 0o640):                    "mode 0640); run chmod 600",
		write("world", "sk-abc", 0o604):                    "may be read by others",
		write("empty", " \n", 0o600):                       "the key is empty",
		write("lines", "KEY=sk-abc\nOTHER=1", 0o600):       "one word",
		write("large", strings.Repeat("x", 17<<10), 0o600): "not longer than",
		dir:                           "not a file",
		filepath.Join(dir, "missing"): "no such file",
	} {
		if _, err := provider.ReadKeyFile(path); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sk-abc") {
			t.Errorf("%s: got %v, want %q", path, err, says)
		}
	}
}

// TestKeyDoesNotPrint: a key that gets into a message by accident is not there.
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
