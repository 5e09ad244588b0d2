package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// modeCallsOld are the calls of this architecture that younger ones lack.
var modeCallsOld = map[uint32]modeCall{
	unix.SYS_CHMOD: {mode: atSecond}, unix.SYS_CREAT: {mode: atSecond}, unix.SYS_MKNOD: {mode: atSecond},
	unix.SYS_OPEN: {mode: atThird, flags: atSecond},
}

// changeCallsOld are the calls of this architecture that younger ones lack.
var changeCallsOld = map[uint32]changeCall{
	unix.SYS_CHMOD:  {kind: rights, dir: none, path: 0, value: 1, flags: none},
	unix.SYS_CHOWN:  {kind: owner, dir: none, path: 0, value: 1, flags: none},
	unix.SYS_LCHOWN: {kind: owner, dir: none, path: 0, value: 1, flags: none, always: unix.AT_SYMLINK_NOFOLLOW},
}

// attributesChangedOld are the calls of this architecture that younger ones lack.
var attributesChangedOld = []uint32{unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
