package keeper

import (
	"bytes"
	"os"
	"strconv"
)

// Mark says whose command a process belongs to. It is carried by a limit of the process
// that limits nothing, which what it starts inherits and a confined command cannot
// change, and by a variable in its environment, for those that were started before the
// limit was set or where none can be.
//
// From the top it is a one, the ID of the owner (22 bits), when that began (20), and the
// number of the command (20), the latter two as far as they fit.
type Mark uint64

// MarkVariable is the name of the variable, and MarkLimit the resource of the limit: the
// time that a process with real-time priority may run on, in microseconds. A mark is an
// age of those.
const (
	MarkVariable = "AGENT_COMMAND"
	MarkLimit    = 15
)

const (
	markOne   = 1 << 62
	pidBits   = 22
	otherBits = 20
)

// NewMark makes the mark of a command.
func NewMark(owner int, began, number int64) Mark {
	part := func(n int64, bits int) uint64 { return uint64(n) & (1<<bits - 1) }
	return Mark(markOne | part(int64(owner), pidBits)<<(2*otherBits) | part(began, otherBits)<<otherBits | part(number, otherBits))
}

// Owner is what the marks of all commands of a process have in common.
func (m Mark) Owner() uint64 { return uint64(m) >> otherBits }

// OwnerID is the process whose command it was, if it still runs.
func (m Mark) OwnerID() int { return int(m >> (2 * otherBits) & (1<<pidBits - 1)) }

// String is the mark as a variable of the environment.
func (m Mark) String() string { return MarkVariable + "=" + strconv.FormatUint(uint64(m), 10) }

// Marked returns those of some processes whose mark matches. Dead ones have none.
func Marked(ids []int, matches func(Mark) bool) []int {
	var found []int
	for _, pid := range ids {
		if m := markOf("/proc/" + strconv.Itoa(pid)); m != 0 && matches(m) {
			found = append(found, pid)
		}
	}
	return found
}

// markOf returns the mark of a process, 0 when it has none.
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

// isDead reports whether a process has ended and is only waited for.
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
