package app

import (
	"strings"

	"agent/internal/rules"
	"agent/internal/setup"
	"agent/internal/tools/decode"
)

// lend allows, until the end of the turn, what a skill or command of the person's own
// asks for. What others ask for needs consent and is not allowed (setup.md 3).
func (c *Conversation) lend(e setup.Entry) {
	var allowed []string
	switch {
	case e.Skill != nil && e.Skill.Own:
		allowed = e.Skill.Allowed
	case e.Command != nil && e.Command.Own:
		allowed = e.Command.Allowed
	}
	var lent rules.Rules
	for _, text := range allowed {
		for _, ours := range inOurWords(text) {
			if rule, err := c.registry.ParseRule(ours); err == nil {
				lent = append(lent, rule)
			}
		}
	}
	if len(lent) > 0 {
		c.Chat.Consent().Lend(lent)
	}
}

// inOurWords is a rule of Claude Code as rules of this program; none for what is allowed
// anyway and for what is not known.
func inOurWords(text string) []string {
	name, pattern, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), ")"), "(")
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
