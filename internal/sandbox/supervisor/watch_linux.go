package supervisor

import (
	"encoding/json"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"agent/internal/sandbox/launcher"
)

// WatcherName is the program name that makes a process the watcher. Its only argument is the
// Owner part of the marks to look for.
const WatcherName = "agent-watcher"

// Group is a message to the watcher on its standard input. It reports that a process group exists
// or is gone, or that the program ends normally and the watcher has nothing to do.
type Group struct {
	ID   int
	Gone bool
	Done bool
}

// watch waits until its input ends, which happens when the program ends, and then ends the
// remaining processes of the program's commands.
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

// EndMarked kills the processes with a mark for which matches returns true, and processes that they
// start meanwhile.
func EndMarked(matches func(Mark) bool) {
	// During exec a process briefly has no environment, so one search is not enough.
	const tries, quiet, poll = 50, 3, 5 * time.Millisecond
	for try, none := 0, 0; try < tries && none < quiet; try++ {
		found := FindMarked(launcher.Processes(), matches)
		none++
		for _, pid := range found {
			none = 0
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(poll)
	}
}
