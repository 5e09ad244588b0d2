package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"
)

// holders holds the processes that own the namespaces which the commands of a session share. For
// each folder of layers, there is one holder with network access and one without. Because of the
// shared namespaces, a command can reach a server that an earlier command started. No other program
// can.
type holders struct {
	mu  sync.Mutex
	all []*holder
}

// holder is a process that owns namespaces. It ends when its channel closes, which happens when
// this program ends.
type holder struct {
	cmd     *exec.Cmd
	channel int
	network bool
	layers  layers
}

// start makes a holder start a helper as a child of this process, with the given standard files and
// a new channel. The channel closes when either side ends. A holder that has ended is replaced.
func (h *holders) start(policy Policy, asked supervisor.Request, files [3]*os.File) (pid int, channel *os.File, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var gone error
	for range 2 {
		one, err := h.holderFor(policy)
		if err != nil {
			return 0, nil, err
		}
		if _, err := one.mount(policy.layered); err != nil {
			return 0, nil, err
		}
		ours, theirs, err := socketPair()
		if err != nil {
			return 0, nil, err
		}
		reply, err := one.ask(asked, files[0], files[1], files[2], theirs)
		theirs.Close()
		switch {
		case err == nil && reply.Failed == "":
			return reply.PID, ours, nil
		case err == nil:
			ours.Close()
			return 0, nil, errors.New(reply.Failed)
		}
		// The holder may have started a helper before it failed. Closing the channel ends that
		// helper. The channel must not be reused, or the old helper would run the next command.
		ours.Close()
		gone = err
		h.end(one)
	}
	return 0, nil, gone
}

// holderFor returns the holder for a command, and starts it if necessary. A holder without layers
// is used for any folder of layers.
func (h *holders) holderFor(policy Policy) (*holder, error) {
	for _, one := range h.all {
		if one.network == policy.network() && (policy.layerFolder == "" || one.layers.folder == "" || one.layers.folder == policy.layerFolder) {
			one.layers.folder = cmp.Or(one.layers.folder, policy.layerFolder)
			return one, nil
		}
	}
	one, err := newHolder(policy.network())
	if err != nil {
		return nil, err
	}
	one.layers.folder = policy.layerFolder
	h.all = append(h.all, one)
	return one, nil
}

// end ends a holder, which is not used again.
func (h *holders) end(one *holder) {
	one.end()
	h.all = slices.DeleteFunc(h.all, func(other *holder) bool { return other == one })
}

// layer mounts the possible layers for a command on the user's caches, and returns the caches with
// a layer. It returns none if the kernel or the file system does not support layers.
func (h *holders) layer(policy Policy) []Cache {
	wanted := policy.layers()
	if len(wanted) == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	one, err := h.holderFor(policy)
	if err != nil {
		return nil // the start of the command fails with the same error
	}
	mounted, _ := one.mount(wanted)
	return mounted
}

// newHolder starts a holder in its own namespaces.
func newHolder(network bool) (*holder, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "holder")
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{supervisor.HolderName, supervisor.OwnNetwork}
	if network {
		cmd.Args[1] = ""
	}
	cmd.Env = launcher.Environ()
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{theirs}
	intoNamespaces(attributes(cmd), network)
	attributes(cmd).Cloneflags |= unix.CLONE_NEWNS
	h := &holder{cmd: cmd, channel: pair[0], network: network}
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

// ask sends a request with copies of the file descriptors, and returns the reply.
func (h *holder) ask(asked supervisor.Request, files ...*os.File) (supervisor.Reply, error) {
	message, err := json.Marshal(asked)
	if err != nil {
		return supervisor.Reply{}, err
	}
	var rights []byte
	if len(files) > 0 {
		var fds []int
		for _, file := range files {
			fds = append(fds, int(file.Fd()))
		}
		rights = unix.UnixRights(fds...)
	}
	if err := unix.Sendmsg(h.channel, message, rights, nil, unix.MSG_NOSIGNAL); err != nil {
		return supervisor.Reply{}, fmt.Errorf("the helper process of the sandbox has ended: %w", err)
	}
	return h.reply()
}

func (h *holder) reply() (reply supervisor.Reply, err error) {
	message := make([]byte, 4096)
	for {
		n, err := unix.Read(h.channel, message)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n == 0:
			return reply, errors.Join(errors.New("the helper process of the sandbox has ended"), err)
		}
		return reply, json.Unmarshal(message[:n], &reply)
	}
}

func (h *holder) end() {
	unix.Close(h.channel)
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}
