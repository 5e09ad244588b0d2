package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// modeCallsOld lists system calls with a file mode argument that amd64 has in addition to modeCalls. Newer
// architectures do not have them.
var modeCallsOld = map[uint32]modeCall{
	unix.SYS_CHMOD: {mode: atSecond}, unix.SYS_CREAT: {mode: atSecond}, unix.SYS_MKNOD: {mode: atSecond},
	unix.SYS_OPEN: {mode: atThird, flags: atSecond},
}

// changeCallsOld lists system calls that change file attributes and that amd64 has in addition to those of
// every architecture. Newer architectures do not have them.
var changeCallsOld = map[uint32]changeCall{
	unix.SYS_CHMOD:  {kind: rights, dir: none, path: 0, value: 1, flags: none},
	unix.SYS_CHOWN:  {kind: owner, dir: none, path: 0, value: 1, flags: none},
	unix.SYS_LCHOWN: {kind: owner, dir: none, path: 0, value: 1, flags: none, always: unix.AT_SYMLINK_NOFOLLOW},
	// Go's syscall package and older C libraries use these calls.
	unix.SYS_UTIME:     {kind: times, dir: none, path: 0, value: 1, flags: none},
	unix.SYS_UTIMES:    {kind: times, dir: none, path: 0, value: 1, flags: none, unit: 1000},
	unix.SYS_FUTIMESAT: {kind: times, dir: 0, path: 1, value: 2, flags: none, unit: 1000},
}
