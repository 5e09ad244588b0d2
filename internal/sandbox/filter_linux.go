package sandbox

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/launcher"
)

// Opcodes of the kernel's BPF machine, and the results that a filter can return.
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

// Offsets in struct seccomp_data. The offset of an argument is that of its lower half, the only
// part that most calls use.
const (
	atCall         = 0
	atArchitecture = 4
	atFirst        = 16
	atSecond       = 24
	atThird        = 32
	atFourth       = 40
)

// x32Calls is the first number of the x32 calls on x86-64. The filter refuses them all, because its
// entries use the normal numbers.
const x32Calls = 0x40000000

// allBits is a mask that keeps every bit.
const allBits = ^uint32(0)

// filter maps the number of a call to the instructions that test it. Calls without an entry are
// allowed.
type filter map[uint32][]launcher.Instruction

// condition tests one argument of a call. It is true if the masked argument is one of values, or,
// with negated, if it is none of them.
type condition struct {
	argument, mask uint32
	negated        bool
	values         []uint32
}

// answer makes the filter return a result for calls that earlier instructions do not refuse.
func (f filter) answer(answer uint32, calls ...uint32) {
	for _, call := range calls {
		f[call] = append(f[call], end(answer))
	}
}

func (f filter) refuseAny(call, argument, mask uint32, values ...uint32) {
	f.refuse(call, condition{argument, mask, false, values})
}

func (f filter) refuseAllBut(call, argument, mask uint32, values ...uint32) {
	f.refuse(call, condition{argument, mask, true, values})
}

// refuse refuses a call if all conditions are true. It can be called several times for one call.
func (f filter) refuse(call uint32, conditions ...condition) {
	rest := 0 // the number of instructions from here to the refusal
	for _, c := range conditions {
		rest += len(c.values) + 2
	}
	for _, c := range conditions {
		rest -= len(c.values) + 2
		f[call] = append(append(f[call], load(c.argument), launcher.Instruction{Code: bpfAnd, K: c.mask}), c.compare(rest+1)...)
	}
	f[call] = append(f[call], end(refuse))
}

// compare returns instructions that skip the next fails instructions if the condition is false.
func (c condition) compare(fails int) []launcher.Instruction {
	equal, other := 0, fails
	if c.negated {
		equal, other = fails, 0
	}
	var code []launcher.Instruction
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

// program returns the filter for the kernel. It finds a call by binary search, because the kernel
// tries the program for every existing call when it is installed. Without the binary search, this
// would take longer than the rest of the setup.
func (f filter) program() []launcher.Instruction {
	begin := []launcher.Instruction{
		load(atArchitecture), test(bpfEqual, architecture, 1, 0), end(kill),
		load(atCall), test(bpfAbove, x32Calls, 0, 1), end(refuse),
	}
	return append(begin, f.find(slices.Sorted(maps.Keys(f)))...)
}

// find returns the part of the program for the given sorted calls and the numbers between them.
func (f filter) find(calls []uint32) []launcher.Instruction {
	switch len(calls) {
	case 0:
		return []launcher.Instruction{end(allow)}
	case 1:
		code := append(f[calls[0]][:len(f[calls[0]]):len(f[calls[0]])], end(allow))
		return append([]launcher.Instruction{test(bpfEqual, calls[0], 1, 0), end(allow)}, code...)
	}
	half := len(calls) / 2
	below, above := f.find(calls[:half]), f.find(calls[half:])
	code := []launcher.Instruction{test(bpfAbove, calls[half], 0, 1), {Code: bpfJump, K: uint32(len(below))}}
	return append(append(code, below...), above...)
}

func load(at uint32) launcher.Instruction { return launcher.Instruction{Code: bpfLoad, K: at} }

func test(code uint16, k uint32, yes, no int) launcher.Instruction {
	return launcher.Instruction{Code: code, Jt: uint8(yes), Jf: uint8(no), K: k}
}

func end(answer uint32) launcher.Instruction { return launcher.Instruction{Code: bpfEnd, K: answer} }
