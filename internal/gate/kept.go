package gate

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/cmdline"
	"agent/internal/rules"
	"agent/internal/words"
)

// Keeper keeps permissions for good, for the project of the workspace.
type Keeper interface {
	// Kept returns the permissions of the project, oldest first.
	Kept() []rules.Kept
	// Keep adds permissions, Drop removes them, and Used counts a use of them. Permissions that
	// allow the same are one.
	Keep(add ...rules.Kept) error
	Drop(drop ...rules.Kept) error
	Used(used ...rules.Kept)
}

// Granted is a permission as it is listed.
type Granted struct {
	rules.Kept
	// Says describes exactly what it allows.
	Says string
	// Project is set when it is kept for the project, else it ends with the session.
	Project bool
}

// read returns permissions as grants. A rule that is not understood grants nothing.
func (c *Consent) read(all []rules.Kept) []grant {
	var grants []grant
	for _, k := range all {
		g := grant{Kept: k}
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

// project returns the grants that are kept for the project, as the file has them now: another
// session may have changed them.
func (c *Consent) project() []grant {
	if c.Keeper == nil {
		return nil
	}
	return c.read(c.Keeper.Kept())
}

// mayKeep reports whether the permission for a call may be kept for good. A program that confined
// commands may have written is never allowed for good to run outside of the sandbox.
func (c *Consent) mayKeep(k Call) bool {
	if c.Keeper == nil {
		return false
	}
	written := func(w cmdline.Word) bool { return w.Written }
	return !slices.ContainsFunc(k.Preview.Commands, func(parts cmdline.Command) bool { return slices.ContainsFunc(parts, written) })
}

// allow grants for the session, or for good. If it cannot be kept it holds for the session, and the
// verdict says so.
func (c *Consent) allow(offered []grant, keep bool) (notice string) {
	if keep {
		err := c.Keeper.Keep(kept(offered)...)
		if err == nil {
			return ""
		}
		notice = "allowed for this session only: " + err.Error()
	}
	c.mu.Lock()
	for _, g := range offered {
		if !slices.ContainsFunc(c.grants, func(has grant) bool { return has.Allows(g.Kept) }) {
			c.grants = append(c.grants, g)
		}
	}
	grants := kept(c.grants)
	c.mu.Unlock()
	c.changed(grants)
	return notice
}

// changed reports the grants of the session after a change.
func (c *Consent) changed(grants []rules.Kept) {
	if c.OnGrants != nil {
		c.OnGrants(grants)
	}
}

// Restore grants what a person allowed for the session before it was resumed, and returns how many
// grants there are.
func (c *Consent) Restore(recorded []rules.Kept) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grants = c.read(recorded)
	return len(c.grants)
}

// Grants returns what was allowed with "always": for the session, then for the project, each oldest
// first.
func (c *Consent) Grants() []Granted {
	c.mu.Lock()
	session := slices.Clone(c.grants)
	c.mu.Unlock()
	var all []Granted
	for _, g := range session {
		all = append(all, Granted{Kept: g.Kept, Says: g.says()})
	}
	for _, g := range c.project() {
		all = append(all, Granted{Kept: g.Kept, Says: g.says(), Project: true})
	}
	return all
}

// Forget takes back the grant with this number of the list, counted from 1, or all of them when it
// is 0. It returns what was forgotten. The error says that there is no such grant, or that it cannot
// be taken back.
func (c *Consent) Forget(number int) (forgotten []string, err error) {
	all := c.Grants()
	if number > len(all) || number < 0 {
		return nil, fmt.Errorf("there is no grant %d; /approval lists them", number)
	}
	if number > 0 {
		all = all[number-1 : number]
	}
	var session, project []rules.Kept
	for _, g := range all {
		forgotten = append(forgotten, g.Says)
		if g.Project {
			project = append(project, g.Kept)
		} else {
			session = append(session, g.Kept)
		}
	}
	c.mu.Lock()
	c.grants = slices.DeleteFunc(c.grants, func(g grant) bool { return slices.ContainsFunc(session, g.Allows) })
	left := kept(c.grants)
	c.mu.Unlock()
	if len(session) > 0 {
		c.changed(left)
	}
	if len(project) > 0 {
		return forgotten, c.Keeper.Drop(project...)
	}
	return forgotten, nil
}

// count counts the use of permissions that are kept for good, if a call needs them to run unasked.
func (c *Consent) count(k Call) {
	if c.Keeper == nil {
		return
	}
	c.mu.Lock()
	needed := !c.allowedWith(c.grants, k)
	c.mu.Unlock()
	if !needed {
		return
	}
	used := slices.DeleteFunc(c.project(), func(g grant) bool { return !g.takesPart(k) })
	if len(used) > 0 {
		c.Keeper.Used(kept(used)...)
	}
}

// manyTimes is how often a person agrees to calls of one form before the question says so.
const manyTimes = 3

// remember remembers that a person agreed to a call once, by what is offered for it.
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

// often says which calls a person agreed to that what is offered would have covered, "" if there
// were few.
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

// inShort names a call in a few words.
func inShort(k Call) string {
	switch {
	case k.Preview.Command != "":
		return words.Headline(k.Preview.Command)
	case len(k.Preview.Paths) > 0:
		return strings.Join(k.Preview.Paths, ", ")
	}
	return k.Preview.Title
}
