package keeper

import (
	"encoding/json"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"agent/internal/sandbox/confine"
)

// WatcherName is the name of the program that makes it the watcher, with the owner of
// the marks to look for as its only argument.
const WatcherName = "agent-watcher"

// Group is what the watcher reads from its standard input: a process group is there,
// or gone; or the program ends in order and nothing is to be done.
type Group struct {
	ID   int
	Gone bool
	Done bool
}

// watch waits until its input ends, which it does with the program, and then ends
// what is left of the program's commands.
func watch(owner string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	groups := map[int]bool{}
	input := json.NewDecoder(os.Stdin)
	for {
		var g Group
		if input.Decode(&g) != nil {
			break
		}
		switch {
		case g.Done:
			return 0
		case g.Gone:
			delete(groups, g.ID)
		default:
			groups[g.ID] = true
		}
	}
	for id := range groups {
		_ = syscall.Kill(-id, syscall.SIGKILL)
	}
	if own, err := strconv.ParseUint(owner, 10, 64); err == nil {
		EndMarked(func(m Mark) bool { return m.Owner() == own })
	}
	return 0
}

// EndMarked ends by force the processes with a mark that matches, and those they start
// meanwhile.
func EndMarked(matches func(Mark) bool) {
	// A process that is just becoming another program has no environment for a moment.
	const tries, quiet, poll = 50, 3, 5 * time.Millisecond
	for try, none := 0, 0; try < tries && none < quiet; try++ {
		found := Marked(confine.Processes(), matches)
		none++
		for _, pid := range found {
			none = 0
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(poll)
	}
}
