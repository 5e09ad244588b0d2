package sandbox

import (
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

// Calls that change attributes of a file without opening it, which Landlock does not
// see, and which programs can do without. Others are callsMade.
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

// Codes of the kernel's filter machine and what it may answer.
const (
	bpfLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfAnd   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
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
// all that the calls below look at.
const (
	atCall         = 0
	atArchitecture = 4
	atFirst        = 16
	atSecond       = 24
	atThird        = 32
)

// x32Calls is where x86-64 numbers its 32-bit calls from, which are others for the
// same numbers.
const x32Calls = 0x40000000

// allBits masks nothing.
const allBits = ^uint32(0)

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

// newFilter makes a seccomp program that refuses calls.
func newFilter(r restrictions) filter {
	f := filter{
		load(atArchitecture), jump(bpfEqual, architecture, 1, 0), end(kill),
		load(atCall), jump(bpfAbove, x32Calls, 0, 1), end(refuse),
	}
	f.answer(refuse, neverCalled...)
	// A filter cannot look into the arguments of clone3; clone is used instead.
	f.answer(unknown, unix.SYS_CLONE3)
	f.refuseAny(unix.SYS_CLONE, atFirst, unix.CLONE_NEWUSER, unix.CLONE_NEWUSER)
	f.refuseAny(unix.SYS_IOCTL, atSecond, allBits, neverRequested...)
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
		f.answer(refuse, append(attributesChanged, callsMade...)...)
	case r.askChanges:
		f.answer(unsupported, attributesChanged...)
		f.answer(ask, callsMade...)
	}
	if r.noNamespaces {
		f.answer(refuse, sharedByAll...)
		// Limits and priorities of others: a limit on its time ends a process.
		f.refuseAllBut(unix.SYS_PRLIMIT64, atFirst, allBits, 0)
		// The limit that is the command's mark; to ask for it is no change.
		f.refuseAny(unix.SYS_SETRLIMIT, atFirst, allBits, confine.MarkLimit)
		for _, half := range []uint32{atThird, atThird + 4} {
			f.refuse(unix.SYS_PRLIMIT64, condition{atSecond, allBits, false, []uint32{confine.MarkLimit}}, condition{half, allBits, true, []uint32{0}})
		}
		f.refuseAllBut(unix.SYS_SETPRIORITY, atFirst, allBits, unix.PRIO_PROCESS)
		f.refuseAllBut(unix.SYS_SETPRIORITY, atSecond, allBits, 0)
		f.refuseAllBut(unix.SYS_IOPRIO_SET, atFirst, allBits, ioprioProcess)
		f.refuseAllBut(unix.SYS_IOPRIO_SET, atSecond, allBits, 0)
	}
	return append(f, end(allow))
}

// ioprioProcess is IOPRIO_WHO_PROCESS.
const ioprioProcess = 1

// filter is a seccomp program. Between its parts the number of the call is loaded.
type filter []confine.Instruction

// answer answers calls.
func (f *filter) answer(answer uint32, calls ...uint32) {
	for _, call := range calls {
		*f = append(*f, jump(bpfEqual, call, 0, 1), end(answer))
	}
}

// condition is one on an argument: that, masked, it is one of some values, or none.
type condition struct {
	argument, mask uint32
	none           bool
	values         []uint32
}

// refuseAny refuses a call when an argument, masked, is one of some values.
func (f *filter) refuseAny(call, argument, mask uint32, values ...uint32) {
	f.refuse(call, condition{argument, mask, false, values})
}

// refuseAllBut refuses a call unless an argument, masked, is one of some values.
func (f *filter) refuseAllBut(call, argument, mask uint32, values ...uint32) {
	f.refuse(call, condition{argument, mask, true, values})
}

// refuse refuses a call of which all conditions hold.
func (f *filter) refuse(call uint32, conditions ...condition) {
	rest := 0 // of the instructions to the end
	for _, c := range conditions {
		rest += len(c.values) + 2
	}
	body := filter{}
	for _, c := range conditions {
		rest -= len(c.values) + 2
		body = append(append(body, load(c.argument), confine.Instruction{Code: bpfAnd, K: c.mask}), c.compare(rest+1)...)
	}
	body = append(body, end(refuse), load(atCall))
	*f = append(append(*f, jump(bpfEqual, call, 0, uint8(len(body)))), body...)
}

// compare leaves out fails instructions behind it when the condition does not hold.
func (c condition) compare(fails int) filter {
	equal, other := 0, fails
	if c.none {
		equal, other = fails, 0
	}
	var f filter
	for i, value := range c.values {
		left := len(c.values) - 1 - i
		no := 0
		if left == 0 {
			no = other
		}
		f = append(f, jump(bpfEqual, value, uint8(left+equal), uint8(no)))
	}
	return f
}

func load(at uint32) confine.Instruction { return confine.Instruction{Code: bpfLoad, K: at} }

func jump(code uint16, k uint32, yes, no uint8) confine.Instruction {
	return confine.Instruction{Code: code, Jt: yes, Jf: no, K: k}
}

func end(answer uint32) confine.Instruction { return confine.Instruction{Code: bpfEnd, K: answer} }
