package shell

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// A process group is checked for its end after firstPoll, and then after twice as long
// each time, at most lastPoll: there is no event to wait for, and a check reads of every
// process.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = 80 * time.Millisecond
)

// endGroup ends every process of a group: politely first, by force when they are
// still there after grace. It reports whether there was any.
func endGroup(group int, grace time.Duration) bool {
	if !groupAlive(group) {
		return false
	}
	_ = syscall.Kill(-group, syscall.SIGTERM)
	poll := firstPoll
	for waited := time.Duration(0); waited < grace; poll = min(2*poll, lastPoll) {
		time.Sleep(poll)
		waited += poll
		if !groupAlive(group) {
			return true
		}
	}
	_ = syscall.Kill(-group, syscall.SIGKILL)
	return true
}

// groupAlive reports whether a process of the group still runs. Dead ones that
// nobody has waited for do not count: in containers they may stay for ever.
func groupAlive(group int) bool {
	if syscall.Kill(-group, 0) == syscall.ESRCH {
		return false
	}
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, process := range processes {
		if _, err := strconv.Atoi(process.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + process.Name() + "/stat")
		if err == nil && runsIn(stat, group) {
			return true
		}
	}
	return false
}

// runsIn reads a line of /proc/PID/stat: PID (NAME) STATE PARENT GROUP …
func runsIn(stat []byte, group int) bool {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 2 && string(fields[2]) == strconv.Itoa(group) &&
		!bytes.ContainsAny(fields[0], "ZX")
}
