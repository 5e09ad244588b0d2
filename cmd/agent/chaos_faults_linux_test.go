//go:build chaos

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// diskFault makes the disk fail. The calls of the program from one number to another, counted from
// 1, return an error. If kills is set, the first of these calls kills the program.
type diskFault struct {
	from, to int
	error    syscall.Errno
	kills    bool
}

// always is the last call of a permanent fault.
const always = 1 << 30

func (f diskFault) String() string {
	if f.kills {
		return fmt.Sprintf("killed at call %d", f.from)
	}
	if f.to == always {
		return fmt.Sprintf("%s from call %d on", unix.ErrnoName(f.error), f.from)
	}
	return fmt.Sprintf("%s at calls %d to %d", unix.ErrnoName(f.error), f.from, f.to)
}

// diskCalls has the system calls that change a disk. The value is true for a call whose file is a
// descriptor, because a descriptor may also be a pipe or a terminal.
var diskCalls = map[uint32]bool{
	unix.SYS_WRITE: true, unix.SYS_PWRITE64: true, unix.SYS_WRITEV: true, unix.SYS_COPY_FILE_RANGE: false,
	unix.SYS_FSYNC: true, unix.SYS_FDATASYNC: true, unix.SYS_FTRUNCATE: true, unix.SYS_TRUNCATE: false, unix.SYS_FALLOCATE: true,
	unix.SYS_OPENAT: false, unix.SYS_MKDIRAT: false, unix.SYS_RENAMEAT: false, unix.SYS_RENAMEAT2: false,
	unix.SYS_LINKAT: false, unix.SYS_SYMLINKAT: false, unix.SYS_UNLINKAT: false,
	unix.SYS_FCHMOD: true, unix.SYS_FCHOWN: true, unix.SYS_UTIMENSAT: false,
}

// freeing are the calls that work on a full disk.
var freeing = []uint32{unix.SYS_UNLINKAT, unix.SYS_FTRUNCATE, unix.SYS_TRUNCATE, unix.SYS_FCHMOD, unix.SYS_FCHOWN, unix.SYS_UTIMENSAT}

// full reports whether the fault is a full disk.
func (f diskFault) full() bool { return f.error == unix.ENOSPC || f.error == unix.EDQUOT }

// hits reports whether a call fails.
func (f diskFault) hits(number int, call uint32) bool {
	return f.from <= number && number <= f.to && !(f.full() && slices.Contains(freeing, call))
}

// faultyName is the name under which the test binary starts another program on a failing disk.
const faultyName = "agent-on-a-faulty-disk"

func init() { programs[faultyName] = faulty }

// faulty hands its disk calls to its parent, and then executes the program in its arguments.
func faulty() {
	runtime.LockOSThread()
	listener, err := filterDiskCalls()
	if err == nil {
		err = unix.Sendmsg(3, []byte{1}, unix.UnixRights(listener), nil, 0)
	}
	if err == nil {
		unix.Close(listener)
		unix.Close(3)
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "no faults can be made:", err)
	os.Exit(exitFailed)
}

// filterDiskCalls installs a seccomp filter on this thread and returns its listener. The filter hands each
// call to the disk to the owner of the listener.
func filterDiskCalls() (listener int, err error) {
	const (
		load, equal, and, end = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, unix.BPF_RET | unix.BPF_K
		atCall, atThird       = 0, 32 // offsets in struct seccomp_data
		withoutName           = unix.O_TMPFILE &^ unix.O_DIRECTORY
	)
	filter := []unix.SockFilter{{Code: load, K: atCall}}
	for call := range diskCalls {
		if call != unix.SYS_OPENAT {
			filter = append(filter, unix.SockFilter{Code: equal, K: call, Jf: 1}, unix.SockFilter{Code: end, K: unix.SECCOMP_RET_USER_NOTIF})
		}
	}
	filter = append(filter, []unix.SockFilter{
		{Code: equal, K: unix.SYS_OPENAT, Jf: 4},
		{Code: load, K: atThird},
		{Code: and, K: unix.O_CREAT | withoutName},
		{Code: equal, K: 0, Jt: 1},
		{Code: end, K: unix.SECCOMP_RET_USER_NOTIF},
		{Code: end, K: unix.SECCOMP_RET_ALLOW},
	}...)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// faultyDisk is the disk of one program, below a folder.
type faultyDisk struct {
	fault  diskFault
	folder string

	mu sync.Mutex
	// calls counts the calls, failed the calls that failed.
	calls, failed int
	// judging ends after the last filtered process.
	judging sync.WaitGroup
}

// start starts cmd by calling the function start. cmd may change the disk only below the folder.
func (d *faultyDisk) start(t *testing.T, cmd *exec.Cmd, start func(*exec.Cmd) error) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "theirs")
	defer unix.Close(pair[0])
	self, err := exec.LookPath(faultyName)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = append([]string{faultyName}, cmd.Args...)
	cmd.Path, cmd.ExtraFiles = self, []*os.File{theirs}
	err = start(cmd)
	theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		_ = cmd.Process.Kill()
		t.Skipf("the kernel does not hand over calls: %v", err)
	}
	messages, _ := unix.ParseSocketControlMessage(rights[:n])
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	d.judging.Go(func() { d.judge(fds[0], cmd.Process.Pid) })
}

// seccompRequest and seccompResponse are structures of linux/seccomp.h.
type (
	seccompRequest struct {
		id         uint64
		pid, flags uint32
		call       int32
		arch       uint32
		ip         uint64
		args       [6]uint64
	}
	seccompResponse struct {
		id    uint64
		value int64
		error int32
		flags uint32
	}
)

// judge answers calls until no process remains that can make one.
func (d *faultyDisk) judge(listener, program int) {
	defer unix.Close(listener)
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			if ready[0].Revents != 0 {
				return
			}
			continue
		}
		var call seccompRequest
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&call))); errno != 0 {
			continue // the calling thread has ended
		}
		answer := seccompResponse{id: call.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		switch fails := d.fails(call, program); {
		case fails && d.fault.kills:
			_ = unix.Kill(program, unix.SIGKILL)
		case fails:
			answer.flags, answer.error = 0, -int32(d.fault.error)
		}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&answer)))
	}
}

// fails reports whether a call must fail. Only calls of the program itself on files below the
// folder count.
func (d *faultyDisk) fails(call seccompRequest, program int) bool {
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", program, call.pid)); err != nil {
		return false
	}
	if diskCalls[uint32(call.call)] {
		path, err := os.Readlink("/proc/" + strconv.Itoa(int(call.pid)) + "/fd/" + strconv.Itoa(int(int32(call.args[0]))))
		if err != nil || !strings.HasPrefix(path, d.folder+string(filepath.Separator)) {
			return false
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	fails := d.fault.hits(d.calls, uint32(call.call))
	if fails {
		d.failed++
	}
	return fails
}
