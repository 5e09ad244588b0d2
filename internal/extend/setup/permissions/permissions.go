// Package permissions reads the rules with which users restrict Claude Code, and finds the rule
// that a call violates. The rules refuse a call or require approval; they never allow one. The
// package reads files and runs nothing.
//
// Read returns the Rules of a workspace and its user. Before a call, the caller calls the method
// for the kind of call:
//
//	if rule := rules.Command(cmdline.Read("git push -f")); rule != nil {
//		return fmt.Errorf("not run: %s", rule)
//	}
//
// A Condition is a single rule of the same syntax. It selects the calls for which a hook runs.
package permissions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/cmdline"
	"agent/internal/extend/setup/trustedfile"
)

// Effect is the effect of a rule: to refuse calls or to require approval.
type Effect string

// The effects of rules, the stronger first.
const (
	Deny Effect = "deny"
	Ask  Effect = "ask"
)

// Rule is one rule of a file.
type Rule struct {
	// Text is the rule as written.
	Text string
	// File is the path of the file with the rule.
	File   string
	Effect Effect
	// doubtful is set if the text of a command does not show whether the rule matches.
	doubtful bool

	about subject
	// pattern is the text in the parentheses.
	pattern string
	// places match the files of the rule. A rule without places matches all files.
	places []place
	// below is the folder of a rule that names all its files as * or **, "" for other rules.
	below string
	// words matches the commands of the rule. nil matches all commands.
	words *commandPattern
	// host is the host of a rule about web pages, "" for all hosts.
	host string
	// tool is the name of a server or of a tool, or a name with a star at its end.
	tool string
}

// subject is the kind of calls that a rule restricts.
type subject int

const (
	nothing subject = iota
	reads
	edits
	commands
	pages
	searches
	tools
)

// subjects maps the tools of Claude Code to subjects. It does not contain MCP tools.
var subjects = map[string]subject{
	"Read": reads, "Grep": reads, "Glob": reads, "LS": reads,
	"Edit": edits, "Write": edits, "MultiEdit": edits, "NotebookEdit": edits,
	"Bash": commands, "WebFetch": pages, "WebSearch": searches,
}

// String describes the rule to a user.
func (r Rule) String() string {
	if r.doubtful {
		return fmt.Sprintf(`the rule "%s" in %s may match: the program that the command runs is unknown`, r.Text, r.File)
	}
	return fmt.Sprintf(`the rule "%s %s" in %s`, r.Effect, r.Text, r.File)
}

// Rules are the rules of a workspace and its user.
type Rules struct {
	all  []Rule
	home string
	// Offered lists the rules of a repository that would allow calls without approval. They have no
	// effect until the user approves them.
	Offered []Offer
	// Ignored has lines about settings in a repository that only a user may make.
	Ignored []string
	// Sources lists the files that were read.
	Sources []string
	// Problems describes invalid rules and unreadable files. They protect nothing, so the user must
	// see them.
	Problems []string
	// problems contains the Problems by file.
	problems map[string][]string
}

// Read reads the rules of a workspace and its user. In a project's file, relative paths are
// relative to the folder that contains .claude, and to the workspace. In the user's own file they
// are relative to the workspace, to the root of its repository and to the home folder.
func Read(w trustedfile.Locations) Rules {
	r := Rules{home: w.Home, problems: map[string][]string{}}
	above := trustedfile.FoldersAbove(w.Home, w.Workspace)
	own := bases{
		here:     distinct(w.Workspace, above[0], w.Home),
		settings: distinct(filepath.Join(w.Home, ".claude"), w.Home),
		home:     w.Home,
	}
	for _, dir := range above {
		for _, name := range []string{".claude/settings.json", ".claude/settings.local.json"} {
			if dir == w.Home {
				r.readOwn(filepath.Join(dir, name), own, w.Workspace)
				continue
			}
			r.file(trustedfile.ReadScope{Root: above[0]}, filepath.Join(dir, name), bases{distinct(dir, w.Workspace), []string{dir}, w.Home})
		}
	}
	if w.Home != "" && !slices.Contains(above, w.Home) {
		r.readOwn(filepath.Join(w.Home, ".claude/settings.json"), own, w.Workspace)
	}
	return r
}

