package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

const architecture = unix.AUDIT_ARCH_X86_64

// modeCallsOld are the calls of this architecture that younger ones lack.
var modeCallsOld = map[uint32]modeCall{
	unix.SYS_CHMOD: {mode: atSecond}, unix.SYS_CREAT: {mode: atSecond}, unix.SYS_MKNOD: {mode: atSecond},
	unix.SYS_OPEN: {mode: atThird, flags: atSecond},
}

// changesMadeOld are the calls of this architecture that younger ones lack.
var changesMadeOld = map[uint32]func(arguments) change{
	unix.SYS_CHMOD: func(a arguments) change {
		return change{kind: rights, dir: unix.AT_FDCWD, path: a[0], mode: uint32(a[1])}
	},
	unix.SYS_CHOWN: func(a arguments) change {
		return change{kind: owner, dir: unix.AT_FDCWD, path: a[0], user: a.number(1), group: a.number(2)}
	},
	unix.SYS_LCHOWN: func(a arguments) change {
		return change{kind: owner, dir: unix.AT_FDCWD, path: a[0], user: a.number(1), group: a.number(2), noFollow: true}
	},
	unix.SYS_UTIME: func(a arguments) change {
		return change{kind: times, dir: unix.AT_FDCWD, path: a[0], times: a[1]}
	},
	unix.SYS_UTIMES: func(a arguments) change {
		return change{kind: times, dir: unix.AT_FDCWD, path: a[0], times: a[1], unit: time.Microsecond}
	},
	unix.SYS_FUTIMESAT: func(a arguments) change {
		return change{kind: times, dir: a.number(0), path: a[1], times: a[2], unit: time.Microsecond}
	},
}
