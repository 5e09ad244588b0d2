package sandbox

import (
	"slices"
	"sync"

	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"

	"golang.org/x/sys/unix"
)

// neverCalled lists calls that no confined command may make. They access other processes, use the
// kernel's keyrings, bypass the filter, or change parts of the sandbox.
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

// attributesChanged lists calls that change attributes of a file without opening it. Landlock does
// not check them, and programs can do without them. changeCalls lists the other such calls.
var attributesChanged = []uint32{
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
}

// sharedByAll lists calls for the shared memory, queues and semaphores of System V. Without a
// separate namespace, all processes of the system share these.
var sharedByAll = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
}

// neverRequested lists requests to devices and files that no confined command may make. They insert
// input into a terminal, or change files that are open only for reading.
var neverRequested = []uint32{
	unix.TIOCSTI, unix.TIOCLINUX,
	0x40086602, 0x40046602, 0x401c5820, // FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR
	0x40087602, 0x40047602, 0x40046604, // FS_IOC_SETVERSION in all its forms
	0x800c6613, 0x40806685, // FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_ENABLE_VERITY
	0x50009401, 0x50009417, 0x5000940e, 0x50009418, 0x5000940f, 0x5000943f, 0x4008941a, 0xc0c89425, // snapshots and subvolumes of btrfs
}

// restrictions are the options of a filter.
type restrictions struct {
	// noSockets forbids sockets, except socket pairs within the command.
	noSockets bool
	// noChanges forbids calls that change a file without opening it. askChanges sends such calls to
	// this program, whose changer carries them out.
	noChanges, askChanges bool
	// noNamespaces is set if the command shares the namespaces of this program. It forbids calls
	// that would be harmless in a separate namespace.
	noNamespaces bool
}

// filters caches the few programs by their restrictions.
var filters sync.Map

// filterOf returns the seccomp program for the restrictions, from the cache if possible.
func filterOf(r restrictions) []launcher.Instruction {
	if made, ok := filters.Load(r); ok {
		return made.([]launcher.Instruction)
	}
	made := newFilter(r)
	filters.Store(r, made)
	return made
}

// newFilter builds the seccomp program for the restrictions.
func newFilter(r restrictions) []launcher.Instruction {
	f := filter{}
	f.answer(refuse, neverCalled...)
	// A filter cannot read the arguments of clone3. Programs fall back to clone.
	f.answer(unknown, unix.SYS_CLONE3)
	f.refuseAny(unix.SYS_CLONE, atFirst, unix.CLONE_NEWUSER, unix.CLONE_NEWUSER)
	f.refuseAny(unix.SYS_IOCTL, atSecond, allBits, neverRequested...)
	f.refuseOtherIDs()
	if r.noSockets {
		f.answer(refuse, unix.SYS_SOCKET)
		// Either end of a datagram pair could be connected to a socket outside.
		const kinds = 0xf
		f.refuseAllBut(unix.SYS_SOCKETPAIR, atSecond, kinds, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
	} else {
		// Only families that a namespace confines are allowed. Others reach the host and its
		// devices.
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
		// Limits and priorities of other processes: a limit on CPU time ends a process.
		f.refuseAllBut(unix.SYS_PRLIMIT64, atFirst, allBits, 0)
		// This limit stores the command's mark. Reading it is allowed.
		f.refuseAny(unix.SYS_SETRLIMIT, atFirst, allBits, supervisor.MarkLimit)
		for _, half := range []uint32{atThird, atThird + 4} {
			f.refuse(unix.SYS_PRLIMIT64, condition{atSecond, allBits, false, []uint32{supervisor.MarkLimit}}, condition{half, allBits, true, []uint32{0}})
		}
		f.refuseAllBut(unix.SYS_SETPRIORITY, atFirst, allBits, unix.PRIO_PROCESS)
		f.refuseAllBut(unix.SYS_SETPRIORITY, atSecond, allBits, 0)
		f.refuseAllBut(unix.SYS_IOPRIO_SET, atFirst, allBits, ioprioProcess)
		f.refuseAllBut(unix.SYS_IOPRIO_SET, atSecond, allBits, 0)
	}
	return f.program()
}

// modeCall describes a call that sets the mode of a file.
type modeCall struct {
	// mode is the offset of the argument that holds the mode.
	mode uint32
	// flags is the offset of the argument with the flag that the call creates a file. The mode has
	// a meaning only then. If flags is 0, the mode always has one.
	flags uint32
}

// modeCalls lists the system calls with a file mode argument that every architecture has.
var modeCalls = map[uint32]modeCall{
	unix.SYS_FCHMOD: {mode: atSecond}, unix.SYS_FCHMODAT: {mode: atThird}, unix.SYS_FCHMODAT2: {mode: atThird},
	unix.SYS_OPENAT: {mode: atFourth, flags: atThird}, unix.SYS_MKNODAT: {mode: atThird},
}

// refuseOtherIDs refuses calls that make files setuid or setgid. Through such a file, another user
// who can reach the workspace would get the rights of this user.
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
	// The mode of openat2 is in memory, which a filter cannot read. Programs fall back to openat.
	f.answer(unknown, unix.SYS_OPENAT2)
}

// ioprioProcess is IOPRIO_WHO_PROCESS.
const ioprioProcess = 1
