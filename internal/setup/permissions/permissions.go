// Package permissions reads the rules by which people restrict Claude Code, and finds the rule that
// a call violates. Its rules only refuse or ask. It reads files and runs nothing.
package permissions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/setup/source"
)

// Effect is the effect of a rule.
type Effect string

// The effects, the stronger first.
const (
	Deny Effect = "deny"
	Ask  Effect = "ask"
)

// Rule is one rule of a file.
type Rule struct {
	// Text is the rule as it is written.
	Text string
	// File is the file that has the rule.
	File   string
	Effect Effect

	about subject
	// pattern is the text in the parentheses.
	pattern string
	// places match files, none of them all files.
	places []place
	// words matches commands, nil all of them.
	words      matcher
	host, tool string
}

// subject is what a rule is about.
type subject int

const (
	nothing subject = iota
	reads
	edits
	commands
	pages
	tools
)

// subjects are the subjects of rules for the tools of Claude Code, without those of servers.
var subjects = map[string]subject{
	"Read": reads, "Grep": reads, "Glob": reads, "LS": reads,
	"Edit": edits, "Write": edits, "MultiEdit": edits, "NotebookEdit": edits,
	"Bash": commands, "WebFetch": pages, "WebSearch": pages,
}

// String describes the rule to a person.
func (r Rule) String() string { return fmt.Sprintf("%s %s of %s", r.Effect, r.Text, r.File) }

// Rules are the rules of a workspace and its user.
type Rules struct {
	all  []Rule
	home string
	// Offered are the lists of a repository by which calls would not be asked about. They have
	// no effect until a person agrees to them.
	Offered []Offer
	// Ignored has lines about settings of a repository that only a person may set.
	Ignored []string
	// Sources are the files that were read.
	Sources []string
	// Problems says which rules are not understood and which files cannot be read. They do not
	// protect anything, so the person must see this.
	Problems []string
}

// Read reads the rules of a workspace and its user. A path in them begins at the workspace, also in
// the user's own file, and at the folder of the project that has the file.
func Read(w source.Where) Rules {
	r := Rules{home: w.Home}
	above := source.Above(w.Home, w.Workspace)
	own := begin{
		here:     distinct(w.Workspace, above[0], w.Home),
		settings: distinct(filepath.Join(w.Home, ".claude"), w.Home),
		home:     w.Home,
	}
	for _, dir := range above {
		for _, name := range []string{".claude/settings.json", ".claude/settings.local.json"} {
			if dir == w.Home {
				r.own(filepath.Join(dir, name), own, w.Workspace)
				continue
			}
			r.file(source.Place{Root: above[0]}, filepath.Join(dir, name), begin{distinct(dir, w.Workspace), []string{dir}, w.Home})
		}
	}
	if w.Home != "" && !slices.Contains(above, w.Home) {
		r.own(filepath.Join(w.Home, ".claude/settings.json"), own, w.Workspace)
	}
	return r
}

