package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"agent/internal/sandbox/confine"
)

// Without a process namespace a command can leave processes behind that nothing
// ties to it: those that moved to a session of their own. They are known by a
// variable in their environment, which says whose they are. (One that clears its
// environment as well escapes.)
const strayVariable = "AGENT_COMMAND"

// commands counts the commands of this process.
var commands atomic.Int64

// strays are the processes of one command.
type strays struct {
	// mark is the variable, of the form PROCESS.BEGIN.NUMBER.
	mark string
	// after is the process ID from which on they are.
	after int
}

func newStrays() strays {
	return strays{mark: ownMarks() + strconv.FormatInt(commands.Add(1), 10)}
}

// ownMarks is how the marks of all commands of this process begin.
func ownMarks() string { return fmt.Sprintf("%s=%d.%s.", strayVariable, os.Getpid(), ownBegin()) }

var ownBegin = sync.OnceValue(func() string { return beginOf(os.Getpid()) })

// end ends what the command left behind, by force after grace, and reports whether
// there was anything.
func (s strays) end(grace time.Duration) bool {
	const poll = 10 * time.Millisecond
	found := s.find()
	if len(found) == 0 {
		return false
	}
	signal := syscall.SIGTERM
	for waited := time.Duration(0); len(found) > 0 && waited <= grace+time.Second; waited += poll {
		for _, pid := range found {
			_ = syscall.Kill(pid, signal)
		}
		time.Sleep(poll)
		if waited >= grace {
			signal = syscall.SIGKILL
		}
		found = s.find()
	}
	return true
}

// mine reports whether a mark is that of the command.
func (s strays) mine(mark string) bool { return mark == s.mark }

// count is how many processes the command has.
func (s strays) count() int {
	return len(confine.Marked(confine.Processes(), strayVariable, s.mine))
}

// kill ends the command by force: its process group at once, then whatever has left it.
func (s strays) kill(group int) {
	_ = syscall.Kill(-group, syscall.SIGKILL)
	confine.EndMarked(ownMarks(), s.mine)
}

// find returns the processes of the command. They are younger than it, so of a
// short command only a few IDs have to be looked at.
func (s strays) find() []int {
	const few = 64
	last := lastProcess()
	switch {
	case last < s.after: // the numbers have started anew since
		return confine.Marked(confine.Processes(), strayVariable, s.mine)
	case last-s.after > few:
		return confine.Marked(slices.DeleteFunc(confine.Processes(), func(pid int) bool { return pid <= s.after }), strayVariable, s.mine)
	}
	var younger []int
	for pid := s.after + 1; pid <= last; pid++ {
		younger = append(younger, pid)
	}
	return confine.Marked(younger, strayVariable, s.mine)
}

// lastProcess is the ID that was given last, 0 when it is not known.
func lastProcess() int {
	load, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(load))
	if len(fields) == 0 {
		return 0
	}
	last, _ := strconv.Atoi(fields[len(fields)-1])
	return last
}

// EndAll ends by force every process of this program's commands that is not in a
// namespace of its own; those end with their helper.
func EndAll() { confine.EndMarked(ownMarks(), func(string) bool { return true }) }

// Sweep ends what commands of programs left behind that were killed themselves.
func Sweep() {
	for _, pid := range confine.Marked(confine.Processes(), strayVariable, orphaned) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// orphaned reports whether a mark is of a program that runs no more.
func orphaned(mark string) bool {
	parts := strings.Split(strings.TrimPrefix(mark, strayVariable+"="), ".")
	if len(parts) != 3 {
		return false
	}
	pid, err := strconv.Atoi(parts[0])
	return err == nil && pid > 0 && parts[1] != "" && beginOf(pid) != parts[1]
}

// beginOf says when a process began, in a unit of the kernel; empty when there is
// no such process. With it process IDs are unique.
func beginOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const begin = 19 // the 22nd field of all, from the state on
	if len(fields) <= begin {
		return ""
	}
	return fields[begin]
}
