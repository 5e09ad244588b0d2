package sandbox

import (
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"
)

// run simulates the kernel: it returns the result of a filter program for a system call.
func run(t *testing.T, program []launcher.Instruction, call uint32, args ...uint64) uint32 {
	t.Helper()
	data := map[uint32]uint32{atArchitecture: architecture, atCall: call}
	for i, arg := range args {
		data[atFirst+8*uint32(i)], data[atFirst+8*uint32(i)+4] = uint32(arg), uint32(arg>>32)
	}
	a := uint32(0)
	for at := 0; at < len(program); at++ {
		in, yes := program[at], false
		switch in.Code {
		case bpfLoad:
			a = data[in.K]
			continue
		case bpfAnd:
			a &= in.K
			continue
		case bpfJump:
			at += int(in.K)
			continue
		case bpfEnd:
			return in.K
		case bpfEqual:
			yes = a == in.K
		case bpfAbove:
			yes = a >= in.K
		default:
			t.Fatalf("instruction %+v", in)
		}
		if yes {
			at += int(in.Jt)
		} else {
			at += int(in.Jf)
		}
	}
	t.Fatal("the program does not answer")
	return 0
}

func TestFilter(t *testing.T) {
	t.Parallel()
	looks := newFilter(restrictions{noSockets: true, noChanges: true, noNamespaces: true})
	works := newFilter(restrictions{noSockets: true, askChanges: true, noNamespaces: true})
	helps := newFilter(restrictions{})
	for name, tt := range map[string]struct {
		call                 uint32
		args                 []uint64
		looks, works, helper uint32
	}{
		"read":                       {unix.SYS_READ, nil, allow, allow, allow},
		"the first call":             {0, nil, allow, allow, allow},
		"one that is not known":      {9999, nil, allow, allow, allow},
		"of 32 bits":                 {x32Calls + unix.SYS_READ, nil, refuse, refuse, refuse},
		"ptrace":                     {unix.SYS_PTRACE, nil, refuse, refuse, refuse},
		"clone":                      {unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, allow, allow, allow},
		"clone of a namespace":       {unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | 17}, refuse, refuse, refuse},
		"clone3":                     {unix.SYS_CLONE3, nil, unknown, unknown, unknown},
		"ioctl":                      {unix.SYS_IOCTL, []uint64{1, unix.TCGETS}, allow, allow, allow},
		"typing":                     {unix.SYS_IOCTL, []uint64{1, unix.TIOCSTI}, refuse, refuse, refuse},
		"typing, with upper bits":    {unix.SYS_IOCTL, []uint64{1, 1<<40 | unix.TIOCSTI}, refuse, refuse, refuse},
		"the last of the requests":   {unix.SYS_IOCTL, []uint64{1, uint64(neverRequested[len(neverRequested)-1])}, refuse, refuse, refuse},
		"socket":                     {unix.SYS_SOCKET, []uint64{unix.AF_INET}, refuse, refuse, allow},
		"socket to hosts":            {unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, refuse, refuse, refuse},
		"pair":                       {unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow, allow, allow},
		"pair for datagrams":         {unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, refuse, refuse, allow},
		"rights":                     {unix.SYS_FCHMODAT, nil, refuse, ask, allow},
		"attributes":                 {unix.SYS_SETXATTR, nil, refuse, unsupported, allow},
		"shared memory":              {unix.SYS_SHMGET, nil, refuse, refuse, allow},
		"own limit, asked for":       {unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_NOFILE, 0}, allow, allow, allow},
		"own limit":                  {unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_NOFILE, 1 << 40}, allow, allow, allow},
		"limit of another":           {unix.SYS_PRLIMIT64, []uint64{7, unix.RLIMIT_NOFILE, 1 << 40}, refuse, refuse, allow},
		"the mark, asked for":        {unix.SYS_PRLIMIT64, []uint64{0, supervisor.MarkLimit, 0}, allow, allow, allow},
		"the mark":                   {unix.SYS_PRLIMIT64, []uint64{0, supervisor.MarkLimit, 4096}, refuse, refuse, allow},
		"the mark, from a high page": {unix.SYS_PRLIMIT64, []uint64{0, supervisor.MarkLimit, 1 << 40}, refuse, refuse, allow},
		"the mark, by the old call":  {unix.SYS_SETRLIMIT, []uint64{supervisor.MarkLimit}, refuse, refuse, allow},
		"own priority":               {unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 0}, allow, allow, allow},
		"priority of another":        {unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 7}, refuse, refuse, allow},
		"priority of a user":         {unix.SYS_SETPRIORITY, []uint64{unix.PRIO_USER, 0}, refuse, refuse, allow},
	} {
		got := [3]uint32{run(t, looks, tt.call, tt.args...), run(t, works, tt.call, tt.args...), run(t, helps, tt.call, tt.args...)}
		if got != [3]uint32{tt.looks, tt.works, tt.helper} {
			t.Errorf("%s: %x", name, got)
		}
	}
	for call := range uint32(1000) {
		if got := run(t, looks, call, 0, 1, 0, 0, 0, 0); got != allow && got != refuse && got != unknown {
			t.Errorf("call %d: %x", call, got)
		}
	}
}

// In every profile and backend, no system call can set the set-user-ID or set-group-ID bit (F1).
// All other modes are allowed.
func TestFilterRefusesOtherIDs(t *testing.T) {
	t.Parallel()
	argument := func(at uint32) int { return int(at-atFirst) / 8 }
	for _, limits := range []restrictions{{}, {noSockets: true}, {askChanges: true, noNamespaces: true}} {
		program := newFilter(limits)
		for _, calls := range []map[uint32]modeCall{modeCalls, modeCallsOld} {
			for call, at := range calls {
				for mode, other := range map[uint64]bool{0: false, 0o755: false, 0o1777: false, 0o4000: true, 0o2000: true, 0o6755: true, 1<<40 | 0o4711: true} {
					for flags, makes := range map[uint64]bool{unix.O_RDONLY: false, unix.O_WRONLY | unix.O_TRUNC: false, unix.O_RDWR | unix.O_CREAT: true, unix.O_WRONLY | unix.O_TMPFILE: true, unix.O_DIRECTORY: false} {
						var args [6]uint64
						args[argument(at.mode)] = mode
						if at.flags != 0 {
							args[argument(at.flags)] = flags
						} else {
							makes = true
						}
						if got := run(t, program, call, args[:]...); (got == refuse) != (other && makes) {
							t.Errorf("%+v, call %d, mode %o, flags %x: %x", limits, call, mode, flags, got)
						}
					}
				}
			}
		}
		if got := run(t, program, unix.SYS_OPENAT2); got != unknown {
			t.Errorf("openat2: %x", got)
		}
	}
}
