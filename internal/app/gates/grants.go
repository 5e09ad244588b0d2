package gates

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/rules"
	"agent/internal/setup/consent"
	"agent/internal/setup/permissions"
	"agent/internal/tools/decode"
)

// InOurRules are rules of Claude Code as those of this program, without those that mean
// nothing here.
func (h *Host) InOurRules(texts []string) rules.Rules {
	var ours rules.Rules
	for _, text := range texts {
		for _, said := range InOurWords(text) {
			if rule, err := h.Registry.ParseRule(said); err == nil {
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

// Offered are the lists of rules of a repository, and lines about what it may not set.
func Offered(ruled permissions.Rules) (items []consent.Item, ignored []string) {
	ignored = slices.Clone(ruled.Ignored)
	for _, o := range ruled.Offered {
		var able, idle []string
		for _, text := range o.Rules {
			if len(InOurWords(text)) > 0 {
				able = append(able, text)
			} else {
				idle = append(idle, text)
			}
		}
		if len(able) == 0 {
			ignored = append(ignored, fmt.Sprintf("%s: permissions.allow has no effect here: %s", o.File, strings.Join(idle, ", ")))
			continue
		}
		item := consent.Item{Kind: consent.Allow, Name: "without asking", Fields: o.Rules, Says: strings.Join(able, ", "), File: o.File, Line: o.Line}
		if len(idle) > 0 {
			item.Says += " (no effect here: " + strings.Join(idle, ", ") + ")"
		}
		items = append(items, item)
	}
	return items, ignored
}
