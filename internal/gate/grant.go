package gate

import (
	"path"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/rules"
	"agent/internal/tools"
)

// A grant is a user's permission for more than one call, valid until the user revokes it.
type grant struct {
	rules.Permission
	rule rules.Rule
}

// says returns an exact description of the calls that a grant allows.
func (g grant) says() string {
	switch {
	case g.Searches != "":
		return "searches of " + g.Searches
	case g.Served != "":
		return "calls of " + g.Served + ", with its present definition"
	case g.OutsideCommand != "" && g.Directory != "":
		return "outside the sandbox, only this command: " + humanize.Headline(g.OutsideCommand) + ", in " + g.Directory
	case g.OutsideCommand != "":
		return "outside the sandbox, only this command: " + humanize.Headline(g.OutsideCommand)
	case kindOfFiles(g.Edits):
		return "edits of " + g.Edits + " files"
	case g.Edits != "":
		return "edits of " + g.Edits
	}
	return g.rule.Describe()
}

// permits returns rights of a permanent grant that a user may not expect, "" for none.
func (g grant) permits() string {
	switch {
	case g.OutsideCommand != "":
		return "with all your rights"
	case g.Unconfined && g.rule.IsBroad():
		return "with any arguments, without the sandbox, with all your rights"
	case g.Unconfined:
		return "without the sandbox, with all your rights"
	case g.Rule != "" && g.rule.IsBroad():
		return "whatever follows"
	}
	return ""
}

// offer returns the grants that "always" would add, none if "always" is not offered.
func offer(k Call) []grant {
	var grants []grant
	preview := k.Preview
	switch {
	case len(preview.Protected) > 0:
		return nil // each use of a protected file needs separate approval
	case preview.Served != nil:
		if preview.Served.EachTime {
			return nil
		}
		return []grant{{Permission: rules.Permission{Served: preview.Served.String(), Definition: preview.Served.Definition}}}
	case preview.Service != "":
		return []grant{{Permission: rules.Permission{Searches: preview.Service}}}
	case preview.Outside != "":
		return []grant{{Permission: rules.Permission{OutsideCommand: preview.Command, Directory: preview.Directory}}}
	case rules.AnyDeletes(preview.Commands):
		return nil // a deletion cannot be undone, so each needs approval
	case k.Traits.Runs:
		for _, rule := range rules.AlwaysAllow(k.Name, preview.Commands) {
			grants = append(grants, grant{rules.Permission{Rule: rule.String(), Unconfined: !preview.Sandboxed}, rule})
		}
	case k.Traits.EditsOnly() && len(preview.Paths) == 1:
		file := preview.Paths[0]
		if extension := path.Ext(file); extension != "" && extension != path.Base(file) {
			return []grant{{Permission: rules.Permission{Edits: "*" + extension}}}
		}
		// Files without an extension have nothing in common, such as Makefile and Dockerfile.
		return []grant{{Permission: rules.Permission{Edits: file}}}
	}
	return grants
}

// kindOfFiles reports whether the files of a grant are all files with an extension.
func kindOfFiles(files string) bool {
	return len(files) > 2 && files[:2] == "*." && path.Base(files) == files
}

// holds reports whether the rule of a grant applies to a call. A rule that was allowed in the
// sandbox does not apply without a sandbox.
func (g grant) holds(k Call) bool {
	return g.Rule != "" && (g.Unconfined || k.Preview.Sandboxed || !k.Traits.Runs)
}

// leaves reports whether a grant allows the command of a call outside of the sandbox.
func (g grant) leaves(k Call) bool {
	return g.OutsideCommand != "" && g.OutsideCommand == k.Preview.Command && g.Directory == k.Preview.Directory
}

func (g grant) serves(s tools.ServerCall) bool {
	return g.Served == s.String() && g.Definition == s.Definition
}

func (g grant) edits(file string) bool {
	return g.Edits != "" && (g.Edits == file || kindOfFiles(g.Edits) && g.Edits == "*"+path.Ext(file))
}

func (g grant) takesPart(k Call) bool {
	switch {
	case k.Preview.Served != nil:
		return g.serves(*k.Preview.Served)
	case k.Preview.Outside != "":
		return g.leaves(k)
	case slices.ContainsFunc(k.Preview.Paths, g.edits):
		return true
	case !g.holds(k):
		return false
	}
	rule := rules.Rules{g.rule}
	return slices.ContainsFunc(k.Preview.Paths, func(file string) bool { return rule.Allows(k.Name, nil, []string{file}) }) ||
		slices.ContainsFunc(k.Preview.Commands, func(part cmdline.Command) bool { return rule.Allows(k.Name, []cmdline.Command{part}, nil) })
}

func editsGranted(grants []grant, paths []string) bool {
	for _, p := range paths {
		if !slices.ContainsFunc(grants, func(g grant) bool { return g.edits(p) }) {
			return false
		}
	}
	return len(paths) > 0
}

func saying(grants []grant) []string {
	var says []string
	for _, g := range grants {
		says = append(says, g.says())
	}
	return says
}

// permitted returns additional rights of grants, as a suffix for the descriptions of the grants.
func permitted(grants []grant) string {
	var says []string
	for _, g := range grants {
		if permits := g.permits(); permits != "" && !slices.Contains(says, permits) {
			says = append(says, permits)
		}
	}
	if len(says) == 0 {
		return ""
	}
	return " (" + strings.Join(says, "; ") + ")"
}

func kept(grants []grant) []rules.Permission {
	var all []rules.Permission
	for _, g := range grants {
		all = append(all, g.Permission)
	}
	return all
}

// GrantForTurn allows calls by rules until the next call of EndTurn, for a skill or command that the user
// has called. It does nothing for a subagent, because there the user has not called the skill.
func (c *Consent) GrantForTurn(lent rules.Rules) {
	if c.agent {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lent = append(c.lent, lent...)
}

// SetAgreedRules replaces the approved rules of the repository.
func (c *Consent) SetAgreedRules(agreed rules.Rules) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.standing = agreed
}

// EndTurn ends the effects that last for one user turn: lent rules, and a review.
func (c *Consent) EndTurn() {
	if c.agent {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lent, c.review = nil, false
}
