package launcher

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Exit codes for failures of the helper itself. Otherwise it exits with the command's code.
const (
	ExitBroken   = 125
	exitSignaled = 128
)

// serve runs the helper: it receives the Spec, executes it, and returns the exit code.
func serve() int {
	syscall.CloseOnExec(Channel)
	channel := os.NewFile(Channel, "channel")
	var spec Spec
	if err := Receive(channel, &spec); err != nil {
		_, _ = os.Stderr.WriteString(Name + ": this is an internal command, which agent runs to start a command in the sandbox\n")
		return ExitBroken
	}
	ignoreSignals()
	if err := spec.confine(); err != nil {
		_ = Send(channel, &Report{Failed: err.Error()})
		return ExitBroken
	}
	if spec.Path == "" {
		_ = Send(channel, &Report{})
		return 0
	}
	if readable(0, Channel)[0] {
		return exitSignaled + int(syscall.SIGKILL) // the program has ended, so do not start the command
	}
	child, err := syscall.ForkExec(spec.Path, spec.Args, &syscall.ProcAttr{
		Dir: spec.Dir, Env: spec.Env, Files: []uintptr{0, 1, 2},
	})
	started := report(err)
	_ = Send(channel, &started)
	if err != nil {
		return ExitBroken
	}
	if !spec.KernelBounds {
		others := func() int { return len(Processes()) - 1 }
		go LimitProcesses(spec.Processes, others, func() { os.Exit(exitSignaled + int(syscall.SIGKILL)) }, nil)
	}
	code, signal := wait(child)
	_ = Send(channel, &Report{LeftBehind: endOthers(spec.Grace), Signal: uint64(signal)})
	return code
}

// ignoreSignals makes this process ignore the signals that end the command. The command gets these
// signals too. But this is the first process of its namespace: if it ended, the kernel would kill
// the command with it. ForkExec resets the signals for the command.
func ignoreSignals() {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		const ignore, sizeOfSet = 1, 8
		action := [8]uintptr{ignore} // struct sigaction, which is at most this long on all architectures
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(&action)), 0, sizeOfSet, 0, 0)
	}
}

func report(err error) Report {
	if err == nil {
		return Report{}
	}
	failed := Report{Failed: err.Error()}
	if errno, ok := err.(syscall.Errno); ok {
		failed.Refused = uint64(errno)
	}
	return failed
}

// confine drops every right that the command must not have, for this thread and the processes that
// it starts. The other threads of the helper keep their rights. So the helper is made undumpable,
// which prevents other processes from tracing it or reading its memory.
func (s *Spec) confine() error {
	if err := prctl(prSetDumpable, 0); err != nil {
		return os.NewSyscallError("dumpable", err)
	}
	if err := s.arrange(); err != nil {
		return err
	}
	ruleset := -1
	if s.Ruleset != nil {
		var err error
		if ruleset, err = s.Ruleset.Open(); err != nil {
			return err
		}
		defer syscall.Close(ruleset)
	}
	if err := KeepCapabilities(s.Capabilities); err != nil {
		return err
	}
	return Restrict(ruleset, s.Filter)
}

// wait collects ended processes until child has ended. It returns the exit code of child, and the
// signal that ended it or 0. A signal makes the code 128 plus its number. The program sends nothing
// more on the channel. When the channel becomes readable, the program has ended, and the helper
// exits.
//
// wait watches the channel and the child with one call, because a second thread would need a tenth
// of the time of the whole sandbox.
func wait(child int) (code int, signal syscall.Signal) {
	handle, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(child), 0, 0)
	if errno != 0 {
		return ExitBroken, 0
	}
	for {
		gone := readable(collectEvery, Channel, int32(handle))[0] // waits at most collectEvery, so that other processes are collected, too
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
			switch {
			case err == syscall.EINTR:
				continue
			case pid == child && status.Signaled():
				return exitSignaled + int(status.Signal()), status.Signal()
			case pid == child:
				return status.ExitStatus(), 0
			case err != nil:
				return ExitBroken, 0
			}
			if pid == 0 {
				break
			}
		}
		if gone {
			os.Exit(exitSignaled + int(syscall.SIGKILL))
		}
	}
}

// readable waits at most atMost until one of two descriptors becomes readable, and returns which
// ones are. The second descriptor may be omitted.
func readable(atMost time.Duration, descriptors ...int32) (on [2]bool) {
	ready := [2]struct {
		fd              int32
		events, revents int16
	}{}
	for i, fd := range descriptors {
		ready[i].fd, ready[i].events = fd, pollIn
	}
	timeout := syscall.NsecToTimespec(int64(atMost))
	_, _, _ = syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&ready)), uintptr(len(descriptors)), uintptr(unsafe.Pointer(&timeout)), 0, 0, 0)
	return [2]bool{ready[0].revents != 0, ready[1].revents != 0}
}

const (
	sysPidfdOpen = 434
	pollIn       = 1
	// collectEvery is the interval at which ended processes without a parent are collected.
	collectEvery = 100 * time.Millisecond
)

// poll is the interval at which endOthers checks for remaining processes.
const poll = 5 * time.Millisecond

// endOthers sends every process of the namespace the signal to end and waits for them, at most
// grace. The kernel kills the rest when this process ends. It reports whether there were any
// processes.
func endOthers(grace time.Duration) bool {
	if !othersLive() {
		return false
	}
	_ = syscall.Kill(-1, syscall.SIGTERM)
	for waited := time.Duration(0); waited < grace && othersLive(); waited += poll {
		time.Sleep(poll)
	}
	return true
}

// othersLive collects ended processes and reports whether any process still runs. Every process
// whose parent has ended is a child of this one.
func othersLive() bool {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR || err == nil && pid > 0 {
			continue
		}
		return err == nil
	}
}

// setFlags sets the flags of a network device.
func setFlags(socket int, device string, flags uint16) error {
	var request struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], device)
	request.flags = flags
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); errno != 0 {
		return errno
	}
	return nil
}
