package supervisor

import (
	"bytes"
	"os"
	"strconv"
)

// Mark identifies the command to which a process belongs. Every process of the command inherits it
// in two ways. The first is a resource limit that has no effect and that a confined command cannot
// change. The second is a variable of the environment, for processes that started before the limit
// was set, and for systems that refuse the limit.
//
// From bit 62 down a mark consists of a one, the owner's process ID (22 bits), its start time (20)
// and the command's number (20). The last two are cut to their size.
type Mark uint64

// MarkVariable is the name of the variable. MarkLimit is the resource of the limit: the time that
// a process with real-time priority may run without a pause, in microseconds. A mark is so large
// that the limit is never reached.
const (
	MarkVariable = "AGENT_COMMAND"
	MarkLimit    = 15
)

const (
	markOne   = 1 << 62
	pidBits   = 22
	otherBits = 20
)

// NewMark returns the mark of a command.
func NewMark(owner int, began, number int64) Mark {
	part := func(n int64, bits int) uint64 { return uint64(n) & (1<<bits - 1) }
	return Mark(markOne | part(int64(owner), pidBits)<<(2*otherBits) | part(began, otherBits)<<otherBits | part(number, otherBits))
}

// Owner returns the part of the mark that is the same for all commands of one process.
func (m Mark) Owner() uint64 { return uint64(m) >> otherBits }

// OwnerID returns the ID of the process that started the command.
func (m Mark) OwnerID() int { return int(m >> (2 * otherBits) & (1<<pidBits - 1)) }

// String returns the mark in the form of a variable of the environment.
func (m Mark) String() string { return MarkVariable + "=" + strconv.FormatUint(uint64(m), 10) }

// FindMarked returns the processes with a mark for which matches returns true. It omits processes that
// have ended.
func FindMarked(ids []int, matches func(Mark) bool) []int {
	var found []int
	for _, pid := range ids {
		if m := markOf("/proc/" + strconv.Itoa(pid)); m != 0 && matches(m) {
			found = append(found, pid)
		}
	}
	return found
}

// markOf returns the mark of the process with the given folder in /proc, or 0 if it has none.
func markOf(process string) Mark {
	limits, err := os.ReadFile(process + "/limits")
	if err != nil {
		return 0
	}
	// Max realtime timeout      SOFT                 HARD                 us
	if _, line, ok := bytes.Cut(limits, []byte("\nMax realtime timeout")); ok {
		if fields := bytes.Fields(line); len(fields) > 1 {
			if m := parseMark(fields[1]); m != 0 && !isDead(process) {
				return m
			}
		}
	}
	environ, _ := os.ReadFile(process + "/environ")
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(variable, []byte(MarkVariable+"=")); ok {
			return parseMark(value)
		}
	}
	return 0
}

// isDead reports whether a process has ended but its parent has not waited for it yet.
func isDead(process string) bool {
	stat, err := os.ReadFile(process + "/stat") // PID (NAME) STATE …
	_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return err != nil || len(after) == 0 || after[0] == 'Z' || after[0] == 'X'
}

func parseMark(number []byte) Mark {
	m, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil || m>>62 != 1 {
		return 0
	}
	return Mark(m)
}
