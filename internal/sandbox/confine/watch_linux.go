package confine

import (
	"bytes"
	"encoding/json"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// WatcherName is the name of the program that makes it the watcher, with the
// beginning of the marks to look for as its only argument.
const WatcherName = "agent-watcher"

// Group is what the watcher is told on its standard input: a process group is there,
// or gone; or the program ends in order and nothing is to be done.
type Group struct {
	ID   int
	Gone bool
	Done bool
}

// watch waits until its input ends, which it does with the program, and then ends
// what is left of the program's commands.
func watch(marks string) int {
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
	EndMarked(marks, func(string) bool { return true })
	return 0
}

// EndMarked ends by force the processes with a variable that begins like this in
// their environment, and that matches, and those they start meanwhile.
func EndMarked(marks string, matches func(mark string) bool) {
	// A process that is just becoming another program has no environment for a moment.
	const tries, quiet = 50, 3
	variable, _, _ := strings.Cut(marks, "=")
	for try, none := 0, 0; try < tries && none < quiet; try++ {
		found := Marked(Processes(), variable, func(mark string) bool { return strings.HasPrefix(mark, marks) && matches(mark) })
		none++
		for _, pid := range found {
			none = 0
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(poll)
	}
}

// Processes are the IDs of all there are.
func Processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var ids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			ids = append(ids, pid)
		}
	}
	return ids
}

// Marked returns those of some processes in whose environment the variable is set to
// something that matches; matches gets NAME=VALUE. Dead ones have none.
func Marked(ids []int, variable string, matches func(mark string) bool) []int {
	var found []int
	for _, pid := range ids {
		environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil {
			continue
		}
		for each := range bytes.SplitSeq(environ, []byte{0}) {
			if bytes.HasPrefix(each, []byte(variable+"=")) && matches(string(each)) {
				found = append(found, pid)
			}
		}
	}
	return found
}
