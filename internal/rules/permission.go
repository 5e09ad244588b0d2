package rules

import (
	"strings"
)

// Permission is a user's permission for more than one call, as stored in the file. One of Rule,
// Edits, OutsideCommand, Served and Searches is set.
type Permission struct {
	// Rule allows calls like --allow: run_shell_command(go test *). If it applies to files,
	// Directory is ".".
	Rule string `json:"rule,omitempty"`
	// Edits names the files that may be edited: "*.go", or the path of one file.
	Edits string `json:"edits,omitempty"`
	// OutsideCommand is a command line that may run outside of the sandbox, in the folder Directory.
	OutsideCommand string `json:"outside,omitempty"`
	Directory      string `json:"directory,omitempty"`
	// Served is a tool of a server, SERVER/TOOL. The permission is for the tool with the definition
	// Definition.
	Served     string `json:"served,omitempty"`
	Definition string `json:"definition,omitempty"`
	// Searches is a search service that may be used to search the web. It is never stored
	// permanently.
	Searches string `json:"searches,omitempty"`
	// Unconfined is set if the commands of Rule may also run without a sandbox.
	Unconfined bool `json:"unconfined,omitempty"`
	// Since is the day of the approval, Used the day of the last use, and Count the number of uses.
	Since string `json:"since,omitempty"`
	Used  string `json:"used,omitempty"`
	Count int    `json:"count,omitempty"`
}

// SameAs reports whether two permissions allow the same calls.
func (p Permission) SameAs(same Permission) bool { return p.bare() == same.bare() }

// bare returns the permission without the data on its use.
func (p Permission) bare() Permission {
	p.Since, p.Used, p.Count = "", "", 0
	return p
}

// IsCommandRule reports whether the rule applies to commands.
func (r Rule) IsCommandRule() bool { return len(r.words) > 0 }

// IsBroad reports whether the rule allows more than one command or file.
func (r Rule) IsBroad() bool {
	return r.more || r.pattern == anything || len(r.words) == 0 && strings.ContainsAny(r.pattern, "*?[{")
}

// NotStorableReason returns the reason why a rule may not be stored permanently, "" if it may. A rule may
// be no broader than the permissions that an approval prompt offers with "always".
func (r Rule) NotStorableReason() string {
	switch {
	case r.pattern == anything || strings.Trim(r.pattern, "*/") == "":
		return "the rule allows every call"
	case len(r.words) == 0:
		return ""
	case deletes(r.words):
		return "the rule allows deleting files"
	case r.more && prefixLength(r.words) == 0:
		return "the rule allows more than one exact command"
	}
	return ""
}
