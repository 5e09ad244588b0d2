package keeper

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"agent/internal/sandbox/confine"
)

// HolderName is the name of the program that makes it the holder. OwnNetwork as its only
// argument says that it is in a network namespace of its own, the loopback device of
// which it is to bring up.
const (
	HolderName = "agent-sandbox-holder"
	OwnNetwork = "own-network"
)

// Request asks the holder to start a helper. With it come four descriptors: the
// standard input, output and error of the helper, and its channel.
type Request struct {
	// Setsid makes it the head of a session of its own.
	Setsid bool
}

// Reply is what came of a request; the first says that the holder is ready.
type Reply struct {
	// PID is the helper, a child of the program itself.
	PID    int    `json:",omitempty"`
	Failed string `json:",omitempty"`
}

// inherited are the capabilities that a helper needs to arrange its namespaces.
var inherited = []uintptr{capNetAdmin, capSysAdmin, capSetPCap}

const (
	capSetPCap  = 8
	capNetAdmin = 12
	capSysAdmin = 21
)

// hold keeps the user and network namespaces of a session and starts helpers in them,
// until the program is gone. Nobody else could: a program of several threads, as every
// one in Go is, cannot enter a user namespace, but its children begin in it.
func hold(network string) int {
	syscall.CloseOnExec(confine.Channel)
	// A terminal sends these to all programs on it; the holder ends with the program.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	var ready Reply
	if network == OwnNetwork {
		if err := confine.LoopbackUp(); err != nil {
			ready.Failed = err.Error()
		}
	}
	if err := reply(ready); err != nil {
		fmt.Fprintln(os.Stderr, HolderName+": this is started by agent itself, to run commands in its sandbox")
		return confine.ExitBroken
	}
	const descriptors = 4
	message, rights := make([]byte, 1024), make([]byte, syscall.CmsgSpace(4*descriptors))
	for {
		n, rightsN, _, _, err := syscall.Recvmsg(confine.Channel, message, rights, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return 0
		}
		var asked Request
		files, err := descriptorsIn(rights[:rightsN])
		if err == nil {
			err = json.Unmarshal(message[:n], &asked)
		}
		var answer Reply
		if err == nil {
			answer.PID, err = startHelper(asked, files)
		}
		if err != nil {
			answer = Reply{Failed: err.Error()}
		}
		for _, fd := range files {
			_ = syscall.Close(int(fd))
		}
		if reply(answer) != nil {
			return 0
		}
	}
}

func reply(r Reply) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return syscall.Sendmsg(confine.Channel, text, nil, nil, 0)
}

// descriptorsIn are those that came with a message.
func descriptorsIn(rights []byte) ([]uintptr, error) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	var files []uintptr
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			files = append(files, uintptr(fd))
		}
	}
	return files, nil
}

// startHelper starts a helper as a child of the program, which waits for it.
func startHelper(asked Request, files []uintptr) (int, error) {
	return syscall.ForkExec("/proc/self/exe", []string{confine.Name}, &syscall.ProcAttr{
		Dir: "/", Files: files,
		Env: confine.Environ(),
		Sys: &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_PARENT | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC,
			AmbientCaps: inherited,
			Setsid:      asked.Setsid,
		},
	})
}
