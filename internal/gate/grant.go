package gate

import (
	"fmt"
	"path"
	"slices"

	"agent/internal/rules"
	"agent/internal/words"
)

// grant is something that a person has allowed for the rest of the session, until they take it back.
type grant struct {
	// says describes exactly what it allows.
	says string
	// rules allow commands.
	rules rules.Rules
	// files are the files that may be edited: "*.go", or the path of one file.
	files string
	// outside is a command line that may run outside of the sandbox, in the folder directory.
	outside, directory string
	// served is a tool of a server that may be called, with that definition.
	served, definition string
}

// offer returns what "always" would allow from now on, nothing if it is not offered.
func offer(k Call) []grant {
	var grants []grant
	preview := k.Preview
	switch {
	case len(preview.Protected) > 0:
		return nil // each call about those is asked about
	case preview.Served != nil:
		if preview.Served.EachTime {
			return nil
		}
		return []grant{{says: "calls of " + preview.Served.String() + ", as it is defined now", served: preview.Served.String(), definition: preview.Served.Definition}}
	case preview.Outside != "":
		says := "outside the sandbox, this very line: " + words.Headline(preview.Command)
		if preview.Directory != "" {
			says += ", in " + preview.Directory
		}
		return []grant{{says: says, outside: preview.Command, directory: preview.Directory}}
	case rules.Delete(preview.Commands):
		return nil // what is gone is gone: each is asked about
	case k.Traits.Runs:
		for _, rule := range rules.Always(k.Name, preview.Commands) {
			grants = append(grants, grant{says: rule.Allows(), rules: rules.Rules{rule}})
		}
	case k.Traits.EditsOnly() && len(preview.Paths) == 1:
		file := preview.Paths[0]
		if extension := path.Ext(file); extension != "" && extension != path.Base(file) {
			return []grant{{says: "edits of *" + extension + " files", files: "*" + extension}}
		}
		// Names without an ending say nothing of each other: Makefile, Dockerfile.
		return []grant{{says: "edits of " + file, files: file}}
	}
	return grants
}

// editsGranted reports whether edits of all these files were allowed. The lock is held.
func (c *Consent) editsGranted(paths []string) bool {
	for _, p := range paths {
		granted := func(g grant) bool { return g.files == p || g.files == "*"+path.Ext(p) && g.files != "*" }
		if !slices.ContainsFunc(c.grants, granted) {
			return false
		}
	}
	return len(paths) > 0
}

// Grants returns what was allowed with "always", oldest first.
func (c *Consent) Grants() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return saying(c.grants)
}

// Forget takes back the grant with this number of the list, counted from 1, or all of
// them when it is 0. It returns what was forgotten; the error says that there is no such
// grant.
func (c *Consent) Forget(number int) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number > len(c.grants) || number < 0 {
		return nil, fmt.Errorf("there is no grant %d; /approval lists them", number)
	}
	first, last := number-1, number
	if number == 0 {
		first, last = 0, len(c.grants)
	}
	forgotten := saying(c.grants[first:last])
	c.grants = slices.Delete(c.grants, first, last)
	return forgotten, nil
}

// saying returns the descriptions of grants.
func saying(grants []grant) []string {
	var says []string
	for _, g := range grants {
		says = append(says, g.says)
	}
	return says
}

// Lend allows calls by rules until TakeBack: the grants of a skill or command that the person has
// called.
func (c *Consent) Lend(lent rules.Rules) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lent = append(c.lent, lent...)
}

// SetAgreed replaces the rules of the repository that the person has agreed to.
func (c *Consent) SetAgreed(agreed rules.Rules) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.standing = agreed
}

// TakeBack ends what lasts for one turn: lent rules, and a review.
func (c *Consent) TakeBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lent, c.review = nil, false
}
