package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/app/hookgates"
	"agent/internal/base/arguments"
	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/permissions"
	"agent/internal/gate"
	"agent/internal/llm/vendor"
	"agent/internal/policy"
	"agent/internal/protect"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/tools"
)

// Policy returns the policy of the machine, or nil if there is none. It returns an InputError if the file
// is invalid, or if anybody may have written it. Then no start is possible.
func (p *Process) Policy() (*policy.Policy, error) {
	p.policed.Do(func() {
		if p.policy, p.policyErr = p.PolicyFile.Load(); p.policyErr != nil {
			p.policyErr = InputError{p.policyErr}
			p.policy = policy.DenyAll(p.PolicyFile.Path)
		}
	})
	return p.policy, p.policyErr
}

// underPolicy returns the policy of the machine. If its file is invalid, it returns a policy that allows
// nothing.
func (p *Process) underPolicy() *policy.Policy {
	bounds, _ := p.Policy() // the start of the program has returned the error
	return bounds
}

// Keys returns the store of the user's API keys. It finds no keys for endpoints that the policy excludes.
func (p *Process) Keys(f Folders) provider.Keys {
	keys := provider.SystemKeys(f.Config, p.Env)
	keys.Allowed = p.underPolicy().CheckLogin
	return keys
}

// policyGate returns the gate that refuses calls which the policy of the machine does not allow. The
// permissions gate applies the rules of the policy.
func policyGate(bounds *policy.Policy) gate.Gate {
	return gate.Gate{Name: "policy", Stage: gate.StageDeny, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		if err := underPolicy(bounds, k); err != nil {
			return gate.Verdict{Refusal: "refused: " + err.Error() + "; do without it"}
		}
		return gate.Verdict{}
	}}
}

// underPolicy returns an error if a policy does not allow a call.
func underPolicy(bounds *policy.Policy, k gate.Call) error {
	name := k.Name
	if k.Preview.Served != nil {
		name = k.Preview.Served.HookName()
	}
	if err := bounds.CheckTool(name); err != nil {
		return err
	}
	switch {
	case k.Preview.Outside != "":
		return bounds.CheckUnsandboxed()
	case k.Traits.OnlyUsesNetwork() && !k.Traits.Searches && k.Preview.Served == nil:
		return bounds.CheckHost(hookgates.PageHost(k))
	}
	return nil
}

// mayReach returns a function that returns an error if the pages of a host are forbidden. The policy can
// forbid them, or a rule of the user, of the repository or of a skill of this turn.
func mayReach(bounds *policy.Policy, rules *hookgates.Rules) func(host string) error {
	return func(host string) error {
		if err := bounds.CheckHost(host); err != nil {
			return err
		}
		if rules.DeniesHost(host) {
			return fmt.Errorf("a rule of the user denies pages of %s", host)
		}
		return nil
	}
}

// mayName returns a function that returns an error if the user may not name a prompt or resource of a
// server. The policy or a deny rule can forbid it.
func mayName(bounds *policy.Policy, rules *hookgates.Rules) func(served tools.ServerCall) error {
	return func(served tools.ServerCall) error {
		if err := bounds.CheckTool(served.HookName()); err != nil {
			return err
		}
		if rule := rules.ServerRule(served.HookName()); rule != nil && rule.Effect == permissions.Deny {
			return errors.New("refused: " + rule.String())
		}
		return nil
	}
}

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
	case argument != "" && namesFiles(k.Traits):
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

// namesFiles reports whether the argument of a call in agent policy test is a file.
func namesFiles(t tools.Traits) bool { return len(t.File)+len(t.Files)+len(t.Patch) > 0 }
