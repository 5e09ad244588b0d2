package launcher

import (
	"os"
	"syscall"
	"unsafe"
)

// Numbers of system calls that package syscall lacks. They are the same on all architectures.
const (
	sysOpenTree         = 428
	sysOpenat2          = 437
	sysMoveMount        = 429
	sysMountSetattr     = 442
	sysLandlockCreate   = 444
	sysLandlockAddRule  = 445
	sysLandlockRestrict = 446
)

// onFiles is the set of Landlock rights that apply to a file. The others apply to folders.
const onFiles = 1<<0 | 1<<1 | 1<<2 | 1<<14 | 1<<15 // execute, write, read, truncate, ioctl

const landlockPathBeneath = 1

type landlockAttr struct{ handledFS, handledNet, scoped uint64 }

// Open creates the ruleset in the kernel and returns its descriptor. Rules for paths that do not
// exist are omitted.
func (r *Ruleset) Open() (fd int, err error) {
	attr := landlockAttr{handledFS: r.Handled, scoped: r.Scoped}
	size := unsafe.Sizeof(attr)
	if r.Scoped == 0 {
		size = 16 // kernels without scopes accept only the first two fields
	}
	opened, _, errno := syscall.RawSyscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return -1, os.NewSyscallError("landlock", errno)
	}
	fd = int(opened)
	for _, rule := range r.Rules {
		if err := addRule(fd, rule, r.Handled); err != nil {
			syscall.Close(fd)
			return -1, wrapError("allow", rule.Path, err)
		}
	}
	return fd, nil
}

func addRule(ruleset int, rule Rule, handled uint64) error {
	const oPath = 0x200000
	fd, err := syscall.Open(rule.Path, oPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	access := rule.Access & handled
	if stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		access &= onFiles
	}
	if access == 0 {
		return nil
	}
	// struct landlock_path_beneath_attr is packed: 8 bytes of rights, 4 of file.
	var attr [12]byte
	*(*uint64)(unsafe.Pointer(&attr[0])) = access
	*(*int32)(unsafe.Pointer(&attr[8])) = int32(fd)
	if _, _, errno := syscall.RawSyscall6(sysLandlockAddRule, uintptr(ruleset), landlockPathBeneath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// Restrict applies a ruleset and a filter to the calling thread and every process that it starts
// afterwards. ruleset is a descriptor, or -1 for none. The restriction cannot be undone.
func Restrict(ruleset int, filter []Instruction) error {
	if err := prctl(prSetNoNewPrivs, 1); err != nil {
		return os.NewSyscallError("no_new_privs", err)
	}
	if ruleset >= 0 {
		if _, _, errno := syscall.RawSyscall(sysLandlockRestrict, uintptr(ruleset), 0, 0); errno != 0 {
			return os.NewSyscallError("landlock_restrict_self", errno)
		}
	}
	return os.NewSyscallError("seccomp", setFilter(filter))
}

const (
	prSetDumpable   = 4
	prSetSeccomp    = 22
	prCapBSetDrop   = 24
	prSetNoNewPrivs = 38
	prCapAmbient    = 47

	capAmbientClearAll = 4
	seccompModeFilter  = 2
)

func prctl(option, value uintptr) error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, value, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func setFilter(filter []Instruction) error {
	if len(filter) == 0 {
		return nil
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: (*syscall.SockFilter)(unsafe.Pointer(&filter[0]))}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetSeccomp, seccompModeFilter, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}

// lastCapability is at least as high as the highest capability of any kernel.
const lastCapability = 63

// KeepCapabilities drops every capability of the calling thread except the set keep. Processes that
// it starts do not get them back.
func KeepCapabilities(keep uint64) error {
	for c := uintptr(0); c <= lastCapability; c++ {
		if keep&(1<<c) != 0 {
			continue
		}
		if err := prctl(prCapBSetDrop, c); err == syscall.EINVAL {
			break // this kernel has no further capabilities
		} else if err != nil && err != syscall.EPERM {
			return os.NewSyscallError("capabilities", err)
		}
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapAmbient, capAmbientClearAll, 0, 0, 0, 0); errno != 0 {
		return os.NewSyscallError("capabilities", errno)
	}
	header := struct{ version, pid uint32 }{version: 0x20080522}
	var sets [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0); errno != 0 {
		return os.NewSyscallError("capabilities", errno)
	}
	for i := range sets {
		mask := uint32(keep >> (32 * i))
		sets[i].effective &= mask
		sets[i].permitted &= mask
		sets[i].inheritable = 0
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0)
	if errno != 0 {
		return os.NewSyscallError("capabilities", errno)
	}
	return nil
}
