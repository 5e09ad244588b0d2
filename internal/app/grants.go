package app

import (
	"strings"

	"agent/internal/rules"
	"agent/internal/setup"
	"agent/internal/tools/decode"
)

// lend allows, until the end of the turn, what a skill or command asks for, if it is the
// person's own or they have agreed to it (setup.md 3).
func (c *Conversation) lend(e setup.Entry) {
	c.disallow(e.Skill)
	allowed := []string(nil)
	if e.Skill != nil {
		allowed = e.Skill.Allowed
	} else {
		allowed = e.Command.Allowed
	}
	if item, needs := grantsItem(e); needs && c.trust.Store.May(item) != nil {
		return
	}
	if lent := c.inOurRules(allowed); len(lent) > 0 {
		c.Chat.Consent().Lend(lent)
	}
}

// inOurRules are rules of Claude Code as those of this program, as far as they mean
// something here.
func (c *Conversation) inOurRules(texts []string) rules.Rules {
	var ours rules.Rules
	for _, text := range texts {
		for _, said := range InOurWords(text) {
			if rule, err := c.registry.ParseRule(said); err == nil {
				ours = append(ours, rule)
			}
		}
	}
	return ours
}

// InOurWords is a rule of Claude Code as rules of this program; none for what is allowed
// anyway and for what is not known.
func InOurWords(text string) []string {
	name, pattern, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), ")"), "(")
	if strings.HasPrefix(name, "mcp__") {
		return []string{name} // rules take that form
	}
	if pattern == "" {
		pattern = "*"
	}
	switch name {
	case "Bash":
		if begin, prefix := strings.CutSuffix(pattern, ":*"); prefix {
			pattern = begin + " *"
		}
	case "MultiEdit":
		name = "Edit"
	case "Edit", "Write":
	default:
		return nil
	}
	var all []string
	for _, ours := range decode.Ours(name) {
		all = append(all, ours+"("+pattern+")")
	}
	return all
}
