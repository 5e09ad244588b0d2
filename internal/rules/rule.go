// Package rules implements a user's rules that allow calls in advance, written TOOL(PATTERN), such
// as run_shell_command(go test *) or write_file(docs/**).
//
// A rule can only allow calls. A call that no rule covers is not allowed. A command line is allowed
// if rules cover each of its parts that is not known to be read-only. If the parts of a command
// line are not known, only the rule * covers it.
package rules

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/cmdline"
)

// A Rule allows some calls of a tool without approval. The pattern * allows every call. Other
// patterns depend on the tool:
//
//   - For a shell tool the pattern is a command, parsed like the shell. It allows exactly
//     this command, or every command that begins with it if the pattern ends in the word *:
//     run_shell_command(go test *). A * elsewhere stands for any text, also for several
//     words: run_shell_command(touch build-*).
//   - For an edit tool it is a glob over paths relative to the workspace. A glob without a
//     slash matches the file's name in any folder: write_file(docs/**), replace(*.md).
//   - For tools of servers it is a glob over SERVER/TOOL. A pattern without a slash stands
//     for all tools of a server: mcp(github/get_*), mcp(github). Other agents write
//     mcp__github__get_*.
//   - For a search of the web it is a host: web_search(domain:docs.example.com). It allows
//     searches that are confined to this host, or to hosts below it.
type Rule struct {
	tool    string
	pattern string
	// words and more hold the command of a shell rule.
	words []string
	more  bool
	// star matches the words of a command, each after a NUL. It is set if the rule has a * in the
	// middle.
	star *regexp.Regexp
}

// anything is the pattern that allows every call of a tool.
const anything = "*"

// Rules is a list of rules that allows every call that one of its rules allows.
type Rules []Rule

// String returns the rule as it is written.
func (r Rule) String() string { return r.tool + "(" + r.pattern + ")" }

// A Subject is the meaning of the patterns for a tool.
type Subject int

// The subjects of patterns.
const (
	// SubjectNone: the only pattern is *.
	SubjectNone Subject = iota
	// SubjectCommands: patterns are commands.
	SubjectCommands
	// SubjectFiles: patterns are globs over the files that a call changes.
	SubjectFiles
	// SubjectServed: patterns are globs over SERVER/TOOL.
	SubjectServed
	// SubjectHosts: patterns are domain:HOST, for a host and all below it.
	SubjectHosts
)

// Parse parses a rule. subject returns the subject of the patterns for a tool, or an error if no
// such tool exists. The error describes the mistake in the rule.
func Parse(text string, subject func(tool string) (Subject, error)) (Rule, error) {
	name, pattern, _ := strings.Cut(ours(strings.TrimSpace(text)), "(")
	inner, closed := strings.CutSuffix(pattern, ")")
	if !closed || strings.TrimSpace(inner) == "" {
		return Rule{}, fmt.Errorf("rule %q: write it as TOOL(PATTERN), for example run_shell_command(go test *) or write_file(docs/**)", text)
	}
	rule := Rule{tool: strings.TrimSpace(name), pattern: strings.TrimSpace(inner)}
	about, err := subject(rule.tool)
	if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	if rule.pattern == anything {
		return rule, nil
	}
	switch about {
	case SubjectCommands:
		err = rule.readCommand()
	case SubjectFiles:
		err = rule.readPath()
	case SubjectServed:
		err = rule.readServed()
	case SubjectHosts:
		if name := strings.TrimPrefix(rule.pattern, domain); name == rule.pattern || name == "" || strings.ContainsAny(name, "*/: ") {
			err = errors.New("the pattern must be domain:HOST, such as domain:docs.example.com")
		}
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
	if strings.Contains(command, anything) && !strings.ContainsAny(command, `'"\`) {
		return r.readStars(command)
	}
	parsed, err := cmdline.Read(command).PlainCommands()
	if err != nil {
		return err
	}
	if len(parsed.Commands) != 1 {
		return errors.New("the pattern must be a single command; write one rule for each command")
	}
	for _, word := range parsed.Commands[0] {
		if word.Glob {
			return fmt.Errorf("%q: a pattern can't contain ?, or * together with quotes; write * as in %q", word.Text, "go test *")
		}
		r.words = append(r.words, word.Text)
	}
	return nil
}

// readStars parses a command in which a * stands for any text.
func (r *Rule) readStars(command string) error {
	if strings.ContainsAny(command, "$`;|&<>(){}[]?!~#\n") {
		return errors.New("a pattern with * can contain only plain words of one command")
	}
	var parts []string
	for word := range strings.FieldsSeq(command) {
		r.words = append(r.words, word)
		parts = append(parts, strings.ReplaceAll(regexp.QuoteMeta(word), `\*`, `.*`))
	}
	if strings.Contains(r.words[0], anything) {
		return errors.New("the pattern must name the program; * can stand only for arguments")
	}
	expression := strings.Join(parts, "\x00")
	if r.more {
		expression += "(\x00.*)?"
	}
	r.star = regexp.MustCompile("(?s)^" + expression + "$")
	return nil
}

func (r *Rule) readPath() error {
	if strings.HasPrefix(r.pattern, "//") || strings.HasPrefix(r.pattern, "~") {
		return errors.New("the pattern must be a path relative to the workspace")
	}
	r.pattern = strings.TrimPrefix(r.pattern, "./")
	if strings.HasSuffix(r.pattern, "/") {
		r.pattern += "**"
	}
	if !doublestar.ValidatePattern(r.pattern) {
		return errors.New("the pattern is not a valid glob")
	}
	if slices.Contains(strings.Split(r.pattern, "/"), "..") {
		return errors.New("the pattern must not contain \"..\"")
	}
	return nil
}

func (r *Rule) readServed() error {
	if !strings.Contains(r.pattern, "/") {
		r.pattern += "/*"
	}
	if !doublestar.ValidatePattern(r.pattern) || strings.Count(r.pattern, "/") != 1 {
		return errors.New("the pattern must be SERVER/TOOL, where * stands for any characters")
	}
	return nil
}

// ours rewrites a rule on a server's tools from the form of other coding agents into our form. It
// returns any other rule unchanged.
func ours(text string) string {
	rest, theirs := strings.CutPrefix(text, "mcp__")
	if !theirs {
		return text
	}
	rest = strings.TrimSuffix(strings.TrimSuffix(rest, "(*)"), "__")
	server, tool, named := strings.Cut(rest, "__")
	if !named {
		tool = anything
	}
	return "mcp(" + server + "/" + tool + ")"
}

// Allows reports whether the rules allow a call of tool. A rule must allow each command that the
// call would run and each file that it would change. If neither commands nor files are known, only
// * allows the call.
func (rules Rules) Allows(tool string, commands []cmdline.Command, files []string) bool {
	return rules.MatchingRules(tool, commands, files) != nil
}

// MatchingRules returns the rules with which Allows allows a call, nil if it does not.
func (rules Rules) MatchingRules(tool string, commands []cmdline.Command, files []string) (by Rules) {
	about := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return r.tool != tool })
	if i := slices.IndexFunc(about, func(r Rule) bool { return r.pattern == anything }); i >= 0 {
		return about[i : i+1]
	}
	takes := func(allows func(Rule) bool) bool {
		i := slices.IndexFunc(about, allows)
		if i >= 0 && !slices.ContainsFunc(by, func(r Rule) bool { return r.pattern == about[i].pattern }) {
			by = append(by, about[i])
		}
		return i >= 0
	}
	for _, command := range commands {
		if !takes(func(r Rule) bool { return r.allowsCommand(command) }) {
			return nil
		}
	}
	for _, file := range files {
		if !takes(func(r Rule) bool { return r.allowsFile(file) }) {
			return nil
		}
	}
	return by
}

