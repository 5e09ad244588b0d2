package sandbox

import (
	"encoding/binary"
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// kind is the attribute of a file that a call changes.
type kind int

const (
	rights kind = iota
	owner
	times
)

// changeCall describes a call that changes an attribute of a file. Each field that is not a
// constant is the index of an argument, or none.
type changeCall struct {
	kind kind
	// dir is the file descriptor of the folder to which the path is relative, and path the address
	// of the path. Without a path, the call changes the open file of the descriptor. Without a
	// folder, the path is relative to the current folder of the process.
	dir, path int
	// value is the mode, the user, or the address of the times. The group is the argument after the
	// user.
	value int
	flags int
	// always holds flags that the call implies.
	always uint64
	// unit is the unit of the fractional part of a time, in nanoseconds. It is 0 if a time consists
	// of seconds only.
	unit int64
}

// none means that a call does not have this argument.
const none = -1

// changeCalls maps the numbers of the calls to their descriptions.
var changeCalls = func() map[uint32]changeCall {
	calls := map[uint32]changeCall{
		unix.SYS_FCHMOD:    {kind: rights, dir: 0, path: none, value: 1, flags: none},
		unix.SYS_FCHMODAT:  {kind: rights, dir: 0, path: 1, value: 2, flags: none},
		unix.SYS_FCHMODAT2: {kind: rights, dir: 0, path: 1, value: 2, flags: 3},
		unix.SYS_FCHOWN:    {kind: owner, dir: 0, path: none, value: 1, flags: none},
		unix.SYS_FCHOWNAT:  {kind: owner, dir: 0, path: 1, value: 2, flags: 4},
		unix.SYS_UTIMENSAT: {kind: times, dir: 0, path: 1, value: 2, flags: 3, unit: 1},
	}
	maps.Copy(calls, changeCallsOld)
	return calls
}()

var changeNumbers = slices.Sorted(maps.Keys(changeCalls))

type arguments [6]uint64

// at returns the argument at an index, or 0 for none.
func (a arguments) at(i int) uint64 {
	if i == none {
		return 0
	}
	return a[i]
}

func (a arguments) number(i int) int { return int(int32(a[i])) }

// timesAt reads the access time and the modification time from the memory of the process.
func (r request) timesAt(at uint64, unit int64) ([]unix.Timespec, error) {
	if at == 0 {
		return []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}, nil
	}
	const word = 8
	memory := make([]byte, 4*word)
	if unit == 0 {
		memory = memory[:2*word]
	}
	if r.read(at, memory) < len(memory) {
		return nil, unix.EFAULT
	}
	number := func(i int) int64 { return int64(binary.NativeEndian.Uint64(memory[i*word:])) }
	if unit == 0 {
		return []unix.Timespec{{Sec: number(0)}, {Sec: number(1)}}, nil
	}
	return []unix.Timespec{{Sec: number(0), Nsec: number(1) * unit}, {Sec: number(2), Nsec: number(3) * unit}}, nil
}
