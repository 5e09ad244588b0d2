package imports

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agent/internal/cmdline"
)

// helper adds a change for a program that prints an API key. It shows the equivalent setting, and
// the address for which the key is used.
func (p *planner) helper(name, from, command, baseURL, example string) {
	if holdsSecret(command) || holdsSecret(baseURL) {
		p.skip(KindLogins, name, from, "it contains a secret")
		return
	}
	c := Change{Kind: KindLogins, Name: name, State: StateManual, From: from}
	if baseURL == "" {
		baseURL = "ADDRESS"
		c.Lost = append(c.Lost, "ADDRESS is the endpoint that the key belongs to, such as "+example)
	}
	c.To = "agent profile save " + strings.ReplaceAll(name, " ", "-") + " --base-url " + cmdline.Quote(baseURL) + " --set " + cmdline.Quote("auth-command="+command)
	c.Lost = append(c.Lost, "the command runs outside of the sandbox, with your rights: "+command)
	p.add(c)
}

// keyHelper adds a change for the program that prints Claude Code's key. It returns "apiKeyHelper",
// or "" if there is none.
func (p *planner) keyHelper(from string, members map[string]json.RawMessage) (done string) {
	command, ok := valueAt(members, "apiKeyHelper")
	if !ok {
		return ""
	}
	baseURL, _ := valueAt(members, "env.ANTHROPIC_BASE_URL")
	p.helper("apiKeyHelper", from, command, baseURL, "https://api.anthropic.com/v1")
	return "apiKeyHelper"
}

// providers adds changes for the programs that print the keys of codex's providers. It returns
// "model_providers", or "" if no provider has such a program.
func (p *planner) providers(from string, members map[string]json.RawMessage) (done string) {
	var providers map[string]struct {
		BaseURL string `json:"base_url"`
		Auth    struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"auth"`
	}
	if json.Unmarshal(members["model_providers"], &providers) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		one := providers[name]
		if one.Auth.Command == "" {
			continue
		}
		words := []string{cmdline.Quote(one.Auth.Command)}
		for _, arg := range one.Auth.Args {
			words = append(words, cmdline.Quote(arg))
		}
		p.helper(name, from, strings.Join(words, " "), one.BaseURL, "https://gateway.example/v1")
		done = "model_providers"
	}
	return done
}
