package sandbox

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/confine"
)

// Codes of the kernel's filter machine and what it may answer.
const (
	bpfLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfAnd   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfJump  = unix.BPF_JMP | unix.BPF_JA
	bpfEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfAbove = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfEnd   = unix.BPF_RET | unix.BPF_K

	allow       = unix.SECCOMP_RET_ALLOW
	refuse      = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown     = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	unsupported = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)
	ask         = unix.SECCOMP_RET_USER_NOTIF
	kill        = unix.SECCOMP_RET_KILL_PROCESS
)

// Where struct seccomp_data has its parts; of arguments it is the lower half, which is
// all that most calls look at.
const (
	atCall         = 0
	atArchitecture = 4
	atFirst        = 16
	atSecond       = 24
	atThird        = 32
	atFourth       = 40
)

// x32Calls is where x86-64 numbers its 32-bit calls from, which are others for the
// same numbers.
const x32Calls = 0x40000000

// allBits masks nothing.
const allBits = ^uint32(0)

// filter says what becomes of calls, by their number: what is run when a call is made,
// to the answer. Calls that it does not name are allowed.
type filter map[uint32][]confine.Instruction

// condition is one on an argument: that, masked, it is one of some values, or none.
type condition struct {
	argument, mask uint32
	none           bool
	values         []uint32
}

// answer answers calls that are not refused already.
func (f filter) answer(answer uint32, calls ...uint32) {
	for _, call := range calls {
		f[call] = append(f[call], end(answer))
	}
}

// refuseAny refuses a call when an argument, masked, is one of some values.
func (f filter) refuseAny(call, argument, mask uint32, values ...uint32) {
	f.refuse(call, condition{argument, mask, false, values})
}

// refuseAllBut refuses a call unless an argument, masked, is one of some values.
func (f filter) refuseAllBut(call, argument, mask uint32, values ...uint32) {
	f.refuse(call, condition{argument, mask, true, values})
}

// refuse refuses a call of which all conditions hold, besides what is refused of it
// already.
func (f filter) refuse(call uint32, conditions ...condition) {
	rest := 0 // of the instructions to the refusal
	for _, c := range conditions {
		rest += len(c.values) + 2
	}
	for _, c := range conditions {
		rest -= len(c.values) + 2
		f[call] = append(append(f[call], load(c.argument), confine.Instruction{Code: bpfAnd, K: c.mask}), c.compare(rest+1)...)
	}
	f[call] = append(f[call], end(refuse))
}

// compare leaves out fails instructions behind it when the condition does not hold.
func (c condition) compare(fails int) []confine.Instruction {
	equal, other := 0, fails
	if c.none {
		equal, other = fails, 0
	}
	var code []confine.Instruction
	for i, value := range c.values {
		left := len(c.values) - 1 - i
		no := 0
		if left == 0 {
			no = other
		}
		code = append(code, test(bpfEqual, value, left+equal, no))
	}
	return code
}

// program is the filter for the kernel. It finds a call by halves: the kernel tries the
// program for every call there is when it is put on, which would take longer than all
// else of it.
func (f filter) program() []confine.Instruction {
	begin := []confine.Instruction{
		load(atArchitecture), test(bpfEqual, architecture, 1, 0), end(kill),
		load(atCall), test(bpfAbove, x32Calls, 0, 1), end(refuse),
	}
	return append(begin, f.find(slices.Sorted(maps.Keys(f)))...)
}

// find is the part of the program for some calls, by their order, and those between.
func (f filter) find(calls []uint32) []confine.Instruction {
	switch len(calls) {
	case 0:
		return []confine.Instruction{end(allow)}
	case 1:
		code := append(f[calls[0]][:len(f[calls[0]]):len(f[calls[0]])], end(allow))
		return append([]confine.Instruction{test(bpfEqual, calls[0], 1, 0), end(allow)}, code...)
	}
	half := len(calls) / 2
	below, above := f.find(calls[:half]), f.find(calls[half:])
	code := []confine.Instruction{test(bpfAbove, calls[half], 0, 1), {Code: bpfJump, K: uint32(len(below))}}
	return append(append(code, below...), above...)
}

func load(at uint32) confine.Instruction { return confine.Instruction{Code: bpfLoad, K: at} }

func test(code uint16, k uint32, yes, no int) confine.Instruction {
	return confine.Instruction{Code: code, Jt: uint8(yes), Jf: uint8(no), K: k}
}

func end(answer uint32) confine.Instruction { return confine.Instruction{Code: bpfEnd, K: answer} }
