package sandbox

import (
	"encoding/binary"
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// kind is what of a file a call changes.
type kind int

const (
	rights kind = iota
	owner
	times
)

// changeCall says of a call that changes a file by name which of its arguments is what.
type changeCall struct {
	kind kind
	// dir is the folder that the path begins in, a file descriptor, and path where in the
	// process's memory that is. Without a path it is about what the descriptor is open for;
	// without a folder the path begins in the one where the process is.
	dir, path int
	// value is the mode, the user before the group, or where the times are.
	value int
	flags int
	// always are flags that the call has by itself.
	always uint64
	// unit is how many nanoseconds the second half of a time counts, 0 when there are only
	// seconds.
	unit int64
}

// none is for an argument that a call does not have.
const none = -1

// changeCalls are those calls, by their numbers.
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

// changeNumbers are the numbers of those calls.
var changeNumbers = slices.Sorted(maps.Keys(changeCalls))

// arguments are those of a call.
type arguments [6]uint64

// at is an argument, 0 for none.
func (a arguments) at(i int) uint64 {
	if i == none {
		return 0
	}
	return a[i]
}

func (a arguments) number(i int) int { return int(int32(a[i])) }

// timesAt reads the times that a call sets: of the last use and the last change.
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
