package session

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// AmbiguousError means that several sessions have a name.
type AmbiguousError struct {
	Name string
	// Fit lists the sessions, latest used first.
	Fit []Info
}

// mostNamed limits how many sessions an AmbiguousError names.
const mostNamed = 5

func (e *AmbiguousError) Error() string {
	var lines []string
	for i, info := range e.Fit {
		if i == mostNamed {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Fit)-i))
			break
		}
		lines = append(lines, info.ID+" ("+info.Title+")")
	}
	return fmt.Sprintf("%q matches %d sessions: %s. Add words of the title, or use an id", e.Name, len(e.Fit), strings.Join(lines, ", "))
}

// NotFoundError means that no session has the name Name. Near is a similar id, or "" for none.
type NotFoundError struct{ Name, Near string }

func (e *NotFoundError) Error() string {
	if e.Near != "" {
		return e.Name + ": no such session; did you mean " + e.Near + "?"
	}
	return e.Name + ": no such session. Run: agent sessions list --all"
}

// shortestEnd is the number of letters from which the end of an id identifies a session.
const shortestEnd = 4

// FindByID returns the session of a list with an id. name is the whole id, its beginning or its last letters.
// The error is a *NotFoundError or an *AmbiguousError.
func FindByID(infos []Info, name string) (Info, error) {
	for _, fits := range []func(Info) bool{
		func(i Info) bool { return i.ID == name },
		func(i Info) bool { return name != "" && strings.HasPrefix(i.ID, name) },
		func(i Info) bool { return len(name) >= shortestEnd && strings.HasSuffix(i.ID, name) },
	} {
		if fit := filter(infos, fits); len(fit) > 0 {
			return unique(fit, name)
		}
	}
	return Info{}, &NotFoundError{Name: name}
}

// FindByName returns the session of a list with a name: an id in any form that FindByID accepts, a title, or words
// of a title. Ids take precedence over titles, and whole titles over words. Among titles, sessions of the
// workspace take precedence over others, and conversations over runs of scripts. The error is a
// *NotFoundError or an *AmbiguousError.
func FindByName(infos []Info, workspace, name string) (Info, error) {
	info, err := FindByID(infos, name)
	if missing := (*NotFoundError)(nil); !errors.As(err, &missing) {
		return info, err
	}
	here := func(i Info) bool { return i.Workspace == workspace }
	attended := func(i Info) bool { return !i.Unattended }
	ranks := [][]Info{filter(filter(infos, here), attended), filter(infos, here), filter(infos, attended), infos}
	for _, fits := range []func(Info) bool{
		func(i Info) bool { return strings.EqualFold(i.Title, strings.TrimSpace(name)) },
		func(i Info) bool { return holds(i.Title, name) },
	} {
		for _, rank := range ranks {
			if fit := filter(rank, fits); len(fit) > 0 {
				return unique(fit, name)
			}
		}
	}
	return Info{}, err
}

func filter(infos []Info, fits func(Info) bool) []Info {
	return slices.DeleteFunc(slices.Clone(infos), func(i Info) bool { return !fits(i) })
}

// unique returns the only session in fit. It ignores forks of other sessions in fit.
func unique(fit []Info, name string) (Info, error) {
	ids := map[string]bool{}
	for _, info := range fit {
		ids[info.ID] = true
	}
	fit = filter(fit, func(i Info) bool { return !ids[i.Parent] })
	if len(fit) > 1 {
		return Info{}, &AmbiguousError{name, fit}
	}
	return fit[0], nil
}

// holds reports whether a text contains all words, in any order and case. It returns false if there are no
// words.
func holds(text, words string) bool {
	wanted := strings.Fields(strings.ToLower(words))
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(strings.ToLower(text), word) })
}

// Search returns the sessions whose title, first message, id or branch contains all words.
func Search(infos []Info, words string) []Info {
	return filter(infos, func(i Info) bool {
		return holds(strings.Join([]string{i.Title, i.FirstPrompt, i.ID, i.Branch}, "\n"), words)
	})
}

// Delete removes the log at path and the logs of its subagents. It returns an error if the log is in use.
func Delete(path string) error {
	lock, err := acquire(path)
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(AgentFolder(path)), os.Remove(path), lock.Close())
}
