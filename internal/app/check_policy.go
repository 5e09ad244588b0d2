package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/app/hookgates"
	"agent/internal/base/arguments"
	"agent/internal/base/fsutil"
	"agent/internal/gate"
	"agent/internal/llm/vendor"
	"agent/internal/policy"
	"agent/internal/protect"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/tools"
)

// CheckPolicy returns the reason why the policy of the machine forbids something, or nil if it allows it.
// text is a call as TOOL(ARGUMENT), or KIND=VALUE with the kinds of policyKinds. For any other text the
// error is an InputError.
func (p *Process) CheckPolicy(text string) error {
	bounds, err := p.Policy()
	if err != nil {
		return err
	}
	if kind, value, is := strings.Cut(text, "="); is && policyKinds[kind] != nil {
		return policyKinds[kind](p, bounds, strings.TrimSpace(value))
	}
	name, argument, _ := strings.Cut(text, "(")
	argument, closed := strings.CutSuffix(strings.TrimSpace(argument), ")")
	if !closed {
		return InputError{fmt.Errorf("%q is not a call: use TOOL(ARGUMENT), such as run_shell_command(go test ./...), or mode=, sandbox=, host=, provider=, server= or login= and a value", text)}
	}
	return p.testCall(bounds, strings.TrimSpace(name), argument)
}

// policyKinds maps the kinds that can be tested, besides calls, to their tests.
var policyKinds = map[string]func(p *Process, bounds *policy.Policy, value string) error{
	"mode": func(p *Process, _ *policy.Policy, value string) error {
		return p.testSetting(settings.ApprovalMode.Key(), value)
	},
	"sandbox": func(p *Process, _ *policy.Policy, value string) error {
		return p.testSetting(settings.Sandbox.Key(), value)
	},
	"host": func(_ *Process, bounds *policy.Policy, value string) error { return bounds.CheckHost(value) },
	"server": func(_ *Process, bounds *policy.Policy, value string) error {
		return bounds.CheckServer(strings.Fields(value)...)
	},
	"provider": func(_ *Process, bounds *policy.Policy, value string) error {
		endpoint := provider.Endpoint{BaseURL: value}
		if known, found := vendor.Named(value); found {
			endpoint.BaseURL, endpoint.Provider = known.BaseURL, known.Name
		}
		return bounds.CheckProvider(endpoint)
	},
	"login": func(_ *Process, bounds *policy.Policy, value string) error { return bounds.CheckLoginName(value) },
}

// testSetting returns the reason why a setting cannot have a value, or nil.
func (p *Process) testSetting(key, value string) error {
	s, err := p.Settings(Sources{Isolated: true})
	if err != nil {
		return err
	}
	return s.Set(settings.LayerFlags, key, value)
}

// testCall returns the reason why a call of a tool is refused, or nil.
func (p *Process) testCall(bounds *policy.Policy, name, argument string) error {
	k := gate.Call{Name: name}
	if server, tool, served := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__"); served && strings.HasPrefix(name, "mcp__") {
		k.Preview.Served = &tools.ServerCall{Server: server, Tool: tool}
	} else if name == "mcp_call" || name == "mcp_read" {
		return InputError{fmt.Errorf("can't test %s itself: test the tool that it calls, mcp__SERVER__TOOL(), or mcp__SERVER__*() for resources", name)}
	} else if name != "mcp_find" {
		registry := knownTools(tools.Default(), true)
		if _, err := registry.Get(name); err != nil && name != tools.TaskName {
			return InputError{err}
		}
		k.Traits = registry.Traits(name)
	}
	switch {
	case k.Traits.Runs:
		k.Preview.Command = argument
	case k.Traits.Network && !k.Traits.Searches:
		encoded, _ := json.Marshal(map[string]string{"url": argument}) // encoding texts never fails
		k.Arguments = arguments.Parse(encoded)
	case argument != "" && len(k.Traits.File)+len(k.Traits.Files)+len(k.Traits.Patch) > 0: // it is a file
		k.Preview.Paths, k.Preview.Protected = []string{argument}, []protect.File{{Path: argument}}
	}
	if err := underPolicy(bounds, k); err != nil {
		return err
	}
	absolute := func(path string) string { return fsutil.ResolveLinks(fsutil.ResolveIn(p.Dir, path)) }
	if rule := hookgates.RuleFor(k, absolute, bounds.Rules(p.Dir, p.Home)); rule != nil {
		return errors.New("a rule of the policy denies it: " + rule.String())
	}
	return nil
}
