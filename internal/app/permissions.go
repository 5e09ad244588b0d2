package app

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"

	"agent/internal/gate"
	"agent/internal/protect"
	"agent/internal/setup/permissions"
	"agent/internal/setup/skills"
)

// findPermissions finds the rules by which people have narrowed what an agent may do.
// They hold in every mode; what is not understood is said loudly (setup.md 7).
func (c *Conversation) findPermissions() {
	c.permissions = permissions.Read(permissions.Where{Home: realPath(c.process.Home), Workspace: c.workspace.Root()})
	for _, problem := range c.permissions.Problems {
		c.Notices = append(c.Notices, "NOT PROTECTED: "+problem)
	}
	ignored := c.findIgnored()
	hidden, unbound := c.permissions.Hidden()
	for _, line := range unbound {
		c.Notices = append(c.Notices, "NOT PROTECTED: "+line)
	}
	c.hidden = hidden
	c.env.Protected.Denied = append(c.env.Protected.Denied, hidden...)
	c.env.Protected.Ruled = func(abs string, edit bool) string {
		rule := c.permissions.Reading(abs)
		if edit {
			rule = c.permissions.Editing(abs)
		}
		if rule == nil && edit {
			return ""
		}
		if rule == nil {
			return ignored(abs)
		}
		return rule.String()
	}
}

// permissionGate refuses what a rule denies, whatever else allows it, and asks where one
// says so.
func (c *Conversation) permissionGate() gate.Gate {
	return gate.Gate{Name: "permissions", Stage: gate.Denies, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		switch rule := c.against(k); {
		case rule == nil:
			return gate.Verdict{}
		case rule.Effect == permissions.Deny:
			return gate.Verdict{Refusal: "refused: " + rule.String() + "; do without it, or ask the user to change that rule"}
		default:
			return c.askedByRule(k, rule)
		}
	}}
}

// askedByRule asks about a command that a rule wants to be asked about. Files are asked
// about as protected ones are. What a person allowed by --allow is not asked about.
func (c *Conversation) askedByRule(k gate.Call, rule *permissions.Rule) gate.Verdict {
	if k.Preview.Command == "" || c.allowed.inside.Allow(k.Name, k.Preview.Commands, k.Preview.Paths) && len(k.Preview.Commands) > 0 {
		return gate.Verdict{}
	}
	if c.options.Unattended {
		return gate.Verdict{
			Refusal: "refused: " + rule.String() + ", and nobody is there to ask",
			Notice:  k.Said.Title() + " was refused: " + rule.String() + "; --allow '" + k.Name + "(…)' that names it allows it",
			End:     c.Chat.Consent().Denied(),
		}
	}
	return gate.Verdict{Ask: askAbout(k, rule.String())}
}

// askAbout is a question about a call that needs one for a reason of its own.
func askAbout(k gate.Call, why string) *gate.Question {
	preview := k.Preview
	preview.Title += " (" + why + ")"
	return &gate.Question{
		Approval: gate.Approval{Tool: k.Name, Traits: k.Traits, Preview: preview},
		Then: func(d gate.Decision) gate.Verdict {
			switch {
			case d.Allow:
				return gate.Verdict{}
			case d.Reason == "":
				return gate.Verdict{Refusal: "the user refused this call", End: gate.ErrDenied}
			}
			return gate.Verdict{Refusal: "the user refused this call: " + d.Reason}
		},
	}
}

// against returns the rule that a call is against, nil for none.
func (c *Conversation) against(k gate.Call) *permissions.Rule {
	var found *permissions.Rule
	worse := func(rule *permissions.Rule) {
		if rule != nil && (found == nil || rule.Effect == permissions.Deny) {
			found = rule
		}
	}
	for _, rules := range []permissions.Rules{c.permissions, c.narrowed()} {
		if k.Preview.Command != "" {
			worse(rules.Command(k.Preview.Command))
			worse(rules.Files(k.Preview.Command, c.absolute(k.Preview.Directory)))
		}
		if s := k.Preview.Served; s != nil {
			worse(rules.Server(s.HookName()))
		}
		if k.Traits.Reaches && !k.Traits.Runs && k.Preview.Served == nil {
			worse(rules.Page(host(k.Arguments)))
		}
		for _, file := range k.Preview.Protected {
			abs := c.absolute(file.Path)
			if k.Traits.Harmless() {
				worse(rules.Reading(abs))
			} else {
				worse(rules.Editing(abs))
			}
		}
		for _, file := range k.Preview.Paths {
			if k.Traits.Edits {
				worse(rules.Editing(c.absolute(file)))
			}
		}
	}
	return found
}

// disallow has the tools that a skill must not use refused until the end of the turn.
func (c *Conversation) disallow(s *skills.Skill) {
	if s == nil || len(s.Disallowed) == 0 {
		return
	}
	rules := permissions.Join(c.narrowed(), permissions.Parse(permissions.Deny, s.Disallowed, c.shortPath(s.File), c.workspace.Root(), c.process.Home))
	for _, problem := range rules.Problems {
		c.log.Warn(problem)
	}
	c.disallowed.Store(&rules)
}

// narrowed are the rules of the skills of this turn.
func (c *Conversation) narrowed() permissions.Rules {
	if rules := c.disallowed.Load(); rules != nil {
		return *rules
	}
	return permissions.Rules{}
}

// MayWrite reports whether the file of a path in the workspace would be written without a
// question.
func (c *Conversation) MayWrite(rel string) bool {
	care := c.env.Protected.Edit(c.absolute(rel), rel)
	switch {
	case c.Mode() == gate.ModeFullAuto:
		return care.Care != protect.Guarded
	case c.Mode() == gate.ModeReadOnly:
		return false
	case care.Care != protect.Free:
		return c.allowed.inside.Naming(care.Name).Allow("write_file", nil, []string{rel})
	}
	return c.Mode() == gate.ModeAutoEdit || c.allowed.inside.Allow("write_file", nil, []string{rel})
}

func (c *Conversation) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.workspace.Root(), path)
}

// host is that of the address that a call names.
func host(arguments json.RawMessage) string {
	var named struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(arguments, &named)
	address, err := url.Parse(named.URL)
	if err != nil {
		return ""
	}
	return address.Hostname()
}