// String returns the rules as they are written.
func (rules Rules) String() string {
	var all []string
	for _, r := range rules {
		all = append(all, r.String())
	}
	return strings.Join(all, ", ")
}

// RulesNaming returns the rules that contain a name literally: write_file(.vscode/**) contains .vscode,
// and write_file(**) does not. For a path, its first component is sufficient.
func (rules Rules) RulesNaming(name string) Rules {
	first, _, _ := strings.Cut(strings.Trim(strings.ToLower(name), "*"), "/")
	return slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool {
		return first == "" || !strings.Contains(strings.ToLower(r.pattern), first)
	})
}

func (r Rule) allowsCommand(command cmdline.Command) bool {
	if r.star != nil {
		return r.allowsByStar(command)
	}
	if len(r.words) == 0 || len(command) < len(r.words) || !r.more && len(command) > len(r.words) {
		return false
	}
	for i, word := range r.words {
		if command[i].Glob || command[i].Text != word {
			return false
		}
	}
	return !slices.ContainsFunc(command[len(r.words):], func(word cmdline.Word) bool { return word.Written })
}

func (r Rule) allowsByStar(command cmdline.Command) bool {
	var words []string
	for _, word := range command {
		if strings.Contains(word.Text, "\x00") || word.Written && !slices.Contains(r.words, word.Text) {
			return false
		}
		words = append(words, word.Text)
	}
	return r.star.MatchString(strings.Join(words, "\x00"))
}

// domain is the prefix of the pattern of a host.
const domain = "domain:"

// MatchingHostRules returns the rules that allow a call of tool that is confined to hosts, nil if none
// do. If there are no hosts, only * allows the call.
func (rules Rules) MatchingHostRules(tool string, hosts []string) (by Rules) {
	if by = rules.MatchingRules(tool, nil, nil); by != nil {
		return by
	}
	for _, host := range hosts {
		i := slices.IndexFunc(rules, func(r Rule) bool {
			name, is := strings.CutPrefix(strings.ToLower(r.pattern), domain)
			return is && r.tool == tool && (host == name || strings.HasSuffix(host, "."+name))
		})
		if i < 0 {
			return nil
		}
		by = append(by, rules[i])
	}
	return by
}

// MatchingServerRules returns the rules for tool that allow a call of a server's tool, prompt or
// resource, nil if none do.
func (rules Rules) MatchingServerRules(tool, served string) Rules {
	return rules.MatchingRules(tool, nil, []string{served})
}

func (r Rule) allowsFile(file string) bool {
	if len(r.words) > 0 {
		return false
	}
	if !strings.Contains(r.pattern, "/") {
		return doublestar.MatchUnvalidated(r.pattern, path.Base(file))
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(r.pattern, "/"), file)
}

// shellRule returns the rule that allows a command with exactly these words. If more is set, it
// also allows commands that begin with them.
func shellRule(tool string, words []string, more bool) Rule {
	pattern := cmdline.Join(words)
	if more {
		pattern += " " + anything
	}
	return Rule{tool: tool, pattern: pattern, words: words, more: more}
}
