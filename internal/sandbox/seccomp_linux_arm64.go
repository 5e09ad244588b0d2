package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// What younger architectures lack, such as this one.
var (
	changeCallsOld map[uint32]changeCall
	modeCallsOld   map[uint32]modeCall
)
