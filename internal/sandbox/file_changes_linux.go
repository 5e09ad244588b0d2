package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"agent/internal/base/fsutil"
)

// changer changes attributes of files for a command on a thread: mode, owner and times, which
// Landlock does not control. The kernel forwards such calls to this program instead of executing
// them. The changer opens the file, checks its path, and changes the opened file, so that no
// process can replace the file in between. If the kernel refused such calls instead, git init, git
// clone, npm install, tar -x and python -m venv would fail.
//
// Calls that package os makes between fork and exec must not be forwarded. The thread that forks
// waits for its child at that time, and the child would wait for this program.
type changer struct {
	// Files below writable may be changed, unless they are below hidden.
	writable, hidden []string
	listener         *os.File
}

// notification is a call that the kernel forwards. reply is the answer to it. Both have the layout
// of linux/seccomp.h.
type (
	notification struct {
		id         uint64
		pid, flags uint32
		call       int32
		arch       uint32
		ip         uint64
		args       arguments
	}
	reply struct {
		id    uint64
		value int64
		error int32
		flags uint32
	}
)

// newChanger starts a changer for the calls of a listener. Its close method ends it.
func newChanger(listener int, p Policy) *changer {
	_ = unix.SetNonblock(listener, true) // a nonblocking listener does not occupy a thread
	c := &changer{
		writable: append(p.writable(), "/dev/shm"), hidden: p.DenyRead,
		listener: os.NewFile(uintptr(listener), "changes"),
	}
	go c.serve()
	return c
}

// close ends the changer, which may be nil.
func (c *changer) close() {
	if c != nil {
		_ = c.listener.Close()
	}
}

// serve answers calls until the listener is closed or the last process of the command has ended.
func (c *changer) serve() {
	listener, err := c.listener.SyscallConn()
	for err == nil {
		err = listener.Read(func(fd uintptr) bool {
			ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if n, pollErr := unix.Poll(ready, 0); n == 0 || errors.Is(pollErr, unix.EINTR) {
				return false
			}
			if ready[0].Revents&unix.POLLIN == 0 {
				err = os.ErrClosed
				return true
			}
			c.answer(fd)
			return true
		})
	}
}

// answer receives one call and answers it.
func (c *changer) answer(listener uintptr) {
	var call notification
	if ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&call)) != nil {
		return // the process has already ended
	}
	valid := func() bool {
		return ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&call.id)) == nil
	}
	answer := reply{id: call.id}
	var errno syscall.Errno
	if err := c.make(request{call, valid}); errors.As(err, &errno) {
		answer.error = -int32(errno)
	} else if err != nil {
		answer.error = -int32(unix.EPERM)
	}
	_ = ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&answer))
}

func ioctl(fd uintptr, number uintptr, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, number, uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}

func (c *changer) make(r request) error {
	call, known := changeCalls[uint32(r.call)]
	if !known {
		return unix.ENOSYS
	}
	fd, err := r.open(call)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var when []unix.Timespec
	if call.kind == times {
		when, err = r.timesAt(r.args[call.value], call.unit)
	}
	switch {
	case err != nil:
		return err
	case !r.valid(): // the process ended, and another process may have its ID now
		return unix.ESRCH
	case !c.may(fd):
		return unix.EPERM
	}
	restore, err := r.impersonate()
	if err != nil {
		return err
	}
	defer restore()
	switch call.kind {
	case rights:
		return unix.Chmod(procFile(fd), uint32(r.args[call.value]))
	case owner:
		return unix.Fchownat(fd, "", r.args.number(call.value), r.args.number(call.value+1), unix.AT_EMPTY_PATH)
	default:
		return unix.UtimesNanoAt(fd, "", when, unix.AT_EMPTY_PATH)
	}
}

// may reports whether the command may change an opened file: the file is in a writable folder, or
// no longer has a name.
func (c *changer) may(fd int) bool {
	var stat unix.Stat_t
	path, err := os.Readlink(procFile(fd))
	if err != nil || unix.Fstat(fd, &stat) != nil {
		return false
	}
	if stat.Nlink == 0 || !filepath.IsAbs(path) {
		return true
	}
	in := func(folder string) bool { return fsutil.Within(path, folder) }
	return slices.ContainsFunc(c.writable, in) && !slices.ContainsFunc(c.hidden, in)
}

func procFile(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// request is a call whose process waits for the answer. valid reports whether the process still
// waits.
type request struct {
	notification
	valid func() bool
}

func (r request) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", r.pid, name) }

// open opens the file of a call without any access right.
func (r request) open(call changeCall) (int, error) {
	base := r.proc("cwd")
	if call.dir != none && r.args.number(call.dir) != unix.AT_FDCWD {
		base = r.proc(fmt.Sprintf("fd/%d", r.args.number(call.dir)))
	}
	how, flags, path := unix.O_PATH|unix.O_CLOEXEC, r.args.at(call.flags)|call.always, ""
	if at := r.args.at(call.path); at != 0 {
		var err error
		if path, err = r.text(at); err != nil {
			return -1, err
		}
		if path == "" && flags&unix.AT_EMPTY_PATH == 0 {
			return -1, unix.ENOENT
		}
	}
	if path == "" {
		return unix.Open(base, how, 0)
	}
	for _, own := range []string{"/proc/self/", "/proc/thread-self/", "/dev/"} {
		if rest, ok := strings.CutPrefix(path, own); ok && (own != "/dev/" || strings.HasPrefix(rest, "fd/")) {
			path = r.proc(rest) // the path refers to the process, not to this program
		}
	}
	if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how |= unix.O_NOFOLLOW
	}
	if filepath.IsAbs(path) {
		return unix.Open(path, how, 0)
	}
	dir, err := unix.Open(base, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(dir)
	return unix.Openat(dir, path, how, 0)
}

// text reads a string from the memory of the process.
func (r request) text(at uint64) (string, error) {
	memory := make([]byte, unix.PathMax)
	text, _, ends := bytes.Cut(memory[:r.read(at, memory)], []byte{0})
	if !ends {
		return "", unix.ENAMETOOLONG
	}
	return string(text), nil
}

// read reads from the memory of the process and returns the number of bytes.
func (r request) read(at uint64, into []byte) int {
	memory, err := os.Open(r.proc("mem"))
	if err != nil {
		return 0
	}
	defer memory.Close()
	n, _ := memory.ReadAt(into, int64(at))
	return n
}

// impersonate makes this thread access files as the user of the process, because a command of root
// can switch to any user. restore undoes this.
func (r request) impersonate() (restore func(), err error) {
	nothing := func() {}
	if os.Geteuid() != 0 {
		return nothing, nil
	}
	status, err := os.ReadFile(r.proc("status"))
	if err != nil {
		return nil, err
	}
	_, line, _ := strings.Cut(string(status), "\nUid:")
	var real, effective, saved, user int
	if _, err := fmt.Sscan(line, &real, &effective, &saved, &user); err != nil || !r.valid() {
		return nil, unix.ESRCH
	}
	if user == 0 {
		return nothing, nil
	}
	setUser := func(user int) { _, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, uintptr(user), 0, 0) }
	runtime.LockOSThread() // the identity belongs to the thread
	setUser(user)
	return func() { setUser(0); runtime.UnlockOSThread() }, nil
}
