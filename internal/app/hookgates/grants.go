package hookgates

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/permissions"
	"agent/internal/rules"
	"agent/internal/tools"
	"agent/internal/tools/decode"
)

// TranslateRules returns the rules about known tools that have the effect of the given rules of Claude
// Code. It omits rules without an effect here.
func TranslateRules(known *tools.Registry, texts []string) rules.Rules {
	var ours rules.Rules
	for _, text := range texts {
		for _, said := range TranslateRule(text) {
			if rule, err := known.ParseRule(said); err == nil {
				ours = append(ours, rule)
			}
		}
	}
	return ours
}

// GrantForTurn allows the calls that the given rules of Claude Code match, until the end of the turn.
func (h *Host) GrantForTurn(texts []string) {
	if lent := TranslateRules(h.Known, texts); len(lent) > 0 {
		h.Consent.GrantForTurn(lent)
	}
}

// TranslateRule returns the rules of this program, as texts, that have the effect of a rule of Claude Code.
// It returns none for calls that are allowed anyway, and for rules that are not understood.
func TranslateRule(text string) []string {
	all, _ := ourRules(text)
	return all
}

// NotUnderstoodPrefix begins the reason why a rule of another coding agent has no meaning here.
const NotUnderstoodPrefix = "not understood: "

// NoEffectReason returns the reason why a rule of Claude Code has no effect here, or "" if it has one.
func NoEffectReason(text string) string {
	_, why := ourRules(text)
	return why
}

// ourRules returns a rule of Claude Code as rules of this program, or the reason why there are
// none.
func ourRules(text string) (all []string, why string) {
	name, _, _ := strings.Cut(strings.TrimSpace(text), "(")
	name = strings.TrimSpace(name)
	served := strings.HasPrefix(name, "mcp__")
	switch {
	case served, name == "Bash", name == "Edit", name == "Write", name == "MultiEdit":
	case decode.ToolsByForeignName(name) != nil:
		return nil, "no effect here"
	default:
		return nil, "no effect here: unknown tool"
	}
	if all = translate(text); served {
		all = []string{strings.TrimSpace(text)} // rules for servers have the same form in both programs
	}
	for _, said := range all {
		if _, err := rules.Parse(said, func(string) (rules.Subject, error) {
			switch {
			case served:
				return rules.SubjectServed, nil
			case name == "Bash":
				return rules.SubjectCommands, nil
			}
			return rules.SubjectFiles, nil
		}); err != nil {
			return nil, NotUnderstoodPrefix + strings.TrimPrefix(err.Error(), fmt.Sprintf("rule %q: ", said))
		}
	}
	if len(all) == 0 {
		return nil, NotUnderstoodPrefix + "want " + name + "(PATTERN)"
	}
	return all, ""
}

// translate returns rules of this program for a rule that names a tool as another coding agent does. It
// does not check their patterns. It returns none if the name or the form is unknown.
func translate(text string) []string {
	name, pattern, has := strings.Cut(strings.TrimSpace(text), "(")
	pattern, closed := strings.CutSuffix(pattern, ")")
	name, pattern = strings.TrimSpace(name), strings.TrimSpace(pattern)
	switch {
	case has != closed || has && pattern == "":
		return nil
	case !has || pattern == ":*":
		pattern = "*"
	}
	if name == "MultiEdit" {
		name = "Edit"
	}
	patterns := []string{pattern}
	tools := decode.ToolsByForeignName(name)
	if slices.Contains(tools, "replace") { // a rule about edits applies to each tool that edits
		tools = append(slices.Clone(decode.ToolsByForeignName("Edit")), "write_file", "apply_patch")
	}
	switch {
	case slices.Contains(tools, "run_shell_command"):
		if begin, prefix := strings.CutSuffix(pattern, ":*"); prefix {
			patterns = []string{begin + " *"}
		}
	case !strings.ContainsAny(pattern, "*?[{"): // a folder without wildcards matches everything in it
		below := strings.TrimSuffix(pattern, "/") + "/**"
		if !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
			below = "**/" + below
		}
		patterns = append(patterns, below)
	}
	var all []string
	for _, ours := range tools {
		for _, pattern := range patterns {
			all = append(all, ours+"("+pattern+")")
		}
	}
	return all
}

// ParseAllowFlag parses a rule of the flag --allow, which may name a tool as other coding agents do.
func ParseAllowFlag(registry *tools.Registry, text string) (all rules.Rules, err error) {
	name, _, _ := strings.Cut(strings.TrimSpace(text), "(")
	texts := translate(text)
	if _, ours := registry.Get(strings.TrimSpace(name)); ours == nil || len(texts) == 0 {
		texts = []string{text}
	}
	for _, said := range texts {
		rule, failed := registry.ParseRule(said)
		var unknown *tools.UnknownToolError
		if errors.As(failed, &unknown) && len(texts) > 1 {
			continue // this conversation may lack some of the tools
		}
		if failed != nil {
			return nil, failed
		}
		all = append(all, rule)
	}
	return all, nil
}

// OfferedRuleItems returns the rules that a repository offers, as items for consent. ignored describes rules that a
// repository may not set, or that have no effect.
func OfferedRuleItems(ruled permissions.Rules) (items []consent.Item, ignored []string) {
	ignored = slices.Clone(ruled.Ignored)
	for _, o := range ruled.Offered {
		var able, idle []string
		for _, text := range o.Rules {
			if len(TranslateRule(text)) > 0 {
				able = append(able, text)
			} else {
				idle = append(idle, text)
			}
		}
		if len(able) == 0 {
			ignored = append(ignored, fmt.Sprintf("%s: permissions.allow has no effect: %s", o.File, strings.Join(idle, ", ")))
			continue
		}
		item := consent.Item{Kind: consent.KindAllow, Name: "without asking", File: o.File, Line: o.Line}
		for _, text := range o.Rules {
			item.Effects = append(item.Effects, manifest.Part{Name: manifest.Rule, Text: text, Note: NoEffectReason(text)})
		}
		items = append(items, item)
	}
	return items, ignored
}
