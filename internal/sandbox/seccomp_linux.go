package sandbox

import (
	"slices"
	"sync"

	"agent/internal/sandbox/confine"
	"agent/internal/sandbox/keeper"

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

// Calls that change attributes of a file without opening it, which Landlock does not
// see, and which programs can do without. Others are changeCalls.
var attributesChanged = []uint32{
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
}

// Calls that reach what processes have in common outside of a namespace of their own:
// shared memory, queues and semaphores of System V.
var sharedByAll = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
}

// Requests to devices and files that no confined command may make: typing into a
// terminal, and changes of files that are open for reading only.
var neverRequested = []uint32{
	unix.TIOCSTI, unix.TIOCLINUX,
	0x40086602, 0x40046602, 0x401c5820, // FS_IOC_SETFLAGS, that of 32 bits, FS_IOC_FSSETXATTR
	0x40087602, 0x40047602, 0x40046604, // FS_IOC_SETVERSION in all its forms
	0x800c6613, 0x40806685, // FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_ENABLE_VERITY
	0x50009401, 0x50009417, 0x5000940e, 0x50009418, 0x5000940f, 0x5000943f, 0x4008941a, 0xc0c89425, // snapshots and subvolumes of btrfs
}

// restrictions are what differs between filters.
type restrictions struct {
	// noSockets forbids to make sockets; pairs of them for oneself remain.
	noSockets bool
	// noChanges forbids changes of files that need no opening; askChanges hands them over,
	// see changes.
	noChanges, askChanges bool
	// noNamespaces forbids what namespaces would keep apart.
	noNamespaces bool
}

// filters are those that were made, by their restrictions, of which there are few.
var filters sync.Map

// filterOf returns the seccomp program that refuses calls.
func filterOf(r restrictions) []confine.Instruction {
	if made, ok := filters.Load(r); ok {
		return made.([]confine.Instruction)
	}
	made := newFilter(r)
	filters.Store(r, made)
	return made
}

// newFilter makes a seccomp program that refuses calls.
func newFilter(r restrictions) []confine.Instruction {
	f := filter{}
	f.answer(refuse, neverCalled...)
	// A filter cannot look into the arguments of clone3; clone is used instead.
	f.answer(unknown, unix.SYS_CLONE3)
	f.refuseAny(unix.SYS_CLONE, atFirst, unix.CLONE_NEWUSER, unix.CLONE_NEWUSER)
	f.refuseAny(unix.SYS_IOCTL, atSecond, allBits, neverRequested...)
	f.refuseOtherIDs()
	if r.noSockets {
		f.answer(refuse, unix.SYS_SOCKET)
		// One of a pair of other types can be pointed at a socket outside.
		const kinds = 0xf
		f.refuseAllBut(unix.SYS_SOCKETPAIR, atSecond, kinds, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
	} else {
		// Only families that namespaces hold, not those to hosts and devices.
		f.refuseAllBut(unix.SYS_SOCKET, atFirst, allBits, unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
	}
	switch {
	case r.noChanges:
		f.answer(refuse, slices.Concat(attributesChanged, changeNumbers)...)
	case r.askChanges:
		f.answer(unsupported, attributesChanged...)
		f.answer(ask, changeNumbers...)
	}
	if r.noNamespaces {
		f.answer(refuse, sharedByAll...)
		// Limits and priorities of others: a limit on its time ends a process.
		f.refuseAllBut(unix.SYS_PRLIMIT64, atFirst, allBits, 0)
		// The limit that is the command's mark; to ask for it is no change.
		f.refuseAny(unix.SYS_SETRLIMIT, atFirst, allBits, keeper.MarkLimit)
		for _, half := range []uint32{atThird, atThird + 4} {
			f.refuse(unix.SYS_PRLIMIT64, condition{atSecond, allBits, false, []uint32{keeper.MarkLimit}}, condition{half, allBits, true, []uint32{0}})
		}
		f.refuseAllBut(unix.SYS_SETPRIORITY, atFirst, allBits, unix.PRIO_PROCESS)
		f.refuseAllBut(unix.SYS_SETPRIORITY, atSecond, allBits, 0)
		f.refuseAllBut(unix.SYS_IOPRIO_SET, atFirst, allBits, ioprioProcess)
		f.refuseAllBut(unix.SYS_IOPRIO_SET, atSecond, allBits, 0)
	}
	return f.program()
}

// modeCall is a call that gives a file its mode.
type modeCall struct {
	// mode is the argument with the mode.
	mode uint32
	// flags is the argument that says whether a file is made, which alone makes the mode
	// count; 0 if it always does.
	flags uint32
}

// modeCalls are those that every architecture has.
var modeCalls = map[uint32]modeCall{
	unix.SYS_FCHMOD: {mode: atSecond}, unix.SYS_FCHMODAT: {mode: atThird}, unix.SYS_FCHMODAT2: {mode: atThird},
	unix.SYS_OPENAT: {mode: atFourth, flags: atThird}, unix.SYS_MKNODAT: {mode: atThird},
}

// refuseOtherIDs refuses to make files that run as their owner or group, by which
// another user that reaches the workspace would become this user.
func (f filter) refuseOtherIDs() {
	const (
		otherIDs = unix.S_ISUID | unix.S_ISGID
		makes    = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
	)
	for _, calls := range []map[uint32]modeCall{modeCalls, modeCallsOld} {
		for call, at := range calls {
			conditions := []condition{{at.mode, otherIDs, true, []uint32{0}}}
			if at.flags != 0 {
				conditions = append(conditions, condition{at.flags, makes, true, []uint32{0}})
			}
			f.refuse(call, conditions...)
		}
	}
	// Its mode is in memory, where a filter cannot look; programs use openat instead.
	f.answer(unknown, unix.SYS_OPENAT2)
}

// ioprioProcess is IOPRIO_WHO_PROCESS.
const ioprioProcess = 1
