package tools

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"mvdan.cc/sh/v3/syntax"
)

// Rule allows some calls of a tool without asking. It is written TOOL(PATTERN).
// The pattern * allows every call; else
//
//   - for a shell tool it is a command, taken apart as the shell would, that a call
//     must be word for word, or start with when the pattern ends in the word *:
//     run_shell_command(go test *);
//   - for an edit tool it is a glob over paths relative to the workspace; without
//     a slash it is about the file's name in any folder: write_file(docs/**),
//     replace(*.md).
type Rule struct {
	tool    string
	pattern string
	// words and more are the command of a shell rule.
	words []string
	more  bool
}

// anything is the pattern that allows every call of a tool.
const anything = "*"

// Rules allow what any of them allows.
type Rules []Rule

// String is the rule as it is written.
func (r Rule) String() string { return r.tool + "(" + r.pattern + ")" }

// ParseRule reads a rule. The error says what is wrong with it.
func ParseRule(text string, registry *Registry) (Rule, error) {
	name, pattern, ok := strings.Cut(strings.TrimSpace(text), "(")
	inner, closed := strings.CutSuffix(pattern, ")")
	if !ok || !closed || strings.TrimSpace(inner) == "" {
		return Rule{}, fmt.Errorf("rule %q: want TOOL(PATTERN), for example run_shell_command(go test *) or write_file(docs/**)", text)
	}
	tool, err := registry.Get(strings.TrimSpace(name))
	if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	rule := Rule{tool: tool.Name, pattern: strings.TrimSpace(inner)}
	if rule.pattern == anything {
		return rule, nil
	}
	switch tool.Kind {
	case KindShell:
		err = rule.readCommand()
	case KindEdit:
		err = rule.readPath()
	default:
		err = errors.New("the only pattern for this tool is *")
	}
	if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	return rule, nil
}

func (r *Rule) readCommand() error {
	command := r.pattern
	command, r.more = strings.CutSuffix(command, " "+anything)
	parsed, err := ParseCommand(command)
	if err != nil {
		return err
	}
	if len(parsed.Simple) != 1 {
		return errors.New("it must be a single command; give one rule for each")
	}
	for _, word := range parsed.Simple[0] {
		if word.Glob {
			return fmt.Errorf("%q: * stands for whole words and only at the end, as in %q", word.Text, "go test *")
		}
		r.words = append(r.words, word.Text)
	}
	return nil
}

func (r *Rule) readPath() error {
	if strings.HasSuffix(r.pattern, "/") {
		r.pattern += "**"
	}
	if !doublestar.ValidatePattern(r.pattern) {
		return errors.New("the pattern is malformed")
	}
	if slices.Contains(strings.Split(r.pattern, "/"), "..") {
		return errors.New("the pattern leads out of the workspace")
	}
	return nil
}

// Allow reports whether the rules allow a call, of which tool previewed preview:
// every part of a command, and every file of an edit, must be allowed by some
// rule.
func (rules Rules) Allow(tool string, preview Preview) bool {
	mine := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return r.tool != tool })
	if slices.ContainsFunc(mine, func(r Rule) bool { return r.pattern == anything }) {
		return true
	}
	for _, part := range preview.Commands {
		if !slices.ContainsFunc(mine, func(r Rule) bool { return r.allowsCommand(part) }) {
			return false
		}
	}
	for _, file := range preview.Paths {
		if !slices.ContainsFunc(mine, func(r Rule) bool { return r.allowsPath(file) }) {
			return false
		}
	}
	return len(preview.Commands)+len(preview.Paths) > 0
}

func (r Rule) allowsCommand(command SimpleCommand) bool {
	if len(r.words) == 0 || len(command) < len(r.words) || !r.more && len(command) > len(r.words) {
		return false
	}
	for i, word := range r.words {
		if command[i].Glob || command[i].Text != word {
			return false
		}
	}
	return true
}

func (r Rule) allowsPath(file string) bool {
	if len(r.words) > 0 {
		return false
	}
	if !strings.Contains(r.pattern, "/") {
		return doublestar.MatchUnvalidated(r.pattern, path.Base(file))
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(r.pattern, "/"), file)
}

// shellRule makes the rule that allows a command of these words, and any that
// begin with them when more is set.
func shellRule(tool string, words []string, more bool) Rule {
	quoted := make([]string, len(words), len(words)+1)
	for i, word := range words {
		quoted[i] = quoteWord(word)
	}
	if more {
		quoted = append(quoted, anything)
	}
	return Rule{tool: tool, pattern: strings.Join(quoted, " "), words: words, more: more}
}

// quoteWord writes a word so that ParseCommand reads it back.
func quoteWord(word string) string {
	quoted, err := syntax.Quote(word, syntax.LangBash)
	if err != nil || strings.HasPrefix(quoted, "$") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return quoted
}
