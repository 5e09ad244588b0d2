package sandbox

import (
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/confine"
)

// rulesets keeps those of Landlock that commands had last: making one means to open
// every file and folder that it names.
type rulesets struct {
	mu   sync.Mutex
	kept []ruleset
}

// ruleset is one in the kernel.
type ruleset struct {
	fd int
	// policy is what it was made for, and listed are the folders whose content it was
	// made from, as they were.
	policy string
	listed []stamp
}

// stamp reports whether a folder is still the same, with the same in it.
type stamp struct {
	path    string
	number  uint64
	changed unix.Timespec
}

func stampOf(path string) stamp {
	var stat unix.Stat_t
	_ = unix.Lstat(path, &stat) // of what is not there it is zero
	return stamp{path, stat.Ino, stat.Ctim}
}

// maxRulesets is how many are kept, for looking and for working twice over.
const maxRulesets = 4

// of returns the ruleset of a policy.
func (r *rulesets) of(p Policy) (fd int, err error) {
	name := fmt.Sprintf("%d %q", p.Profile, p.DenyRead)
	for _, path := range p.writable() {
		name += fmt.Sprintf(" %q %d", path, stampOf(path).number)
	}
	at := slices.IndexFunc(r.kept, func(k ruleset) bool { return k.policy == name })
	if at >= 0 && !slices.ContainsFunc(r.kept[at].listed, func(s stamp) bool { return stampOf(s.path) != s }) {
		return r.kept[at].fd, nil
	}
	made := ruleset{policy: name}
	var rules []confine.Rule
	rules, made.listed = p.rulesAlone()
	if made.fd, err = newRuleset(landlockABI(), rules).Open(); err != nil {
		return -1, err
	}
	if at < 0 && len(r.kept) == maxRulesets {
		at = 0 // the oldest
	}
	if at >= 0 {
		unix.Close(r.kept[at].fd)
		r.kept = slices.Delete(r.kept, at, at+1)
	}
	r.kept = append(r.kept, made)
	return made.fd, nil
}
