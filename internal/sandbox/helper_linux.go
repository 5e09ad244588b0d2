package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/disk"
	"agent/internal/git/layout"
	"agent/internal/sandbox/confine"
	"agent/internal/sandbox/keeper"
)

const (
	// helperABI is the version of Landlock from which files can be moved between
	// folders; before, the mounts alone confine.
	helperABI = 2
)

// keptByRoot is the set of capabilities that commands of root keep: those over files and
// users, which do not reach out of the sandbox. Others get around Landlock, or change
// the clock, the priorities or the terminals of all.
const keptByRoot = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID | 1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID

// startHelper has the holder start this program as the helper, in new namespaces, and
// that the command.
func (c *Command) startHelper(ctx context.Context, holders *holders, policy Policy) error {
	spec := policy.spec(c.cmd.Env, append([]string{c.cmd.Path}, c.cmd.Args...))
	spec.Path, spec.Args, spec.Dir = c.cmd.Path, c.cmd.Args, policy.dir
	p, err := newProcess(c.cmd)
	if err != nil {
		return &setupError{err}
	}
	pid, ours, err := holders.start(policy.network(), keeper.Request{Setsid: attributes(c.cmd).Setsid}, p.files)
	p.started()
	if err != nil {
		return &setupError{err}
	}
	if err := p.attach(ctx, pid); err != nil {
		ours.Close() // and with it ends the helper
		return &setupError{err}
	}
	if err := handOver(ours, spec); err != nil {
		_ = c.cmd.Process.Kill()
		_ = p.wait()
		ours.Close()
		return err
	}
	c.wait = p.wait
	c.finish = func() End {
		defer ours.Close()
		var last confine.Report
		_ = confine.Receive(ours, &last) // nothing comes from one that was killed
		return End{LeftBehind: last.Left}
	}
	return nil
}

// handOver sends the helper its work and waits until it has done it.
func handOver(channel io.ReadWriter, spec confine.Spec) error {
	var first confine.Report
	err := errors.Join(confine.Send(channel, &spec), confine.Receive(channel, &first))
	switch {
	case err != nil:
		return &setupError{errors.Join(errors.New("its helper ended before the command"), err)}
	case first.Refused != 0:
		return &exec.Error{Name: spec.Path, Err: syscall.Errno(first.Refused)}
	case first.Failed != "":
		return &setupError{errors.New(first.Failed)}
	}
	return nil
}

// tryHelper has the helper set everything up and run nothing.
func tryHelper(holders *holders) error {
	cmd := exec.Command("/")
	cmd.Err, cmd.Path = nil, ""
	policy, err := Policy{Workspace: "/", Grace: time.Second}.resolve("/", Helper)
	if err != nil {
		return err
	}
	c := &Command{cmd: cmd}
	if err := c.startHelper(context.Background(), holders, policy); err != nil {
		var setup *setupError
		if errors.As(err, &setup) {
			return setup.Err
		}
		return err
	}
	err = c.wait()
	c.finish()
	return err
}

// spec returns what the helper has to do for a policy, and a command with that environment
// and those arguments.
func (p Policy) spec(environ, args []string) confine.Spec {
	spec := confine.Spec{
		Temp:      p.PrivateTemp,
		Shown:     p.shownTo(environ, args),
		Write:     p.mounted(),
		ReadOnly:  p.there(),
		Hidden:    p.DenyRead,
		Devices:   harmlessDevices,
		Processes: p.processes, KernelBounds: ownPidMax(),
		Grace:  p.Grace,
		Filter: filterOf(restrictions{noSockets: p.Profile == Look}),
	}
	found := slices.Concat(spec.Shown, spec.Write)
	spec.Env = p.withoutOwnPrograms(environ, found)
	spec.Hidden = p.hiddenBeside(slices.Concat(spec.Hidden, listeningSockets()), found)
	if names := layout.Real("/etc/resolv.conf"); p.network() && disk.Within(names, "/run") {
		spec.Keep = []string{names}
	}
	if abi := landlockABI(); abi >= helperABI {
		spec.Ruleset = newRuleset(abi, p.rulesBesideMounts())
	}
	if os.Geteuid() == 0 {
		spec.Capabilities = keptByRoot
	}
	return spec
}

// mounted are the paths that are mounted so that they can be written: those of the
// policy and, because what is mounted cannot be moved away, the folders that hold
// something protected. Files cannot be moved between mounts, so of those only the
// folders are that nobody moves files out of, such as .github and .git/modules.
func (p Policy) mounted() []string {
	paths := p.writable()
	for _, protected := range p.there() {
		where, ok := p.placeOf(protected)
		if !ok {
			continue
		}
		nothingElse := func(dir string) bool {
			return where.base != p.Workspace || strings.Contains("/"+dir, "/.")
		}
		for dir := filepath.Dir(where.rel); dir != "." && nothingElse(dir); dir = filepath.Dir(dir) {
			paths = append(paths, filepath.Join(where.base, dir))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// intoNamespaces has a process started in namespaces of its own, in which it and what it
// starts may arrange mounts and devices, and otherwise keeps its user.
func intoNamespaces(attr *syscall.SysProcAttr, network bool) {
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	if !network {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	// Root keeps the other users too, on whose files it may work.
	attr.GidMappingsEnableSetgroups = os.Geteuid() == 0
	attr.UidMappings = sameIDs("/proc/self/uid_map", os.Geteuid())
	attr.GidMappings = sameIDs("/proc/self/gid_map", os.Getegid())
}

// ownPidMax reports whether namespaces of processes have a bound of their own on how many
// there are: since Linux 6.14. Before, there is one for the whole system, which root could
// change from inside.
var ownPidMax = sync.OnceValue(func() bool {
	var name unix.Utsname
	var major, minor int
	if unix.Uname(&name) != nil {
		return false
	}
	_, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor)
	return err == nil && (major > 6 || major == 6 && minor >= 14)
})

// sameIDs maps users or groups to themselves: all that there are for root, else the
// own one.
func sameIDs(table string, own int) []syscall.SysProcIDMap {
	var ids []syscall.SysProcIDMap
	if content, err := os.ReadFile(table); err == nil && os.Geteuid() == 0 {
		for line := range strings.Lines(string(content)) {
			var inside, outside, size int
			if n, _ := fmt.Sscan(line, &inside, &outside, &size); n == 3 {
				ids = append(ids, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
			}
		}
	}
	if len(ids) == 0 {
		ids = []syscall.SysProcIDMap{{ContainerID: own, HostID: own, Size: 1}}
	}
	return ids
}

// socketPair is a channel to the helper; it closes when either side ends.
func socketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := unix.SetNonblock(pair[0], true); err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(pair[0]), "sandbox"), os.NewFile(uintptr(pair[1]), "helper"), nil
}
