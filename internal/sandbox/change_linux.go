package sandbox

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// change is what a call asks to change of a file.
type change struct {
	kind kind
	// dir is the folder that the path begins in: a file descriptor, or AT_FDCWD. path is
	// where in the process's memory it is; 0 means what the descriptor is open for.
	dir                  int
	path                 uint64
	noFollow, mayBeEmpty bool

	mode        uint32
	user, group int
	// times is where they are, 0 for now; unit is what their second half counts, none
	// when there are only seconds.
	times uint64
	unit  time.Duration
}

// kind is what of a file is changed.
type kind int

const (
	rights kind = iota
	owner
	times
)

// arguments are those of a call.
type arguments [6]uint64

func (a arguments) number(i int) int { return int(int32(a[i])) }

// flagged takes over the flags that such calls have.
func (c change) flagged(flags uint64) change {
	c.noFollow = flags&unix.AT_SYMLINK_NOFOLLOW != 0
	c.mayBeEmpty = flags&unix.AT_EMPTY_PATH != 0
	return c
}

// changes of files by name, each with how its call is read.
var changesMade = func() map[uint32]func(arguments) change {
	calls := map[uint32]func(arguments) change{
		unix.SYS_FCHMOD: func(a arguments) change { return change{kind: rights, dir: a.number(0), mode: uint32(a[1])} },
		unix.SYS_FCHMODAT: func(a arguments) change {
			return change{kind: rights, dir: a.number(0), path: a[1], mode: uint32(a[2])}
		},
		unix.SYS_FCHMODAT2: func(a arguments) change {
			return change{kind: rights, dir: a.number(0), path: a[1], mode: uint32(a[2])}.flagged(a[3])
		},
		unix.SYS_FCHOWN: func(a arguments) change {
			return change{kind: owner, dir: a.number(0), user: a.number(1), group: a.number(2)}
		},
		unix.SYS_FCHOWNAT: func(a arguments) change {
			return change{kind: owner, dir: a.number(0), path: a[1], user: a.number(2), group: a.number(3)}.flagged(a[4])
		},
		unix.SYS_UTIMENSAT: func(a arguments) change {
			return change{kind: times, dir: a.number(0), path: a[1], times: a[2], unit: time.Nanosecond}.flagged(a[3])
		},
	}
	maps.Copy(calls, changesMadeOld)
	return calls
}()

// callsMade are the numbers of those calls.
var callsMade = slices.Sorted(maps.Keys(changesMade))

// timesOf reads the times that a change sets: of the last use and the last change.
func (r request) timesOf(c change) ([]unix.Timespec, error) {
	if c.times == 0 {
		return []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}, nil
	}
	const word = 8
	memory := make([]byte, 4*word)
	if c.unit == 0 {
		memory = memory[:2*word]
	}
	if err := r.read(c.times, memory); err != nil {
		return nil, err
	}
	var numbers []int64
	for part := range slices.Chunk(memory, word) {
		numbers = append(numbers, int64(binary.NativeEndian.Uint64(part)))
	}
	if c.unit == 0 {
		return []unix.Timespec{{Sec: numbers[0]}, {Sec: numbers[1]}}, nil
	}
	return []unix.Timespec{{Sec: numbers[0], Nsec: numbers[1] * int64(c.unit)}, {Sec: numbers[2], Nsec: numbers[3] * int64(c.unit)}}, nil
}
