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

	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"
)

var commandCount atomic.Int64

// strays finds and ends the processes of one command. Without a process namespace, a process that
// moved to a new session is no longer connected to the command. So every process of the command has
// a mark.
type strays struct {
	mark supervisor.Mark
	// after is the process ID of the command. Its other processes usually have higher IDs.
	after int
}

func newStrays() strays {
	return strays{mark: supervisor.NewMark(os.Getpid(), ownStartTime(), commandCount.Add(1))}
}

// ownMarks returns the common part of the marks of this program's commands.
func ownMarks() uint64 { return supervisor.NewMark(os.Getpid(), ownStartTime(), 0).Owner() }

var ownStartTime = sync.OnceValue(func() int64 { return startTime(os.Getpid()) })

// setMark marks a process and every process that it starts afterwards.
func setMark(pid int, mark supervisor.Mark) error {
	limit := unix.Rlimit{Cur: uint64(mark), Max: uint64(mark)}
	return unix.Prlimit(pid, supervisor.MarkLimit, &limit, nil)
}

// end requests the end of the remaining processes of the command, and kills them after grace. It
// reports whether there were any.
func (s strays) end(grace time.Duration) bool {
	// Each search reads files of every process, so the pause between searches grows.
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

// owns reports whether a mark belongs to the command.
func (s strays) owns(mark supervisor.Mark) bool { return mark == s.mark }

// count returns the number of processes of the command.
func (s strays) count() int {
	return len(supervisor.FindMarked(launcher.Processes(), s.owns))
}

// kill kills the processes of the command, first its process group, then processes that have left
// the group.
func (s strays) kill(group int) {
	_ = syscall.Kill(-group, syscall.SIGKILL)
	supervisor.EndMarked(s.owns)
}

// find returns the processes of the command. Their IDs are higher than the command's, so for a
// short command it checks only a few IDs.
func (s strays) find() []int {
	const few = 64
	last := lastProcess()
	switch {
	case last < s.after: // the IDs have wrapped around
		return supervisor.FindMarked(launcher.Processes(), s.owns)
	case last-s.after > few:
		return supervisor.FindMarked(slices.DeleteFunc(launcher.Processes(), func(pid int) bool { return pid <= s.after }), s.owns)
	}
	var younger []int
	for pid := s.after + 1; pid <= last; pid++ {
		younger = append(younger, pid)
	}
	return supervisor.FindMarked(younger, s.owns)
}

// lastProcess returns the process ID that the kernel assigned last, or 0 if it is unknown.
func lastProcess() int {
	load, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(load))
	if len(fields) == 0 {
		return 0
	}
	last, _ := strconv.Atoi(fields[len(fields)-1])
	return last
}

// EndAll kills every process of this program's commands outside of a process namespace. The
// processes inside a namespace end with their helper.
func EndAll() {
	own := ownMarks()
	supervisor.EndMarked(func(m supervisor.Mark) bool { return m.Owner() == own })
}

// EndLeftovers ends processes of commands whose program was killed.
func EndLeftovers() {
	for _, pid := range supervisor.FindMarked(launcher.Processes(), orphaned) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func orphaned(mark supervisor.Mark) bool {
	pid := mark.OwnerID()
	return supervisor.NewMark(pid, startTime(pid), 0).Owner() != mark.Owner()
}

// startTime returns the start time of a process in the kernel's clock ticks, or 0 if there is no
// such process. A process ID together with the start time is unique.
func startTime(pid int) int64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const begin = 19 // field 22 of the line, counted from the state, which is field 3
	if len(fields) <= begin {
		return 0
	}
	began, _ := strconv.ParseInt(fields[begin], 10, 64)
	return began
}
