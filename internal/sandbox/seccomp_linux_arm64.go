package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// This architecture has no old calls.
var (
	changeCallsOld map[uint32]changeCall
	modeCallsOld   map[uint32]modeCall
)
