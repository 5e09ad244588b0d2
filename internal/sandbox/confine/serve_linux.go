package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

// Exit codes of the helper itself; else it ends with that of the command.
const (
	exitBroken    = 125
	exitSignalled = 128
)

// serve is the helper: it reads what to do, does it, and returns the exit code.
func serve() int {
	syscall.CloseOnExec(Channel)
	channel := os.NewFile(Channel, "channel")
	var spec Spec
	input := json.NewDecoder(channel)
	if err := input.Decode(&spec); err != nil {
		fmt.Fprintln(os.Stderr, Name+": this is started by agent itself, to run a command in its sandbox")
		return exitBroken
	}
	output := json.NewEncoder(channel)
	// Signals are for the command, which gets them too. As the first process of
	// its namespace this one would else end of them and take the command along.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	if err := spec.confine(); err != nil {
		_ = output.Encode(Report{Failed: err.Error()})
		return exitBroken
	}
	if spec.Path == "" {
		_ = output.Encode(Report{})
		return 0
	}
	child, err := syscall.ForkExec(spec.Path, spec.Args, &syscall.ProcAttr{
		Dir: spec.Dir, Env: spec.Env, Files: []uintptr{0, 1, 2},
	})
	_ = output.Encode(report(err))
	if err != nil {
		return exitBroken
	}
	go func() {
		// Nothing more is ever said: this ends when the program does.
		var more Spec
		_ = input.Decode(&more)
		os.Exit(exitSignalled + int(syscall.SIGKILL))
	}()
	if !spec.KernelBounds {
		others := func() int { return len(Processes()) - 1 }
		go Bound(spec.Processes, others, func() { os.Exit(exitSignalled + int(syscall.SIGKILL)) }, nil)
	}
	code := wait(child)
	_ = output.Encode(Report{Left: endOthers(spec.Grace)})
	return code
}

func report(err error) Report {
	if err == nil {
		return Report{}
	}
	return Report{Failed: err.Error(), NotFound: errors.Is(err, os.ErrNotExist)}
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
// the number of the signal when one ended it.
func wait(child int) int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR || err == nil && pid != child:
			continue
		case err != nil:
			return exitBroken
		case status.Signaled():
			return exitSignalled + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}

// poll is how often the end of other processes is looked for.
const poll = 5 * time.Millisecond

// endOthers tells every process of the namespace to end and waits for it, at most
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
