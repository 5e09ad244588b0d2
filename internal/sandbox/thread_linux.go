package sandbox

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/launcher"
)

// threadABI is the first version of Landlock that controls the truncation of files.
const threadABI = 3

// confineThread confines the calling thread and every process that it starts afterwards. It returns
// the changer for the command, or nil if the command may not change files.
func (r *rulesets) confineThread(policy Policy) (*changer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ruleset, err := r.of(policy)
	if err != nil {
		return nil, err
	}
	if err := launcher.KeepCapabilities(keptByRoot); err != nil {
		return nil, err
	}
	limits := restrictions{noSockets: !policy.network(), noChanges: policy.Profile == ProfileReadOnly, askChanges: policy.Profile == ProfileWork, noNamespaces: true}
	if !limits.askChanges {
		return nil, launcher.Restrict(ruleset, filterOf(limits))
	}
	if err := launcher.Restrict(ruleset, nil); err != nil {
		return nil, err
	}
	listener, err := listen(filterOf(limits))
	if errors.Is(err, unix.EBUSY) { // this program is itself below a listener, which decides
		limits.askChanges = false
		return nil, launcher.Restrict(-1, filterOf(limits))
	}
	if err != nil {
		return nil, err
	}
	return newChanger(listener, policy), nil
}

// listen installs a filter on the calling thread and returns the descriptor that receives the
// calls.
func listen(f []launcher.Instruction) (listener int, err error) {
	program := unix.SockFprog{Len: uint16(len(f)), Filter: (*unix.SockFilter)(unsafe.Pointer(&f[0]))}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, os.NewSyscallError("seccomp", errno)
	}
	return int(fd), nil
}
