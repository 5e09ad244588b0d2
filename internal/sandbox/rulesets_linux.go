package sandbox

import (
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/launcher"
)

// rulesets caches the Landlock rulesets of the latest commands, because making a ruleset opens
// every file and folder that it names.
type rulesets struct {
	mu   sync.Mutex
	kept []ruleset
}

// ruleset is a ruleset that exists in the kernel.
type ruleset struct {
	fd int
	// policy identifies the policy of the ruleset. listed holds the folders whose entries
	// determined the rules, with their stamps at that time.
	policy string
	listed []stamp
}

// stamp identifies a state of a folder. Two stamps of a folder are equal if the folder and its
// entries have not changed.
type stamp struct {
	path    string
	number  uint64
	changed unix.Timespec
}

func stampOf(path string) stamp {
	var stat unix.Stat_t
	_ = unix.Lstat(path, &stat) // the stamp of a missing path is zero
	return stamp{path, stat.Ino, stat.Ctim}
}

// maxRulesets is the size of the cache: two rulesets for each of the profiles ProfileReadOnly and Work.
const maxRulesets = 4

// of returns the ruleset for a policy, from the cache if it is there.
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
	var rules []launcher.Rule
	rules, made.listed = p.rulesAlone()
	if made.fd, err = newRuleset(landlockABI(), rules).Open(); err != nil {
		return -1, err
	}
	if at < 0 && len(r.kept) == maxRulesets {
		at = 0 // replace the oldest entry
	}
	if at >= 0 {
		unix.Close(r.kept[at].fd)
		r.kept = slices.Delete(r.kept, at, at+1)
	}
	r.kept = append(r.kept, made)
	return made.fd, nil
}
