package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorSaysWho checks that agent doctor prints one line for the credential of requests and one
// for the web search service, with the reason, in each state.
func TestDoctorSaysWho(t *testing.T) {
	t.Parallel()
	const (
		kept  = `{"kimi":{"account":"kimi","name":"me@a.example","access":"tokenmark7-a","refresh":"tokenmark7-r","expires":"2999-01-01T00:00:00Z"},"kimi:work":{"account":"kimi","as":"work","access":"tokenmark7-w"}}`
		ended = `{"kimi":{"account":"kimi","access":"tokenmark7-a","refresh":"tokenmark7-r","expires":"2020-01-01T00:00:00Z"},"chatgpt":{"account":"chatgpt","access":"tokenmark7-a","expires":"2020-01-01T00:00:00Z"}}`
		kimi  = "--provider kimi -m m"
	)
	key := "OPENAI_API_KEY=" + secret
	for _, tt := range []struct {
		name, environ, logins, profile, args string
		signs, searches                      string // lines
	}{
		{"nothing", "", "", "", "", "fix   no model provider is set", "note  no web search: web-search is off (default)"},
		{"key in a variable", key, "", "", "-m m", "ok    key from OPENAI_API_KEY", "web-search is off (default)"},
		{"key that is missing", "", "", "", "--provider groq -m m", "fix   no key for Groq", "web-search is off (default)"},
		{"key that is kept", "", "", "", "--provider deepseek -m m", "ok    key from ", "web-search is off (default)"},
		{"key of a command", "", "", "", "--base-url https://gateway.example/v1 -m m --set auth-command=true", "ok    key printed by true (auth-command), for gateway.example", ""},
		{"key of a cloud's command", "", "", "", "--provider vertex -m m --set cloud.project=p --set cloud.region=global", "ok    key printed by gcloud auth print-access-token (gcloud auth print-access-token), for aiplatform.googleapis.com", ""},
		{"login", "", kept, "", kimi, "ok    login kimi (me@a.example), stored in {state}/logins.json, token expires 2999-01-01 00:00 (flag), for api.kimi.com", ""},
		{"another login", "", kept, "", kimi + " --set login=work", "ok    login kimi:work, stored in {state}/logins.json (flag), for api.kimi.com", ""},
		{"login of a profile", "", kept, "--set provider=kimi -m m --set login=work", "", "ok    login kimi:work, stored in {state}/logins.json (profile), for api.kimi.com", ""},
		{"login beside a key of another vendor", key, kept, "", kimi, "ok    login kimi (me@a.example)", ""},
		{"login that is missing", key, "", "", kimi, "fix   no login kimi", ""},
		{"login that has ended", "", ended, "", kimi, "ok    login kimi, stored in {state}/logins.json, token expired 2020-01-01 00:00; agent renews it before the next request (flag), for api.kimi.com", ""},
		{"login that has ended for good", "", ended, "", "--provider chatgpt -m m", "fix   login chatgpt, stored in {state}/logins.json, expired 2020-01-01 00:00 (flag), for chatgpt.com", ""},
		{"broken logins", "", "{", "", kimi, "fix   login kimi: can't use {state}/logins.json: it is damaged. Log in again to replace it", ""},
		{"search by a command", key, "", "", "-m m --set web-search=command --set web-search.command=true", "", "ok    web search by command: web-search is command (flag)"},
		{"search without an address", key, "", "", "-m m --set web-search=searxng", "", "fix   web search: web-search is searxng, but web-search.url is not set"},
		{"search by a SearXNG", key, "", "", "-m m --set web-search=searxng --set web-search.url=http://127.0.0.1:1", "", "ok    web search by searxng: web-search is searxng (flag)"},
		{"search of a profile, with a key that is kept", key, "", "--set web-search=auto -m m", "--provider groq", "", "ok    web search by brave: web-search is auto (profile)"},
		{"search without a key", key, "", "", "-m m --set web-search=kagi", "", "fix   web search: kagi needs an API key. Run: agent login search:kagi"},
		{"search by the server", key, "", "", "-m gpt-5.4 --set web-search=provider", "", "ok    web search by the model's server: web-search is provider (flag)"},
		{"search by a server that does not", "", kept, "", kimi + " --set web-search=provider", "", "fix   web search: web-search is provider, but api.kimi.com offers no web search on this API"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, kimiModels)
			config := filepath.Join(p.home, ".config/agent")
			for file, text := range map[string]string{
				filepath.Join(config, "keys/api.deepseek.com"): "a-key-that-is-kept\n", filepath.Join(config, "keys/api.search.brave.com"): "a-key-that-is-kept\n", p.logins(): tt.logins,
			} {
				if writeFile(t, file, text); os.Chmod(file, 0o600) != nil || text == "" && os.Remove(file) != nil {
					t.Fatal(file)
				}
			}
			args := append([]string{"doctor"}, strings.Fields(tt.args)...)
			if tt.profile != "" {
				if said, status := p.run("", append([]string{"profile", "save", "mine"}, strings.Fields(tt.profile)...)...); status != exitOK {
					t.Fatal(said)
				}
				args = append(args, "--profile", "mine")
			}
			cmd := p.command(args...)
			cmd.Env = append(cmd.Env, strings.Split(tt.environ, "\n")...)
			out, _ := cmd.CombinedOutput()
			said := string(out)
			for _, want := range []string{tt.signs, tt.searches} {
				if want = strings.ReplaceAll(want, "{state}", filepath.Dir(p.logins())); !strings.Contains(said, want) {
					t.Errorf("no %q in\n%s", want, said)
				}
			}
			if strings.Contains(said, secret) || strings.Contains(said, "that-is-kept") || strings.Contains(said, mark) {
				t.Errorf("a key is shown:\n%s", said)
			}
		})
	}
}
