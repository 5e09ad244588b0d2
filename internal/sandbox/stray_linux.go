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

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/confine"
	"agent/internal/sandbox/keeper"
)

// commands counts the commands of this process.
var commands atomic.Int64

// strays are the processes of one command. Without a process namespace a command can
// leave some behind that nothing ties to it, those that moved to a session of their own,
// so all carry a mark.
type strays struct {
	mark keeper.Mark
	// after is the process ID from which on they are.
	after int
}

func newStrays() strays {
	return strays{mark: keeper.NewMark(os.Getpid(), ownBegin(), commands.Add(1))}
}

// ownMarks is what the marks of all commands of this process have in common.
func ownMarks() uint64 { return keeper.NewMark(os.Getpid(), ownBegin(), 0).Owner() }

var ownBegin = sync.OnceValue(func() int64 { return beginOf(os.Getpid()) })

// setMark marks a process and all that it starts from now on.
func setMark(pid int, mark keeper.Mark) error {
	limit := unix.Rlimit{Cur: uint64(mark), Max: uint64(mark)}
	return unix.Prlimit(pid, keeper.MarkLimit, &limit, nil)
}

// end ends what the command left behind, by force after grace, and reports whether
// there was anything.
func (s strays) end(grace time.Duration) bool {
	// Each look reads of every process, so that the looks become rarer.
	const first, last = 10 * time.Millisecond, 80 * time.Millisecond
	found := s.find()
	if len(found) == 0 {
		return false
	}
	signal, poll := syscall.SIGTERM, first
	for waited := time.Duration(0); len(found) > 0 && waited <= grace+time.Second; poll = min(2*poll, last) {
		for _, pid := range found {
			_ = syscall.Kill(pid, signal)
		}
		time.Sleep(poll)
		if waited += poll; waited > grace {
			signal = syscall.SIGKILL
		}
		found = s.find()
	}
	return true
}

// mine reports whether a mark is that of the command.
func (s strays) mine(mark keeper.Mark) bool { return mark == s.mark }

// count is how many processes the command has.
func (s strays) count() int {
	return len(keeper.Marked(confine.Processes(), s.mine))
}

// kill ends the command by force: its process group at once, then whatever has left it.
func (s strays) kill(group int) {
	_ = syscall.Kill(-group, syscall.SIGKILL)
	keeper.EndMarked(s.mine)
}

// find returns the processes of the command. They are younger than it, so of a
// short command only a few IDs have to be looked at.
func (s strays) find() []int {
	const few = 64
	last := lastProcess()
	switch {
	case last < s.after: // the numbers have started anew since
		return keeper.Marked(confine.Processes(), s.mine)
	case last-s.after > few:
		return keeper.Marked(slices.DeleteFunc(confine.Processes(), func(pid int) bool { return pid <= s.after }), s.mine)
	}
	var younger []int
	for pid := s.after + 1; pid <= last; pid++ {
		younger = append(younger, pid)
	}
	return keeper.Marked(younger, s.mine)
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
func EndAll() {
	own := ownMarks()
	keeper.EndMarked(func(m keeper.Mark) bool { return m.Owner() == own })
}

// Sweep ends what commands of programs left behind that were killed themselves.
func Sweep() {
	for _, pid := range keeper.Marked(confine.Processes(), orphaned) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// orphaned reports whether a mark is of a program that runs no more.
func orphaned(mark keeper.Mark) bool {
	pid := mark.OwnerID()
	return keeper.NewMark(pid, beginOf(pid), 0).Owner() != mark.Owner()
}

// beginOf says when a process began, in a unit of the kernel; 0 when there is no such
// process. With it process IDs are unique.
func beginOf(pid int) int64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const begin = 19 // the 22nd field of all, from the state on
	if len(fields) <= begin {
		return 0
	}
	began, _ := strconv.ParseInt(fields[begin], 10, 64)
	return began
}
