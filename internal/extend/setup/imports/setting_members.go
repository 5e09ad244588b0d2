package imports

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// member is a setting of another coding agent with a single value.
type member struct {
	// path is the path of the value, with dots between the names of nested objects.
	path string
	// ours returns the equivalent of a value here, and a remark. Each is "" if there is none.
	ours func(value string) (to, remark string)
}

const notKept = "/set applies to one session. To keep the value, type /profile save NAME"

// setting returns a function that translates to a setting of ours with the same values.
func setting(key string) func(string) (string, string) {
	return func(value string) (string, string) { return "/set " + key + " " + value, notKept }
}

// lookup returns a function that translates values by the table ours. For a value that is not in
// the table, it returns remark.
func lookup(ours map[string]string, remark string) func(string) (string, string) {
	return func(value string) (string, string) {
		if to := ours[value]; to != "" {
			return to, ""
		}
		return "", remark
	}
}

// model translates the name of a model. It has no equivalent for the short names of Claude Code.
func model(name string) (to, remark string) {
	if slices.Contains([]string{"opus", "sonnet", "haiku", "opusplan", "default", "sonnet[1m]"}, name) {
		return "/model", "the short name " + name + " is unknown; select a model of the current endpoint from the list"
	}
	return "/model " + name, "agent remembers the model for the current endpoint"
}

// providerModel translates a name of the form provider/model.
func providerModel(name string) (to, remark string) {
	provider, rest, ok := strings.Cut(name, "/")
	if !ok {
		return model(name)
	}
	return "agent --provider " + provider + " -m " + rest, "to store its API key, run: agent login " + provider
}

// noSuchMode is the remark for approval modes that do not exist here.
const noSuchMode = "agent has no such mode. To list the modes, type /approval"

var claudeMembers = []member{
	{"model", model},
	{"effortLevel", setting("reasoning.effort")},
	{"permissions.defaultMode", lookup(map[string]string{
		"default": "/approval ask", "acceptEdits": "/approval auto-edit", "plan": "/approval plan", "bypassPermissions": "/approval full-auto",
	}, noSuchMode)},
	{"outputStyle", setting("output-style")},
	{"statusLine.command", setting("status-line.command")},
}

var codexMembers = []member{
	{"model", model},
	{"model_reasoning_effort", setting("reasoning.effort")},
	{"approval_policy", lookup(map[string]string{"untrusted": "/approval ask", "never": "/approval full-auto"}, noSuchMode)},
	{"sandbox_mode", lookup(map[string]string{
		"read-only": "/approval read-only", "danger-full-access": "/set sandbox off",
	}, "sandboxed commands can write to the workspace already")},
}

var geminiMembers = []member{{"model", model}, {"model.name", model}}

var opencodeMembers = []member{{"model", providerModel}}

// membersOf adds a change with the equivalent for each known setting of a file. It lists all other
// settings in one line, except the names in done.
func (p *planner) membersOf(from string, known []member, members map[string]json.RawMessage, done ...string) {
	done = append(done, "$schema")
	for _, m := range known {
		name, _, _ := strings.Cut(m.path, ".")
		value, ok := valueAt(members, m.path)
		if !ok {
			continue
		}
		done = append(done, name)
		switch to, remark := m.ours(value); {
		case holdsSecret(value):
			p.skip(KindSettings, m.path, from, "it contains a secret")
		case to == "":
			p.skip(KindSettings, m.path+" "+value, from, remark)
		default:
			c := Change{Kind: KindSettings, Name: m.path, State: StateManual, From: from, To: to}
			if remark != "" {
				c.Lost = []string{remark}
			}
			p.add(c)
		}
	}
	p.otherMembers(from, "", members, done...)
}

// otherMembers lists in one line the members of an object that are not in done.
func (p *planner) otherMembers(from, prefix string, members map[string]json.RawMessage, done ...string) {
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(done, name) {
			rest = append(rest, prefix+name)
		}
	}
	if len(rest) > 0 {
		p.add(Change{Kind: KindSettings, State: StateSkipped, From: from, Count: len(rest), Lost: []string{strings.Join(rest, ", ") + ": no equivalent setting. To list the settings, type /settings"}})
	}
}

// valueAt returns the text, number or boolean at a path as text.
func valueAt(members map[string]json.RawMessage, path string) (value string, ok bool) {
	name, rest, deeper := strings.Cut(path, ".")
	if deeper {
		var inner map[string]json.RawMessage
		if json.Unmarshal(members[name], &inner) != nil {
			return "", false
		}
		return valueAt(inner, rest)
	}
	var found any
	if json.Unmarshal(members[name], &found) != nil {
		return "", false
	}
	switch found := found.(type) {
	case string:
		return found, found != ""
	case bool, float64:
		return string(members[name]), true
	}
	return "", false
}

// variables lists the environment variables that a file sets. It shows no values, because they may
// be keys. It returns the name of the member, "env", or "" if there are no variables.
func (p *planner) variables(from string, members map[string]json.RawMessage) (done string) {
	var set map[string]any
	if json.Unmarshal(members["env"], &set) != nil || len(set) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(set))
	p.skip(KindSettings, "env", from, strings.Join(names, ", ")+": set them in your shell; commands and servers inherit them")
	return "env"
}

// profiles shows the commands that create the profiles of codex here. It returns the name of their
// member, "profiles", or "" if there are none.
func (p *planner) profiles(from string, members map[string]json.RawMessage) (done string) {
	var profiles map[string]map[string]json.RawMessage
	if json.Unmarshal(members["profiles"], &profiles) != nil || len(profiles) == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		to := "agent profile save " + name
		var rest []string
		for _, member := range slices.Sorted(maps.Keys(profiles[name])) {
			value, ok := valueAt(profiles[name], member)
			switch {
			case ok && !holdsSecret(value) && member == "model":
				to += " -m " + value
			case ok && !holdsSecret(value) && member == "model_reasoning_effort":
				to += " --set reasoning.effort=" + value
			default:
				rest = append(rest, member)
			}
		}
		c := Change{Kind: KindProfiles, Name: name, State: StateManual, From: from, To: to}
		if len(rest) > 0 {
			c.Lost = []string{"without " + strings.Join(rest, ", ")}
		}
		p.add(c)
	}
	return "profiles"
}
