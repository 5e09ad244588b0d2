package app

import (
	"context"
	"errors"
	"fmt"

	"agent/internal/app/hookgates"
	"agent/internal/extend/setup/permissions"
	"agent/internal/gate"
	"agent/internal/policy"
	"agent/internal/provider"
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
