package rules

import (
	"slices"
	"strings"
)

// Kept is a permission that a person has given for more than one call, as it is written to a file.
// One of Rule, Edits, Outside and Served is set.
type Kept struct {
	// Rule allows calls as --allow does: run_shell_command(go test *). If it is about files,
	// Directory is ".".
	Rule string `json:"rule,omitempty"`
	// Edits are the files that may be edited: "*.go", or the path of one file.
	Edits string `json:"edits,omitempty"`
	// Outside is a command line that may run outside of the sandbox, in the folder Directory.
	Outside   string `json:"outside,omitempty"`
	Directory string `json:"directory,omitempty"`
	// Served is a tool of a server, SERVER/TOOL, that may be called as Definition describes it.
	Served     string `json:"served,omitempty"`
	Definition string `json:"definition,omitempty"`
	// Unconfined is set when commands of Rule may also run without a sandbox.
	Unconfined bool `json:"unconfined,omitempty"`
	// Since and Used are the days on which it was given and last used, Count how often it was used.
	Since string `json:"since,omitempty"`
	Used  string `json:"used,omitempty"`
	Count int    `json:"count,omitempty"`
}

// Allows reports whether two permissions allow the same.
func (k Kept) Allows(same Kept) bool { return k.bare() == same.bare() }

// bare returns the permission without the record of its use.
func (k Kept) bare() Kept {
	k.Since, k.Used, k.Count = "", "", 0
	return k
}

// About returns the permissions of some that allow the same as one of others.
func About(some, others []Kept) []Kept {
	return slices.DeleteFunc(slices.Clone(some), func(k Kept) bool { return !slices.ContainsFunc(others, k.Allows) })
}

// Commands reports whether the rule is about commands.
func (r Rule) Commands() bool { return len(r.words) > 0 }

// Open reports whether the rule allows more than one command or file.
func (r Rule) Open() bool {
	return r.more || r.pattern == anything || len(r.words) == 0 && strings.ContainsAny(r.pattern, "*?[{")
}

// Keepable returns why a rule is not kept for good, "" if it may be: a rule is no wider than what
// a question offers with "always".
func (r Rule) Keepable() string {
	switch {
	case r.pattern == anything || strings.Trim(r.pattern, "*/") == "":
		return "it allows every call"
	case len(r.words) == 0:
		return ""
	case deletes(r.words):
		return "it deletes"
	case r.more && prefixLength(r.words) == 0:
		return "it allows more than the very command"
	}
	return ""
}
