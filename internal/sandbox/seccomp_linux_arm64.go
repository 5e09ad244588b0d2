package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// changesMadeOld are calls that this architecture never had.
var changesMadeOld map[uint32]func(arguments) change

// modeCallsOld are calls that younger architectures lack, such as this one.
var modeCallsOld map[uint32]modeCall