func distinct(folders ...string) []string {
	var all []string
	for _, folder := range folders {
		if folder != "" && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

// readOwn reads a file of the user. It reports the rules that match nothing in the workspace
// because their paths are relative to the folder of the settings.
func (r *Rules) readOwn(file string, at bases, workspace string) {
	r.file(trustedfile.ReadScope{Home: at.home}, file, at)
	for _, rule := range r.all {
		here := func(p place) bool { return p.touches(workspace) }
		if rule.File == file && rule.places != nil && atSettings(rule.pattern) && !slices.ContainsFunc(rule.places, here) {
			r.problem(file, "%s matches nothing here: its path is relative to the folder of the settings file. For a path in the workspace, write .%s; for an absolute path, /%[2]s", rule, rule.pattern)
		}
	}
}

// InFile returns the number of valid rules in a file, and the problems in it.
func (r Rules) InFile(file string) (valid int, problems []string) {
	for _, rule := range r.all {
		if rule.File == file {
			valid++
		}
	}
	return valid, r.problems[file]
}

func (r *Rules) problem(file, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.Problems, r.problems[file] = append(r.Problems, text), append(r.problems[file], text)
}

func (r *Rules) file(from trustedfile.ReadScope, file string, at bases) {
	data, err := from.ReadSettings(file, trustedfile.MaxSettings)
	if data == nil && err == nil {
		return
	}
	var settings struct {
		Permissions struct {
			Deny []string `json:"deny"`
			Ask  []string `json:"ask"`
		} `json:"permissions"`
	}
	if err == nil {
		err = json.Unmarshal(data, &settings)
	}
	if err != nil {
		r.problem(file, "the rules in %s have no effect: %s", file, strings.TrimPrefix(err.Error(), file+": "))
		return
	}
	if from.Root != "" {
		r.offer(file, data)
	}
	r.Sources = append(r.Sources, file)
	r.add(Deny, settings.Permissions.Deny, file, at)
	r.add(Ask, settings.Permissions.Ask, file, at)
	// Rules that deny precede the others.
	slices.SortStableFunc(r.all, func(a, b Rule) int { return cmp.Compare(b.Effect, a.Effect) })
}

// add adds the rules of one effect in a file, and reports invalid rules.
func (r *Rules) add(effect Effect, texts []string, file string, at bases) {
	for _, text := range texts {
		rule, why := parse(strings.TrimSpace(text), at)
		rule.File, rule.Effect = file, effect
		if why == "" && effect == Ask && (rule.about == pages || rule.about == searches || rule.about == tools) {
			why = "ask rules work only for files and commands"
		}
		if why != "" {
			r.problem(file, `the rule "%s %s" in %s has no effect: %s`, effect, text, file, why)
			continue
		}
		if doubt := rule.doubt(); doubt != "" {
			r.problem(file, "%s matches only this exact text: %s", rule, doubt)
		}
		r.all = append(r.all, rule)
	}
}

// parse parses a rule in the syntax of Claude Code. why is the reason why it is invalid, or "".
func parse(text string, at bases) (rule Rule, why string) {
	name, pattern, has := strings.Cut(text, "(")
	if has {
		var closed bool
		if pattern, closed = strings.CutSuffix(pattern, ")"); !closed {
			return rule, "the parenthesis is not closed"
		}
		pattern = strings.TrimSpace(pattern)
	}
	rule.Text, rule.pattern = text, pattern
	all := slices.Contains([]string{"", "*", "**", ":*", "domain:*"}, pattern)
	switch rule.about = subjects[name]; {
	case rule.about == nothing && !strings.HasPrefix(name, "mcp__"):
		return rule, noTool(name)
	case rule.about == nothing:
		if rule.about, rule.tool = tools, name; !all {
			return rule, "arguments of MCP tools are not checked"
		}
	case all:
		if len(at.here) > 0 && pattern != "" {
			rule.below = at.here[0]
		}
	case rule.about == commands:
		rule.words = newCommandPattern(pattern)
	case rule.about == pages, rule.about == searches:
		host, domain := strings.CutPrefix(pattern, "domain:")
		if !domain {
			return rule, "only domain:HOST is supported in the parentheses"
		}
		rule.host = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(host)), "*.")
		if strings.ContainsAny(rule.host, "*/:@ ") {
			return rule, "the domain is not a host name"
		}
	default:
		rule.places, why = at.places(pattern)
	}
	return rule, why
}

// noTool returns the message for a tool name that rules do not support.
func noTool(name string) string {
	for known := range subjects {
		if strings.EqualFold(known, strings.TrimSpace(name)) {
			return "write the tool name as " + known
		}
	}
	return "unknown tool. Rules use the tool names of Claude Code"
}

// ReadRule returns the rule that reading a file violates, or nil. abs is the absolute path.
func (r Rules) ReadRule(abs string) *Rule { return r.about(reads, abs) }

// EditRule returns the rule that changing a file violates, or nil. A rule that denies reading a file
// also denies changing it.
func (r Rules) EditRule(abs string) *Rule {
	if rule := r.about(edits, abs); rule != nil {
		return rule
	}
	return r.about(reads, abs)
}

