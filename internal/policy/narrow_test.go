package policy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/cmdline"
	"agent/internal/extend/setup/permissions"
	"agent/internal/extend/setup/servers"
	"agent/internal/gate"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/rules"
	"agent/internal/settings"
	"agent/internal/toolspec"
	"agent/internal/websearch"
)

// choices are the values of the settings that a policy can restrict.
var choices = map[string][]string{
	settings.ApprovalMode.Key():        gate.ModeNames(),
	settings.Sandbox.Key():             {"auto", "off", "require"},
	settings.SandboxAllowWrite.Key():   {"/", "~/x"},
	settings.SandboxAllowRead.Key():    {".env"},
	settings.SandboxAllowEnv.Key():     {"TOKEN"},
	settings.SandboxAllowNetwork.Key(): {"true", "false"},
	settings.WebSearch.Key():           websearch.SettingValues(),
	settings.CacheWarming.Key():        {"off", "working", "idle"},
	settings.Provider.Key():            {"openai", "anthropic", "openrouter"},
	settings.BaseURL.Key():             {"https://llm.corp.example/v1", "https://evil.example/v1", "https://api.anthropic.com/v1", "http://api.anthropic.com/v1"},
}

// drawSome draws a list of some of the values, or nil for no restriction.
func drawSome(t *rapid.T, label string, from ...string) []string {
	if rapid.Bool().Draw(t, label+" is bounded") {
		return slices.DeleteFunc(slices.Clone(from), func(string) bool { return rapid.Bool().Draw(t, label) })
	}
	return nil
}

// drawSettings draws settings of a user in every layer, with copies and profiles.
func drawSettings(t *rapid.T, p *Policy) *settings.Settings {
	s := settings.New(settings.NewRegistry(settings.All(), settings.Choices{
		settings.ApprovalMode.Key(): gate.ModeNames(), settings.WebSearch.Key(): websearch.SettingValues(), settings.Provider.Key(): vendor.Names(),
	}))
	values := func() map[string]string {
		drawn := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(choices)) {
			if rapid.Bool().Draw(t, key+" is set") {
				drawn[key] = rapid.SampledFrom(choices[key]).Draw(t, key)
			}
		}
		return drawn
	}
	profile := func() *settings.Profile {
		made := &settings.Profile{Name: "p", Values: map[string]settings.Value{}}
		for key, text := range values() {
			spec, err := s.Registry().Lookup(key)
			if err != nil {
				t.Fatal(err)
			}
			if made.Values[key], err = spec.Parse(text); err != nil {
				t.Fatal(err)
			}
		}
		return made
	}
	set := func() {
		for _, layer := range []settings.Source{settings.LayerDetected, settings.LayerFlags, settings.LayerSession} {
			for key, text := range values() {
				_ = s.Set(layer, key, text) // a refused value is not set
			}
		}
	}
	if rapid.Bool().Draw(t, "set before the bounds") {
		set()
	}
	p.NarrowSettings(s)
	s.UseProfile(profile())
	set()
	if rapid.Bool().Draw(t, "a copy") {
		s = s.Overlay()
		set()
	}
	if rapid.Bool().Draw(t, "another model") {
		s = s.With(profile())
	}
	return s
}

// TestNothingWidensAPolicy draws policies, and settings of users and repositories that conflict
// with them. No combination allows more than the policy does, according to this test.
func TestNothingWidensAPolicy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &Policy{
			Path:      "P",
			Modes:     drawSome(t, "modes", gate.ModeNames()...),
			Tools:     drawSome(t, "tools", "read_file", "run_shell_command", "mcp__docs__*"),
			Deny:      drawSome(t, "deny", "Bash(git push:*)", "Edit(//work/docs/**)", "Read(//work/keys/**)", "mcp__tickets", "WebFetch(domain:evil.example)"),
			Hosts:     drawSome(t, "hosts", "corp.example", "evil.example"),
			Providers: drawSome(t, "providers", "anthropic", "https://llm.corp.example/v1"),
			Servers:   drawSome(t, "servers", "https://mcp.corp.example/*", "/opt/bin/tickets *"),
			Logins:    drawSome(t, "logins", "anthropic", "https://llm.corp.example/v1"),
			Sandbox:   rapid.SampledFrom([]string{"", Auto, Require, Strict}).Draw(t, "sandbox"),

			CacheWarming: rapid.SampledFrom([]string{"", "off", "working"}).Draw(t, "cache-warming"),
		}
		if err := p.check(); err != nil {
			t.Fatal(err)
		}
		s := drawSettings(t, p)
		checkSettings(t, p, s)
		checkEndpoint(t, p, s)
		checkServers(t, p)
		checkRules(t, p)
	})
}

