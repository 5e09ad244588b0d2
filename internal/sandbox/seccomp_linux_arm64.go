package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// changesByNameOld are calls that this architecture never had.
var changesByNameOld []uint32
