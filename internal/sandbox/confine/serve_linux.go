package confine

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Exit codes of the helper itself; else it ends with that of the command.
const (
	ExitBroken    = 125
	exitSignalled = 128
)

// serve is the helper: it reads what to do, does it, and returns the exit code.
func serve() int {
	syscall.CloseOnExec(Channel)
	channel := os.NewFile(Channel, "channel")
	var spec Spec
	if err := Receive(channel, &spec); err != nil {
		_, _ = os.Stderr.WriteString(Name + ": this is started by agent itself, to run a command in its sandbox\n")
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
	if happens(0, Channel)[0] {
		return exitSignalled + int(syscall.SIGKILL) // the program is gone, and nothing is to begin
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
		go Bound(spec.Processes, others, func() { os.Exit(exitSignalled + int(syscall.SIGKILL)) }, nil)
	}
	code := wait(child)
	_ = Send(channel, &Report{Left: endOthers(spec.Grace)})
	return code
}

// ignoreSignals has this process live on when the command is asked to end: signals are
// for the command, which gets them too. As the first process of its namespace this one
// would else end of them and take the command along. What it starts gets them as ever.
func ignoreSignals() {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		const ignore, sizeOfSet = 1, 8
		action := [8]uintptr{ignore} // struct sigaction, which is shorter everywhere
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(&action)), 0, sizeOfSet, 0, 0)
	}
}

// report says how the start of the command went.
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

// confine gives up what the command must not have, for this thread and all that it
// starts. Other threads of the helper keep their rights, so nobody may get at them:
// not being dumpable, it cannot be traced or read.
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

// wait buries processes until child has ended and returns its exit code, 128 and
// the number of the signal when one ended it. Nothing more is ever said on the channel:
// when something comes, it is that the program has ended, and everything ends.
//
// It looks at both at once, so that there is one thread: another one costs a tenth of
// the whole sandbox.
func wait(child int) int {
	handle, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(child), 0, 0)
	if errno != 0 {
		return ExitBroken
	}
	for {
		gone := happens(burial, Channel, int32(handle))[0] // others are buried now and then
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
			switch {
			case err == syscall.EINTR:
				continue
			case pid == child && status.Signaled():
				return exitSignalled + int(status.Signal())
			case pid == child:
				return status.ExitStatus()
			case err != nil:
				return ExitBroken
			}
			if pid == 0 {
				break
			}
		}
		if gone {
			os.Exit(exitSignalled + int(syscall.SIGKILL))
		}
	}
}

// happens waits, at most a while, until something happens on one of two descriptors, and
// says on which. Without a second one it looks at the first alone.
func happens(atMost time.Duration, descriptors ...int32) (on [2]bool) {
	ready := [2]struct {
		fd              int32
		events, happens int16
	}{}
	for i, fd := range descriptors {
		ready[i].fd, ready[i].events = fd, pollIn
	}
	timeout := syscall.NsecToTimespec(int64(atMost))
	_, _, _ = syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&ready)), uintptr(len(descriptors)), uintptr(unsafe.Pointer(&timeout)), 0, 0, 0)
	return [2]bool{ready[0].happens != 0, ready[1].happens != 0}
}

const (
	sysPidfdOpen = 434
	pollIn       = 1
	// burial is how often the dead are buried whose parents are gone.
	burial = 100 * time.Millisecond
)

// poll is how often the end of other processes is looked for.
const poll = 5 * time.Millisecond

// endOthers asks every process of the namespace to end and waits for it, at most
// grace; the kernel ends what is left with this process. It reports whether there
// were any.
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

// othersLive buries the dead and reports whether any process lives. All are
// children of the first one when their parents are gone.
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
