package chat

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agent/internal/rules"
	"agent/internal/tools"
	"agent/internal/words"
)

// grant is something that a person allowed for the rest of the session, and that
// they can take back.
type grant struct {
	// says is exactly what it allows, in words.
	says string
	// rules allow commands. Without them, files is what may be edited: "*.go", or
	// the path of one file.
	rules rules.Rules
	files string
	// outside is a whole command line that may leave the sandbox, in that folder.
	outside, directory string
}

// offer returns what "always" would allow from now on; nothing when it is not to be
// offered.
func offer(k *call, preview tools.Preview) []grant {
	var grants []grant
	switch {
	case len(preview.Protected) > 0:
		return nil // each call about those is asked about
	case preview.Outside != "":
		says := "outside the sandbox, this very line: " + words.Headline(preview.Command)
		if preview.Directory != "" {
			says += ", in " + preview.Directory
		}
		return []grant{{says: says, outside: preview.Command, directory: preview.Directory}}
	case k.tool.Runs && rules.Delete(preview.Commands):
		return nil // what is gone is gone: each is asked about
	case k.tool.Runs:
		for _, rule := range rules.Always(k.name, preview.Commands) {
			grants = append(grants, grant{says: rule.Allows(), rules: rules.Rules{rule}})
		}
	case k.tool.EditsOnly() && len(preview.Paths) == 1:
		file := preview.Paths[0]
		if extension := path.Ext(file); extension != "" && extension != path.Base(file) {
			return []grant{{says: "edits of *" + extension + " files", files: "*" + extension}}
		}
		// Names without an ending say nothing of each other: Makefile, Dockerfile.
		return []grant{{says: "edits of " + file, files: file}}
	}
	return grants
}

// allowedBy says what some grants allow.
func allowedBy(grants []grant) string {
	var says []string
	for _, g := range grants {
		says = append(says, g.says)
	}
	return strings.Join(says, ", ")
}

// editsGranted reports whether edits of all these files were allowed.
func (a *approvals) editsGranted(paths []string) bool {
	for _, p := range paths {
		granted := func(g grant) bool { return g.files == p || g.files == "*"+path.Ext(p) && g.files != "*" }
		if !slices.ContainsFunc(a.grants, granted) {
			return false
		}
	}
	return len(paths) > 0
}

// Grants lists what was allowed with "always", oldest first.
func (c *Chat) Grants(ctx context.Context) ([]string, error) {
	return ask(ctx, c.inbox, func() []string {
		var says []string
		for _, g := range c.approvals.grants {
			says = append(says, g.says)
		}
		return says
	})
}

// ForgetGrant takes back the grant with this number of the list, counted from 1, or
// all of them when it is 0. It returns what was forgotten; the error says that there
// is no such grant.
func (c *Chat) ForgetGrant(ctx context.Context, number int) ([]string, error) {
	var none error
	forgotten, err := ask(ctx, c.inbox, func() []string {
		grants := &c.approvals.grants
		if number > len(*grants) || number < 0 {
			none = fmt.Errorf("there is no grant %d; /approval lists them", number)
			return nil
		}
		first, last := number-1, number
		if number == 0 {
			first, last = 0, len(*grants)
		}
		var says []string
		for _, g := range (*grants)[first:last] {
			says = append(says, g.says)
		}
		*grants = slices.Delete(*grants, first, last)
		return says
	})
	if err == nil {
		err = none
	}
	return forgotten, err
}