// distinct returns the folders that are named, each once.
func distinct(folders ...string) []string {
	var all []string
	for _, folder := range folders {
		if folder != "" && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

// own reads a file of the user. It names the rules whose paths begin at the folder of the settings
// and so match nothing in the workspace.
func (r *Rules) own(file string, at begin, workspace string) {
	r.file(source.Place{Home: at.home}, file, at)
	for _, rule := range r.all {
		here := func(p place) bool { return p.touches(workspace) }
		if rule.File == file && rule.places != nil && atSettings(rule.pattern) && !slices.ContainsFunc(rule.places, here) {
			r.Problems = append(r.Problems, fmt.Sprintf("the rule %s matches nothing here: its path begins at the folder of the settings; .%s would begin at the workspace", rule, rule.pattern))
		}
	}
}

// In counts the rules of a file that hold.
func (r Rules) In(file string) int {
	n := 0
	for _, rule := range r.all {
		if rule.File == file {
			n++
		}
	}
	return n
}

// file reads the rules of a file.
func (r *Rules) file(from source.Place, file string, at begin) {
	data, err := from.Settings(file, source.MaxSettings)
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
		r.Problems = append(r.Problems, fmt.Sprintf("the rules of %s do not hold: %s", file, strings.TrimPrefix(err.Error(), file+": ")))
		return
	}
	if from.Root != "" {
		r.offer(file, data)
	}
	r.Sources = append(r.Sources, file)
	r.add(Deny, settings.Permissions.Deny, file, at)
	r.add(Ask, settings.Permissions.Ask, file, at)
	// Rules that deny come first.
	slices.SortStableFunc(r.all, func(a, b Rule) int { return cmp.Compare(b.Effect, a.Effect) })
}

// add adds the rules of one effect in a file.
func (r *Rules) add(effect Effect, texts []string, file string, at begin) {
	for _, text := range texts {
		rule, why := parse(strings.TrimSpace(text), at)
		rule.File, rule.Effect = file, effect
		if why == "" && effect == Ask && (rule.about == pages || rule.about == tools) {
			why = "only files and commands can be asked about by a rule"
		}
		if why != "" {
			r.Problems = append(r.Problems, fmt.Sprintf("the rule %s %s of %s does not hold: %s", effect, text, file, why))
			continue
		}
		r.all = append(r.all, rule)
	}
}

// parse reads a rule in the form of Claude Code. why says what is not understood.
func parse(text string, at begin) (rule Rule, why string) {
	name, pattern, has := strings.Cut(text, "(")
	if has {
		var closed bool
		if pattern, closed = strings.CutSuffix(pattern, ")"); !closed {
			return rule, "the parenthesis is not closed"
		}
		pattern = strings.TrimSpace(pattern)
	}
	rule.Text, rule.pattern = text, pattern
	all := pattern == "" || pattern == "*" || pattern == "**"
	switch rule.about = subjects[name]; {
	case rule.about == nothing && !strings.HasPrefix(name, "mcp__"):
		return rule, "there is no such tool here"
	case rule.about == nothing:
		if rule.about, rule.tool = tools, name; !all {
			return rule, "arguments of servers' tools are not looked at"
		}
	case all:
	case rule.about == commands:
		rule.words = commandPattern(pattern)
	case rule.about == pages:
		host, domain := strings.CutPrefix(pattern, "domain:")
		if !domain {
			return rule, "only domain: is understood in it"
		}
		rule.host = strings.ToLower(host)
	default:
		rule.places, why = at.places(pattern)
	}
	return rule, why
}

// Reading returns the rule that reading a file violates, nil for none. The path is absolute.
func (r Rules) Reading(abs string) *Rule { return r.about(reads, abs) }

// Editing returns the rule that changing a file violates, nil for none. A file that must not be read
// must not be changed either.
func (r Rules) Editing(abs string) *Rule {
	if rule := r.about(edits, abs); rule != nil {
		return rule
	}
	return r.about(reads, abs)
}

func (r Rules) about(about subject, abs string) *Rule {
	return r.first(about, func(rule Rule) bool { return rule.places == nil || rule.matches(abs) })
}

// matches reports whether the pattern of the rule matches a file.
func (r Rule) matches(abs string) bool {
	return slices.ContainsFunc(r.places, func(p place) bool { return p.matches(abs) })
}

// first returns the first rule about a subject for which holds reports true, nil for none.
func (r Rules) first(about subject, holds func(Rule) bool) *Rule {
	if i := slices.IndexFunc(r.all, func(rule Rule) bool { return rule.about == about && holds(rule) }); i >= 0 {
		return &r.all[i]
	}
	return nil
}

// Command returns the rule that a command line violates, nil for none. Commands within others count,
// too.
func (r Rules) Command(line string) *Rule {
	said := spoken(line, 0)
	return r.first(commands, func(rule Rule) bool { return rule.words == nil || slices.ContainsFunc(said, rule.words) })
}

// Files returns the rule that a command line, run in a folder, violates by the files that it names,
// nil for none. A command can hide the files that it uses; the sandbox protects those.
func (r Rules) Files(line, dir string) *Rule {
	for _, words := range spokenWords(line) {
		change := slices.Contains(changers, filepath.Base(words[0])) || words[0] == ">"
		for _, word := range words[1:] {
			abs := word
			if rest, home := strings.CutPrefix(word, "~/"); home {
				abs = filepath.Join(r.home, rest)
			}
			if !filepath.IsAbs(abs) {
				abs = filepath.Join(dir, abs)
			}
			if real, err := filepath.EvalSymlinks(abs); err == nil {
				abs = real
			}
			rule := r.Reading(abs)
			if change {
				rule = r.Editing(abs)
			}
			if rule != nil && rule.places != nil {
				return rule
			}
		}
	}
	return nil
}

// Page returns the rule that fetching a page of a host violates, nil for none.
func (r Rules) Page(host string) *Rule {
	host = strings.ToLower(host)
	return r.first(pages, func(rule Rule) bool {
		return rule.host == "" || host == rule.host || strings.HasSuffix(host, "."+rule.host)
	})
}

// Server returns the rule that a call of a server's tool violates, nil for none. The name has the
// form of Claude Code: mcp__SERVER__TOOL.
func (r Rules) Server(name string) *Rule {
	return r.first(tools, func(rule Rule) bool {
		prefix, any := strings.CutSuffix(rule.tool, "*")
		return rule.tool == name || strings.HasPrefix(name, rule.tool+"__") || any && strings.HasPrefix(name, prefix)
	})
}
