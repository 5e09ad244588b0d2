//go:build unix

package fsutil

import "syscall"

// onlyFolder is the flag of an open call that opens folders only.
const onlyFolder = syscall.O_DIRECTORY
