package provider_test

import (
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/settings"
)

// TestLoginsStayWhereTheyBelong combines providers, addresses, layers and logins. A login only
// signs requests to the address of its vendor. A request never uses an API key instead of a login,
// or both.
func TestLoginsStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	const profile, envLayer, flags, session = settings.LayerProfile, settings.LayerEnvironment, settings.LayerFlags, settings.LayerSession
	keys := map[string]string{vendor.EnvKey: "sk-openai", "XAI_API_KEY": "sk-xai"}
	cases, byLogin, byKey := 0, 0, 0
	for _, name := range []string{"", "kimi", "chatgpt", "xai", "openai"} {
		of, _ := vendor.Named(name)
		for _, base := range append(addresses, "https://api.kimi.com/coding/v1", "https://api.x.ai/v1", "https://api.kimi.com/other", "http://api.kimi.com/coding/v1", "https://api.kimi.com.evil.example/coding/v1") {
			for _, from := range []settings.Source{profile, envLayer, flags, session} {
				for _, nameFrom := range []settings.Source{profile, flags, session} {
					for _, as := range []string{"", "work"} {
						for _, without := range []bool{false, true} {
							environ := keys
							if without {
								environ = nil
							}
							s := provider.EndpointSources{
								Provider: provider.SettingChoice{Text: name, From: nameFrom}, BaseURL: provider.SettingChoice{Text: base, From: from},
								Login: provider.SettingChoice{Text: as, From: profile}, Env: env(environ),
								Stored: func(string) (llm.Key, string) { return "", "" },
								Logins: func(id string) string { return id + " (me)" },
							}
							cases++
							e, err := provider.Resolve(s)
							if err != nil {
								continue
							}
							if e.Login != "" {
								byLogin++
							}
							if e.Key != "" {
								byKey++
							}
							account, _, _ := strings.Cut(e.Login, ":")
							to, _ := vendor.Named(account)
							switch {
							case e.Login != "" && (e.Key != "" || e.Command != "" || e.BaseURL != to.BaseURL):
								t.Errorf("login %s with %q goes to %s", e.Login, string(e.Key), e.BaseURL)
							case e.Vendor().Account && e.Key != "":
								t.Errorf("a key goes to %s, which requires a login", e.BaseURL)
							case of.Account && e.BaseURL == of.BaseURL && e.Login == "":
								t.Errorf("no login at %s", e.BaseURL)
							}
						}
					}
				}
			}
		}
	}
	if byLogin == 0 || byKey == 0 {
		t.Errorf("of %d cases %d used a login and %d a key", cases, byLogin, byKey)
	}
	t.Log(cases, "cases,", byLogin, "with a login,", byKey, "with a key")
}
