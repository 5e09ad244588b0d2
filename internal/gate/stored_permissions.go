package gate

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/rules"
)

// A PermissionStore stores permissions permanently, for the project of the workspace.
type PermissionStore interface {
	// Permissions returns the permissions of the project, oldest first.
	Permissions() []rules.Permission
	// Add adds permissions, Remove removes them, and CountUse increments their use counts. Two
	// permissions that allow the same calls are treated as one.
	Add(add ...rules.Permission) error
	Remove(drop ...rules.Permission) error
	CountUse(used ...rules.Permission)
	// Path returns the file with the permissions.
	Path() string
}

// GrantEntry is a permission in a list for the user.
type GrantEntry struct {
	rules.Permission
	// Says is an exact description of the calls that the permission allows.
	Says string
	// Project is set if the permission is stored for the project. Otherwise it ends with the
	// session.
	Project bool
}

// read returns permissions as grants. It omits rules that it cannot parse.
func (c *Consent) read(all []rules.Permission) []grant {
	var grants []grant
	for _, k := range all {
		g := grant{Permission: k}
		if k.Rule != "" {
			if c.ParseRule == nil {
				continue
			}
			rule, err := c.ParseRule(k.Rule)
			if err != nil {
				continue
			}
			g.rule = rule
		}
		grants = append(grants, g)
	}
	return grants
}

// project returns the grants of the project from the file, because another session may have changed
// them.
func (c *Consent) project() []grant {
	if c.Keeper == nil {
		return nil
	}
	return c.read(c.Keeper.Permissions())
}

// mayKeep reports whether the permission for a call may be stored permanently. A program that
// confined commands may have written never gets a permanent permission to run outside of the
// sandbox.
func (c *Consent) mayKeep(k Call) bool {
	if c.Keeper == nil || k.Preview.Service != "" {
		return false
	}
	written := func(w cmdline.Word) bool { return w.Written }
	return !slices.ContainsFunc(k.Preview.Commands, func(parts cmdline.Command) bool { return slices.ContainsFunc(parts, written) })
}

// allow adds grants for the session, or permanently. The notice names the stored grants and their file. If
// the grants cannot be stored, they apply for the session, and the notice contains the error.
func (c *Consent) allow(offered []grant, keep bool) (notice string) {
	if keep {
		err := c.Keeper.Add(kept(offered)...)
		if err == nil {
			return fmt.Sprintf("Allowed permanently in this project: %s. Stored in %s. To revoke it, type /approval", strings.Join(saying(offered), ", ")+permitted(offered), c.Keeper.Path())
		}
		notice = "allowed for this session only: " + err.Error()
	}
	c.mu.Lock()
	for _, g := range offered {
		if !slices.ContainsFunc(c.grants, func(has grant) bool { return has.SameAs(g.Permission) }) {
			c.grants = append(c.grants, g)
		}
	}
	grants := kept(c.grants)
	c.mu.Unlock()
	c.changed(grants)
	return notice
}

// changed reports the grants of the session to OnGrants.
func (c *Consent) changed(grants []rules.Permission) {
	if c.OnGrants != nil {
		c.OnGrants(grants)
	}
}

// Restore sets the grants that a user gave before the session was resumed, and returns their
// number.
func (c *Consent) Restore(recorded []rules.Permission) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grants = c.read(recorded)
	return len(c.grants)
}

// Grants returns the permissions that were given with "always": first those for the session, then
// those for the project, each oldest first.
func (c *Consent) Grants() []GrantEntry {
	c.mu.Lock()
	session := slices.Clone(c.grants)
	c.mu.Unlock()
	var all []GrantEntry
	for _, g := range session {
		all = append(all, GrantEntry{Permission: g.Permission, Says: g.says()})
	}
	for _, g := range c.project() {
		all = append(all, GrantEntry{Permission: g.Permission, Says: g.says(), Project: true})
	}
	return all
}

// Revoke removes the grant with this number of the list, counted from 1, or all grants if the
// number is 0. It returns descriptions of the removed grants. The error means that no such grant
// exists, or that it cannot be removed.
func (c *Consent) Revoke(number int) (forgotten []string, err error) {
	all := c.Grants()
	if number > len(all) || number < 0 {
		return nil, fmt.Errorf("unknown permission %d. To list your permissions, type /approval", number)
	}
	if number > 0 {
		all = all[number-1 : number]
	}
	var session, project []rules.Permission
	for _, g := range all {
		forgotten = append(forgotten, g.Says)
		if g.Project {
			project = append(project, g.Permission)
		} else {
			session = append(session, g.Permission)
		}
	}
	c.mu.Lock()
	c.grants = slices.DeleteFunc(c.grants, func(g grant) bool { return slices.ContainsFunc(session, g.SameAs) })
	left := kept(c.grants)
	c.mu.Unlock()
	if len(session) > 0 {
		c.changed(left)
	}
	if len(project) > 0 {
		return forgotten, c.Keeper.Remove(project...)
	}
	return forgotten, nil
}

// count records the use of permanent permissions if a call needs them to run without approval.
func (c *Consent) count(k Call) {
	if c.Keeper == nil {
		return
	}
	c.mu.Lock()
	needed := c.allowedWith(c.grants, k) == ungranted
	c.mu.Unlock()
	if !needed {
		return
	}
	used := slices.DeleteFunc(c.project(), func(g grant) bool { return !g.takesPart(k) })
	if len(used) > 0 {
		c.Keeper.CountUse(kept(used)...)
	}
}

// manyTimes is the number of approvals of calls of one form after which the prompt mentions them.
const manyTimes = 3

// remember records that a user approved a call once, under each offered grant.
func (c *Consent) remember(offered []grant, k Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.once == nil {
		c.once = map[string][]string{}
	}
	for _, g := range offered {
		c.once[g.says()] = append(c.once[g.says()], inShort(k))
	}
}

// often describes the approved calls that the offered grants would have covered, "" if they were
// few.
func (c *Consent) often(offered []grant) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(offered) == 0 {
		return ""
	}
	times := 0
	var covered []string
	for i, g := range offered {
		calls := c.once[g.says()]
		if i == 0 || len(calls) < times {
			times = len(calls)
		}
		for _, call := range calls {
			if !slices.Contains(covered, call) {
				covered = append(covered, call)
			}
		}
	}
	if times < manyTimes {
		return ""
	}
	const shown = 4
	text := strings.Join(covered[max(0, len(covered)-shown):], " · ")
	if more := len(covered) - shown; more > 0 {
		text = fmt.Sprintf("%d more · %s", more, text)
	}
	return fmt.Sprintf("asked %d times so far: %s", times, text)
}

func inShort(k Call) string {
	switch {
	case k.Preview.Command != "":
		return humanize.Headline(k.Preview.Command)
	case len(k.Preview.Paths) > 0:
		return strings.Join(k.Preview.Paths, ", ")
	}
	return k.Preview.Title
}
