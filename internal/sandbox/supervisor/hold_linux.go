package supervisor

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"agent/internal/sandbox/launcher"
)

// HolderName is the program name that makes a process the holder. OwnNetwork as its only argument
// means that the holder has a separate network namespace and must activate the loopback device in
// it.
const (
	HolderName = "agent-sandbox-holder"
	OwnNetwork = "own-network"
)

// MaxMessage is the largest size of a request, in bytes.
const MaxMessage = 64 << 10

// Request is a request to the holder to start a helper, or to mount a layer. A request for a helper
// is sent with four descriptors: the standard input, output and error of the helper, and its
// channel.
type Request struct {
	// Layer is the layer to mount. If it is nil, a helper is started.
	Layer *launcher.Layer `json:",omitempty"`
	// Setsid makes the helper the head of a new session.
	Setsid bool
}

// Reply answers a request. The first reply means that the holder is ready.
type Reply struct {
	// PID is the process ID of the helper, which is a child of the program, not of the holder.
	PID    int    `json:",omitempty"`
	Failed string `json:",omitempty"`
}

// inherited lists the capabilities that a helper needs to set up its namespaces.
var inherited = []uintptr{capNetAdmin, capSysAdmin, capSetPCap}

const (
	capSetPCap  = 8
	capNetAdmin = 12
	capSysAdmin = 21
)

// hold keeps the user, mount and network namespaces of a session and starts helpers in them, until
// the program has ended. The program cannot do this itself: every Go program has several threads,
// and the kernel forbids such a process to enter a user namespace. A process that the holder starts
// is in the namespace from the beginning.
func hold(network string) int {
	syscall.CloseOnExec(launcher.Channel)
	// A terminal sends these signals to every process on it, but the holder must run as long as the
	// program.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	var ready Reply
	if network == OwnNetwork {
		if err := launcher.EnableLoopback(); err != nil {
			ready.Failed = err.Error()
		}
	}
	if err := reply(ready); err != nil {
		fmt.Fprintln(os.Stderr, HolderName+": this is an internal command, which agent runs to start commands in the sandbox")
		return launcher.ExitBroken
	}
	const descriptors = 4
	message, rights := make([]byte, MaxMessage), make([]byte, syscall.CmsgSpace(4*descriptors))
	for {
		n, rightsN, _, _, err := syscall.Recvmsg(launcher.Channel, message, rights, syscall.MSG_CMSG_CLOEXEC)
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
		switch {
		case err != nil:
		case asked.Layer != nil:
			err = asked.Layer.Mount()
		default:
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
	return syscall.Sendmsg(launcher.Channel, text, nil, nil, 0)
}

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

// startHelper starts a helper as a child of the program, which then waits for it.
func startHelper(asked Request, files []uintptr) (int, error) {
	return syscall.ForkExec("/proc/self/exe", []string{launcher.Name}, &syscall.ProcAttr{
		Dir: "/", Files: files,
		Env: launcher.Environ(),
		Sys: &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_PARENT | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC,
			AmbientCaps: inherited,
			Setsid:      asked.Setsid,
		},
	})
}
