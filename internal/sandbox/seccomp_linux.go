package sandbox

import (
	"slices"

	"agent/internal/sandbox/confine"

	"golang.org/x/sys/unix"
)

// Calls that no confined command may make: reaching into other processes, keys of
// the kernel, ways around the filter, and changes of what the sandbox is made of.
var neverCalled = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_REQUEST_KEY,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_REBOOT,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
}

// Calls that change a file without opening it, which Landlock does not see.
var changesByName = append([]uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
}, changesByNameOld...)

// Codes of the kernel's filter machine and what it may answer.
const (
	bpfLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfAbove = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfBits  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	bpfEnd   = unix.BPF_RET | unix.BPF_K

	allow   = unix.SECCOMP_RET_ALLOW
	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	kill    = unix.SECCOMP_RET_KILL_PROCESS
)

// Where struct seccomp_data has its parts.
const (
	atCall         = 0
	atArchitecture = 4
	atFirst        = 16
	atSecond       = 24
)

// x32Calls is where x86-64 numbers its 32-bit calls from, which are others for the
// same numbers.
const x32Calls = 0x40000000

// restrictions are what differs between filters.
type restrictions struct {
	// noSockets forbids to make sockets; pairs of them for oneself remain.
	noSockets bool
	// noChanges forbids changes of files that need no opening.
	noChanges bool
}

// newFilter makes a seccomp program that refuses calls.
func newFilter(r restrictions) []confine.Instruction {
	load := func(at uint32) confine.Instruction { return confine.Instruction{Code: bpfLoad, K: at} }
	test := func(code uint16, k uint32, yes, no uint8) confine.Instruction {
		return confine.Instruction{Code: code, Jt: yes, Jf: no, K: k}
	}
	end := func(answer uint32) confine.Instruction { return confine.Instruction{Code: bpfEnd, K: answer} }

	program := []confine.Instruction{
		load(atArchitecture), test(bpfEqual, architecture, 1, 0), end(kill),
		load(atCall), test(bpfAbove, x32Calls, 0, 1), end(refuse),
	}
	refused := slices.Clone(neverCalled)
	if r.noSockets {
		refused = append(refused, unix.SYS_SOCKET)
	}
	if r.noChanges {
		refused = append(refused, changesByName...)
	}
	for _, call := range refused {
		program = append(program, test(bpfEqual, call, 0, 1), end(refuse))
	}
	if !r.noSockets {
		// Only families that namespaces hold, not those to hosts and devices.
		program = append(program,
			test(bpfEqual, unix.SYS_SOCKET, 0, 7), load(atFirst),
			test(bpfEqual, unix.AF_UNIX, 4, 0), test(bpfEqual, unix.AF_INET, 3, 0), test(bpfEqual, unix.AF_INET6, 2, 0), test(bpfEqual, unix.AF_NETLINK, 1, 0),
			end(refuse), load(atCall))
	}
	return append(program,
		// A filter cannot look into the arguments of clone3; clone is used instead.
		test(bpfEqual, unix.SYS_CLONE3, 0, 1), end(unknown),
		test(bpfEqual, unix.SYS_CLONE, 0, 3), load(atFirst), test(bpfBits, unix.CLONE_NEWUSER, 0, 1), end(refuse),
		load(atCall),
		// Typing into a terminal.
		test(bpfEqual, unix.SYS_IOCTL, 0, 4), load(atSecond),
		test(bpfEqual, unix.TIOCSTI, 1, 0), test(bpfEqual, unix.TIOCLINUX, 0, 1), end(refuse),
		end(allow),
	)
}
