package imports

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/secret"
)

// claudeProject plans the import of the servers that Claude Code uses only in this workspace.
func (p *planner) claudeProject(from string, members map[string]json.RawMessage) {
	var projects map[string]struct {
		Servers json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(members["projects"], &projects) != nil || !p.wants(KindServers) {
		return
	}
	here := p.where.Workspace
	for _, folder := range slices.Sorted(maps.Keys(projects)) {
		raw := projects[folder].Servers
		if raw != nil && fsutil.Within(folder, here) && fsutil.Within(here, folder) { // on Windows, different paths can name the same folder
			p.serversOf(origin{name: "claude"}, from, true, raw)
			return
		}
	}
}

// claudeSettings plans the import of Claude Code's settings, except servers.
func (p *planner) claudeSettings(from string, members map[string]json.RawMessage) {
	p.hooksOf(from, members)
	var permissions struct {
		Allow []string `json:"allow"`
	}
	if raw := members["permissions"]; raw != nil && json.Unmarshal(raw, &permissions) != nil {
		p.skip(KindRules, "permissions.allow", from, "it must be a list of strings")
	}
	for _, rule := range permissions.Allow {
		p.rule(from, rule)
	}
	p.narrowing(from)
	p.membersOf(from, claudeMembers, members, "hooks", "disableAllHooks", "permissions", p.keyHelper(from, members), p.variables(from, members))
	var rest map[string]json.RawMessage
	_ = json.Unmarshal(members["permissions"], &rest) // a wrong form was reported above
	p.otherMembers(from, "permissions.", rest, "allow", "deny", "ask", "defaultMode")
}

// rule adds a change that shows the equivalent of an allow rule of Claude Code.
func (p *planner) rule(from, rule string) {
	var ours []string
	if strings.HasPrefix(rule, "mcp__") {
		ours = []string{rule}
	} else if p.where.InOurWords != nil {
		ours = p.where.InOurWords(rule)
	}
	switch {
	case holdsSecret(rule):
		p.skip(KindRules, "a rule", from, "it contains a secret")
	case len(ours) == 0:
		p.skip(KindRules, rule, from, "already allowed, or unknown to agent")
	default:
		p.add(Change{Kind: KindRules, Name: rule, State: StateManual, From: from, To: "--allow '" + strings.Join(ours, "' --allow '") + "'", Rules: ours})
	}
}

// holdsSecret reports whether a line contains a key, or sets a variable with a name that is typical
// for keys.
func holdsSecret(line string) bool {
	return secret.Contains(line) || slices.ContainsFunc(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ('\":", r) }), func(word string) bool {
		name, value, assigned := strings.Cut(strings.TrimLeft(word, "-"), "=")
		return assigned && value != "" && secret.IsSecretName(name) || strings.EqualFold(word, "bearer")
	})
}