func checkSettings(t *rapid.T, p *Policy, s *settings.Settings) {
	mode := gate.Mode(settings.ApprovalMode.Value(s))
	if p.Modes != nil && mode != gate.ModeReadOnly && !slices.Contains(p.Modes, string(mode)) {
		t.Fatalf("the mode is %s under %q", mode, p.Modes)
	}
	allow := rules.Rules{}
	consent := gate.NewConsent(&gate.Policy{Allow: allow, AllowOutside: allow}, s)
	call := gate.Call{Name: "write_file", Traits: toolspec.Traits{Edits: true}}
	if p.Modes != nil && !slices.ContainsFunc(p.Modes, func(m string) bool { return gate.Mode(m).AllowsMoreThan(gate.ModeAsk) }) && !consent.WouldAsk(call) {
		t.Fatalf("an edit runs unasked under %q", p.Modes)
	}
	word := settings.Sandbox.Value(s)
	if (p.Sandbox != "" || p.Hosts != nil) && word == settings.SandboxOff || (p.Sandbox == Require || p.Sandbox == Strict) && word != settings.SandboxRequire {
		t.Fatalf("sandbox is %s under %s", word, p.Sandbox)
	}
	widened := settings.SandboxAllowWrite.Value(s) + settings.SandboxAllowRead.Value(s) + settings.SandboxAllowEnv.Value(s)
	if p.Sandbox == Strict && (widened != "" || p.CheckUnsandboxed() == nil) || (p.Sandbox == Strict || p.Hosts != nil) && settings.SandboxAllowNetwork.Value(s) {
		t.Fatalf("the sandbox is widened: %q", widened)
	}
	if warming := settings.CacheWarming.Value(s); p.CacheWarming == "off" && warming != "off" || p.CacheWarming == "working" && warming == "idle" {
		t.Fatalf("cache-warming is %s under %s", warming, p.CacheWarming)
	}
	if way := settings.WebSearch.Value(s); p.Hosts != nil && (way == websearch.Command || way == websearch.Provider) {
		t.Fatalf("web-search is %s under hosts %q", way, p.Hosts)
	}
}

// checkEndpoint checks the address of requests, with the stored API keys.
func checkEndpoint(t *rapid.T, p *Policy, s *settings.Settings) {
	kept := provider.Keys{Folder: "/nowhere", Allowed: p.CheckLogin}
	asked := map[string]bool{}
	endpoint, err := provider.New(provider.Config{
		Settings: s, Env: func(string) string { return "" }, Folder: "/nowhere", Allowed: p.CheckProvider,
		Stored: func(place string) (llm.Key, string) {
			asked[place] = true
			if kept.CheckKeyHost(place) != nil {
				return "", ""
			}
			return "kept-for-" + llm.Key(place), "here"
		},
	}).Endpoint()
	if err != nil {
		return
	}
	there := map[string]string{"https://api.anthropic.com/v1": "anthropic", "https://llm.corp.example/v1": "https://llm.corp.example/v1"}
	if entry := there[endpoint.BaseURL]; p.Providers != nil && endpoint.BaseURL != "" && !slices.Contains(p.Providers, entry) {
		t.Fatalf("requests go to %s under %q", endpoint.BaseURL, p.Providers)
	}
	if p.Logins != nil && endpoint.Key != "" && !slices.Contains(p.Logins, there[endpoint.BaseURL]) {
		t.Fatalf("a key is used for %s under %q", endpoint.BaseURL, p.Logins)
	}
	if len(asked) > 0 && p.Logins != nil && len(p.Logins) == 0 && endpoint.Key != "" {
		t.Fatal("a key is used although there are no logins")
	}
}

// checkServers checks servers as their files define them, after variables are expanded.
func checkServers(t *rapid.T, p *Policy) {
	host := rapid.SampledFrom([]string{"https://mcp.corp.example/", "https://mcp.corp.example.evil.example/", "https://evil.example/#https://mcp.corp.example/", "https://mcp.corp.example@evil.example/"}).Draw(t, "host")
	program := rapid.SampledFrom([]string{"/opt/bin/tickets", "/opt/bin/tickets x", "tickets", "/tmp/opt/bin/tickets", "bash"}).Draw(t, "program")
	lookup := func(name string) (string, bool) {
		return map[string]string{"HOST": host, "PROGRAM": program}[name], true
	}
	for _, s := range []servers.Server{
		{Transport: servers.HTTP, URL: "${HOST}x"}, {Transport: servers.HTTP, URL: host}, {Transport: servers.Stdio, Command: "${PROGRAM}", Args: []string{"-c", "x"}},
	} {
		with, err := s.Expand(servers.Environment{Lookup: lookup})
		if err != nil {
			t.Fatal(err)
		}
		if p.CheckServer(with.Words()...) != nil {
			continue
		}
		remote := strings.HasPrefix(with.URL, "https://mcp.corp.example/")
		switch {
		case p.Servers != nil && with.URL != "" && (!remote || !slices.Contains(p.Servers, "https://mcp.corp.example/*")),
			p.Servers != nil && with.URL == "" && (with.Command != "/opt/bin/tickets" || !slices.Contains(p.Servers, "/opt/bin/tickets *")),
			p.Hosts != nil && remote && !slices.Contains(p.Hosts, "corp.example"):
			t.Fatalf("%q is used under %q, hosts %q", with.Words(), p.Servers, p.Hosts)
		}
	}
}

// checkRules checks that rules of repositories and users do not remove rules of the policy.
func checkRules(t *rapid.T, p *Policy) {
	own := permissions.Parse(rapid.SampledFrom([]permissions.Effect{permissions.Ask, permissions.Deny}).Draw(t, "effect"),
		drawSome(t, "own rules", "Bash(git:*)", "Edit(//work/**)", "Read(//work/keys/**)"), "own", "/work", "/h")
	all := own.PrependRules(p.Rules("/work", "/h"))
	denies := func(rule *permissions.Rule) bool {
		return rule != nil && rule.Effect == permissions.Deny && rule.File == "P"
	}
	for text, rule := range map[string]*permissions.Rule{
		"Bash(git push:*)": all.CommandRule(cmdline.Read("cd /w && git push -f")), "Edit(//work/docs/**)": all.EditRule("/work/docs/a.md"),
		"Read(//work/keys/**)": all.ReadRule("/work/keys/a"), "mcp__tickets": all.ServerRule("mcp__tickets__close"), "WebFetch(domain:evil.example)": all.PageRule("www.evil.example"),
	} {
		if slices.Contains(p.Deny, text) && !denies(rule) {
			t.Fatalf("%s does not deny: %v", text, rule)
		}
	}
}
