package policy

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"agent/internal/gate"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/websearch"
)

// refuses returns the error for something that the policy does not allow. member is the member of
// the file that excludes it.
func (p *Policy) refuses(what, member string) error {
	return fmt.Errorf("the policy of this machine does not allow %s (%s in %s)", what, member, p.Path)
}

// NarrowSettings limits settings to the values that the policy allows, in every layer.
func (p *Policy) NarrowSettings(s *settings.Settings) {
	if p == nil {
		return
	}
	if p.Modes != nil {
		s.AddLimiter(settings.ApprovalMode.Key(), func(mode string) (string, error) { return p.mode(gate.Mode(mode)) })
	}
	keep := func(key, member, only string) {
		s.AddLimiter(key, func(value string) (string, error) {
			if value == only {
				return value, nil
			}
			return only, p.refuses(key+" "+value, member)
		})
	}
	sandbox := p.sandbox()
	switch sandbox {
	case Auto:
		s.AddLimiter(settings.Sandbox.Key(), func(value string) (string, error) {
			if value != settings.SandboxOff {
				return value, nil
			}
			return settings.SandboxAuto, p.refuses("sandbox off", "sandbox or hosts")
		})
	case Require, Strict:
		keep(settings.Sandbox.Key(), "sandbox", settings.SandboxRequire)
	}
	if sandbox == Strict {
		for _, widens := range []string{settings.SandboxAllowWrite.Key(), settings.SandboxAllowRead.Key(), settings.SandboxAllowEnv.Key()} {
			keep(widens, "sandbox", "")
		}
	}
	if sandbox == Strict || p.Hosts != nil {
		keep(settings.SandboxAllowNetwork.Key(), "sandbox or hosts", "false")
	}
	if widest := p.CacheWarming; widest != "" {
		s.AddLimiter(settings.CacheWarming.Key(), func(value string) (string, error) {
			if value == settings.CacheWarmingOff || value == widest {
				return value, nil
			}
			return widest, p.refuses("cache-warming "+value, "cache-warming")
		})
	}
	if p.Hosts != nil {
		s.AddLimiter(settings.WebSearch.Key(), func(way string) (string, error) {
			if way != websearch.Command && way != websearch.Provider {
				return way, nil
			}
			return websearch.Off, p.refuses("web-search "+way+", because it can reach any host", "hosts")
		})
	}
}

// sandbox returns the value for the sandbox. Hosts restricts commands only in a sandbox, so a
// policy with Hosts requires one.
func (p *Policy) sandbox() string {
	if p.Sandbox == "" && p.Hosts != nil {
		return Auto
	}
	return p.Sandbox
}

// mode returns the approval mode to use: wanted if the policy allows it. Otherwise it returns the
// widest allowed mode that is not wider than wanted, and at least read-only. The error then
// explains the change.
func (p *Policy) mode(wanted gate.Mode) (string, error) {
	if wanted == gate.ModeReadOnly || slices.Contains(p.Modes, string(wanted)) {
		return string(wanted), nil
	}
	best := gate.ModeReadOnly
	for _, name := range p.Modes {
		if m := gate.Mode(name); m.AllowsMoreThan(best) && !m.AllowsMoreThan(wanted) {
			best = m
		}
	}
	return string(best), p.refuses("the approval mode "+string(wanted), "modes")
}

// CheckTool returns an error if the policy does not allow a tool. The name of a server's tool is
// mcp__SERVER__TOOL.
func (p *Policy) CheckTool(name string) error {
	if p == nil || p.Tools == nil || slices.ContainsFunc(p.Tools, func(entry string) bool { return matches(entry, name) }) {
		return nil
	}
	return p.refuses("the tool "+name, "tools")
}

// CheckUnsandboxed returns an error if no command may run outside the sandbox.
func (p *Policy) CheckUnsandboxed() error {
	if p == nil || p.Sandbox != Strict {
		return nil
	}
	return p.refuses("commands outside of the sandbox", "sandbox")
}