func (r Rules) about(about subject, abs string) *Rule {
	return r.first(about, func(rule Rule) bool { return rule.places == nil || rule.matches(abs) })
}

func (r Rule) matches(abs string) bool {
	return slices.ContainsFunc(r.places, func(p place) bool { return p.matches(abs) })
}

// first returns the first rule of a kind for which holds returns true, or nil.
func (r Rules) first(about subject, holds func(Rule) bool) *Rule {
	if i := slices.IndexFunc(r.all, func(rule Rule) bool { return rule.about == about && holds(rule) }); i >= 0 {
		return &r.all[i]
	}
	return nil
}

// CommandRule returns the rule that a command violates, or nil. It includes nested commands. If only
// the shell can determine a program or an argument that a rule may deny, Command returns the rule
// with the effect Ask.
func (r Rules) CommandRule(line *cmdline.CommandLine) *Rule {
	lines := line.NestedCalls()
	violated := r.first(commands, func(rule Rule) bool { return rule.words == nil || slices.ContainsFunc(lines, rule.words.matches) })
	if violated != nil {
		return violated
	}
	if may := r.first(commands, func(rule Rule) bool { return slices.ContainsFunc(lines, rule.words.may) }); may != nil {
		doubtful := *may
		doubtful.doubtful = true
		doubtful.Effect = Ask
		return &doubtful
	}
	return nil
}

// CommandFilesRule returns the rule that a command in the folder dir violates by the files that it names, or
// nil. A rule that denies precedes one that requires approval. A command can use files without
// naming them; the sandbox protects such files.
func (r Rules) CommandFilesRule(line *cmdline.CommandLine, dir string) *Rule {
	var asks *Rule
	for _, words := range fileWords(line) {
		change := changes(words[0])
		for _, word := range words[1:] {
			abs := resolveWord(dir, word)
			if len(word) > 1 && word[0] == '~' && os.IsPathSeparator(word[1]) {
				abs = filepath.Join(r.home, word[1:])
			}
			if real, err := filepath.EvalSymlinks(abs); err == nil {
				abs = real
			}
			rule := r.ReadRule(abs)
			if change {
				rule = r.EditRule(abs)
			}
			switch {
			case rule == nil || rule.places == nil:
			case rule.Effect == Deny:
				return rule
			case asks == nil:
				asks = rule
			}
		}
	}
	return asks
}

// PageRule returns the rule that fetching a web page of a host violates, or nil.
func (r Rules) PageRule(host string) *Rule {
	host = strings.ToLower(host)
	return r.first(pages, func(rule Rule) bool {
		return rule.host == "" || host == rule.host || strings.HasSuffix(host, "."+rule.host)
	})
}

// SearchRule returns the rule that a web search violates, or nil.
func (r Rules) SearchRule() *Rule {
	return r.first(searches, func(rule Rule) bool { return rule.host == "" })
}

// RuleAgainstHost returns the rule that forbids pages of a host in search results, or nil.
func (r Rules) RuleAgainstHost(host string) *Rule {
	for _, about := range []subject{searches, pages} {
		if rule := r.first(about, func(rule Rule) bool {
			return rule.host != "" && (host == rule.host || strings.HasSuffix(host, "."+rule.host))
		}); rule != nil {
			return rule
		}
	}
	return nil
}

// WebRule returns a rule that restricts web searches or the pages of some hosts, or nil.
func (r Rules) WebRule() *Rule {
	if rule := r.first(searches, func(Rule) bool { return true }); rule != nil {
		return rule
	}
	return r.first(pages, func(rule Rule) bool { return rule.host != "" })
}

// BlockedHosts returns the hosts, including their subdomains, that the rules deny for web searches
// or reading. all reports whether no other rule restricts searches.
func (r Rules) BlockedHosts() (hosts []string, all bool) {
	for _, rule := range r.all {
		switch {
		case rule.about != searches && (rule.about != pages || rule.host == ""):
		case rule.host == "" || rule.Effect != Deny:
			return nil, false
		case !slices.Contains(hosts, rule.host):
			hosts = append(hosts, rule.host)
		}
	}
	return hosts, true
}

// ServerRule returns the rule that a call of a server's tool violates, or nil. The name has the form of
// Claude Code: mcp__SERVER__TOOL.
func (r Rules) ServerRule(name string) *Rule {
	return r.first(tools, func(rule Rule) bool {
		prefix, any := strings.CutSuffix(rule.tool, "*")
		return rule.tool == name || strings.HasPrefix(name, rule.tool+"__") || any && strings.HasPrefix(name, prefix)
	})
}
