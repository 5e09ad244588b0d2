package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/confine"
	"agent/internal/sandbox/keeper"
)

// holders keeps the processes that own the namespaces which the commands of a session share.
// There is one with network access and one without. Because of the sharing, one command can start
// a server and the next command can reach it, but nobody else can.
type holders struct {
	mu        sync.Mutex
	byNetwork map[bool]*holder
}

// holder is a process that owns namespaces. It ends when its channel closes, as happens when this
// program ends.
type holder struct {
	cmd     *exec.Cmd
	channel int
}

// start has a holder start a helper as a child of this process, with the given standard files and
// a new channel. The channel closes when either side ends. A holder that has ended is replaced.
func (h *holders) start(network bool, asked keeper.Request, files [3]*os.File) (pid int, channel *os.File, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byNetwork == nil {
		h.byNetwork = map[bool]*holder{}
	}
	var gone error
	for range 2 {
		one := h.byNetwork[network]
		if one == nil {
			if one, err = newHolder(network); err != nil {
				return 0, nil, err
			}
			h.byNetwork[network] = one
		}
		ours, theirs, err := socketPair()
		if err != nil {
			return 0, nil, err
		}
		reply, err := one.ask(asked, [4]*os.File{files[0], files[1], files[2], theirs})
		theirs.Close()
		switch {
		case err == nil && reply.Failed == "":
			return reply.PID, ours, nil
		case err == nil:
			ours.Close()
			return 0, nil, errors.New(reply.Failed)
		}
		// The holder may have started a helper before it failed. Closing the channel ends it. The
		// channel is not used again, or this helper would do the work of the next one.
		ours.Close()
		gone = err
		one.end()
		delete(h.byNetwork, network)
	}
	return 0, nil, gone
}

// newHolder starts a holder in its own namespaces.
func newHolder(network bool) (*holder, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "holder")
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{keeper.HolderName, keeper.OwnNetwork}
	if network {
		cmd.Args[1] = ""
	}
	cmd.Env = confine.Environ()
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{theirs}
	intoNamespaces(attributes(cmd), network)
	h := &holder{cmd, pair[0]}
	err = cmd.Start()
	theirs.Close() // only the holder keeps this end, so the channel closes when the holder ends
	if err != nil {
		unix.Close(h.channel)
		return nil, err
	}
	ready, err := h.reply()
	if err == nil && ready.Failed != "" {
		err = errors.New(ready.Failed)
	}
	if err != nil {
		h.end()
		return nil, err
	}
	return h, nil
}

// ask sends a request and copies of the files, and returns the reply.
func (h *holder) ask(asked keeper.Request, files [4]*os.File) (keeper.Reply, error) {
	message, err := json.Marshal(asked)
	if err != nil {
		return keeper.Reply{}, err
	}
	var fds []int
	for _, file := range files {
		fds = append(fds, int(file.Fd()))
	}
	if err := unix.Sendmsg(h.channel, message, unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL); err != nil {
		return keeper.Reply{}, fmt.Errorf("the holder of the namespaces is gone: %w", err)
	}
	return h.reply()
}

func (h *holder) reply() (reply keeper.Reply, err error) {
	message := make([]byte, 4096)
	for {
		n, err := unix.Read(h.channel, message)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n == 0:
			return reply, errors.Join(errors.New("the holder of the namespaces is gone"), err)
		}
		return reply, json.Unmarshal(message[:n], &reply)
	}
}

func (h *holder) end() {
	unix.Close(h.channel)
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}