// CheckHost returns an error if tools may not reach a host.
func (p *Policy) CheckHost(host string) error {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if p == nil || p.Hosts == nil || slices.ContainsFunc(p.Hosts, func(entry string) bool {
		entry = strings.ToLower(strings.TrimPrefix(entry, "*."))
		return host == entry || strings.HasSuffix(host, "."+entry)
	}) {
		return nil
	}
	return p.refuses("the host "+host, "hosts")
}

// CheckProvider returns an error if requests to an endpoint are not allowed. The name of a vendor allows
// the vendor's own address. The name of a cloud allows the accounts of that cloud.
func (p *Policy) CheckProvider(endpoint provider.Endpoint) error {
	if endpoint.Login != "" {
		if err := p.CheckLogin(endpoint.KeyHost()); err != nil {
			return err
		}
	}
	if p == nil || p.Providers == nil || endpoint.BaseURL == "" {
		return nil
	}
	owner := endpoint.Owner().Name
	for _, entry := range p.Providers {
		base, err := provider.NormalizeBaseURL(entry)
		if entry == owner || err == nil && base == endpoint.BaseURL {
			return nil
		}
	}
	return p.refuses("the endpoint "+endpoint.BaseURL, "providers")
}

// CheckServer returns an error if an MCP server is not allowed. line is its address, or its command with
// the arguments.
func (p *Policy) CheckServer(line ...string) error {
	if p == nil {
		return nil
	}
	if address, err := url.Parse(line[0]); len(line) == 1 && err == nil && address.Host != "" {
		if err := p.CheckHost(address.Hostname()); err != nil {
			return err
		}
	}
	if p.Servers == nil || slices.ContainsFunc(p.Servers, func(entry string) bool { return matchesLine(strings.Fields(entry), line) }) {
		return nil
	}
	return p.refuses("this server", "servers")
}

// matchesLine compares a command with an entry, word by word. A star as the last word matches all
// following words. A star at the end of the last word matches the rest of that word.
func matchesLine(entry, line []string) bool {
	for i, word := range entry {
		switch last := i == len(entry)-1; {
		case last && word == "*" && i > 0:
			return true
		case i >= len(line), last && len(line) > len(entry):
			return false
		case last && !matches(word, line[i]), !last && word != line[i]:
			return false
		}
	}
	return len(entry) > 0
}

// matches compares a name with an entry. A star at the end of the entry matches every rest that
// does not lead out of the folder before the star.
func matches(entry, name string) bool {
	prefix, any := strings.CutSuffix(entry, "*")
	rest, begins := strings.CutPrefix(name, prefix)
	return entry == name || any && begins && !climbs(rest)
}

// climbs reports whether a path or an address contains the element "..".
func climbs(rest string) bool {
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	return slices.Contains(strings.FieldsFunc(rest, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// CheckLogin returns an error if no key may be stored or used for an endpoint, which place identifies as
// provider.KeyHost does.
func (p *Policy) CheckLogin(place string) error {
	if p == nil || p.Logins == nil || slices.ContainsFunc(p.Logins, func(entry string) bool {
		allowed, err := placeOf(entry)
		return err == nil && allowed == place
	}) {
		return nil
	}
	return p.refuses("a login for "+place, "logins")
}

// CheckLoginName is like Login. Its argument is the name of a vendor, search:SERVICE or an address.
func (p *Policy) CheckLoginName(name string) error {
	place, err := placeOf(name)
	if err != nil {
		return err
	}
	return p.CheckLogin(place)
}

// placeOf returns the endpoint, in the form of provider.KeyHost, of a vendor, a search service or an
// address.
func placeOf(login string) (string, error) {
	if name, search := strings.CutPrefix(login, "search:"); search {
		if service, known := websearch.ServiceByName(name); known && service.Home != "" {
			return provider.KeyHost(service.Home), nil
		}
		return "", fmt.Errorf("unknown search service %q, or it needs no API key", name)
	}
	if known, found := vendor.Named(login); found && known.BaseURL != "" {
		return provider.KeyHost(known.BaseURL), nil
	}
	base, err := provider.NormalizeBaseURL(login)
	if err != nil {
		return "", fmt.Errorf("%q is not a provider, search:SERVICE or an address", login)
	}
	return provider.KeyHost(base), nil
}
