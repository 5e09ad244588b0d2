//go:build unix

package shell

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox"
)

// firstPoll is the time before the first check whether a process group has ended. The time then
// doubles up to lastPoll. Checks are necessary because there is no event for this, and each check
// reads a file of every process.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = 80 * time.Millisecond
)

// endGroup ends every process of a group. It sends them the signal to end, and kills the remaining
// ones after grace. It reports whether there were any.
func endGroup(group int, grace time.Duration) bool {
	if !groupAlive(group) {
		return false
	}
	_ = sandbox.AskGroup(group)
	poll := firstPoll
	for waited := time.Duration(0); waited < grace; poll = min(2*poll, lastPoll) {
		time.Sleep(poll)
		waited += poll
		if !groupAlive(group) {
			return true
		}
	}
	sandbox.KillGroup(group)
	return true
}

// groupAlive reports whether a process of the group still runs. Zombie processes do not count,
// because in a container they may never be collected.
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

// runsIn reports whether a line of /proc/PID/stat describes a running process of the group. The
// line has the form PID (NAME) STATE PARENT GROUP …
func runsIn(stat []byte, group int) bool {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 2 && string(fields[2]) == strconv.Itoa(group) &&
		!bytes.ContainsAny(fields[0], "ZX")
}

// exitCode returns the exit code in the form of a shell, and the name of the signal that ended the
// command, if any. confined is the signal that ended the command inside of a sandbox, 0 for none.
func exitCode(ended *os.ProcessState, confined syscall.Signal) (code int, signal string) {
	const signaled = 128
	status := ended.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return signaled + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), unix.SignalName(confined)
}

// tooLong reports whether an error means that a command line is longer than the system accepts.
func tooLong(err error) bool { return errors.Is(err, syscall.E2BIG) }

// shells lists the shells to search for. lastShell exists on every Unix.
var shells = []Kind{Bash}

const lastShell = "/bin/sh"

// NameInToolDescription is the name of the shell in the description of the tool.
const NameInToolDescription = "bash"

// shellNames contains names of shells that are clearer than the names of their programs.
var shellNames = map[Kind]string{PowerShell: "pwsh (PowerShell 7)"}

// find returns the path of a shell, "" if it is not installed.
func (j *Jobs) find(kind Kind, distrusted []string) string {
	if kind != Bash && kind != PowerShell {
		return ""
	}
	path, err := j.LookPath(string(kind), distrusted...)
	if err != nil {
		return ""
	}
	return path
}

// giveLine does nothing, because there is no cmd on Unix.
func giveLine(*exec.Cmd, string, string) {}
