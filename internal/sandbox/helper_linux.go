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

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/layout"
	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"
)

const (
	// helperABI is the first version of Landlock that can allow moves of files between folders. On
	// older kernels only the mounts confine.
	helperABI = 2
)

// keptByRoot is the set of capabilities that commands of root keep. They concern files and users
// and have no effect outside of the sandbox. Other capabilities bypass Landlock, or change the
// clock, priorities or terminals of the whole system.
const keptByRoot = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID | 1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID

// startHelper makes the holder start this program as the helper in new namespaces. The helper
// starts the command.
func (c *Command) startHelper(ctx context.Context, holders *holders, policy Policy) error {
	spec := policy.spec(c.cmd.Env, append([]string{c.cmd.Path}, c.cmd.Args...))
	spec.Path, spec.Args, spec.Dir = c.cmd.Path, c.cmd.Args, policy.dir
	p, err := newProcess(c.cmd)
	if err != nil {
		return &setupError{err}
	}
	pid, ours, err := holders.start(policy, supervisor.Request{Setsid: attributes(c.cmd).Setsid}, p.files)
	p.started()
	if err != nil {
		return &setupError{err}
	}
	if err := p.attach(ctx, pid); err != nil {
		ours.Close() // this ends the helper
		return &setupError{err}
	}
	if err := handOver(ours, spec); err != nil {
		_ = c.cmd.Process.Kill()
		_ = p.wait()
		ours.Close()
		return err
	}
	c.wait = p.wait
	c.finish = func() EndReport {
		defer ours.Close()
		var last launcher.Report
		_ = launcher.Receive(ours, &last) // a helper that was killed sends no report
		return EndReport{LeftBehind: last.LeftBehind, Signal: syscall.Signal(last.Signal)}
	}
	return nil
}

// handOver sends the spec to the helper and waits until the helper has started the command.
func handOver(channel io.ReadWriter, spec launcher.Spec) error {
	var first launcher.Report
	err := errors.Join(launcher.Send(channel, &spec), launcher.Receive(channel, &first))
	switch {
	case err != nil:
		return &setupError{errors.Join(errors.New("the helper process ended before it could start the command"), err)}
	case first.Refused != 0:
		return &exec.Error{Name: spec.Path, Err: syscall.Errno(first.Refused)}
	case first.Failed != "":
		return &setupError{errors.New(first.Failed)}
	}
	return nil
}

// tryHelper makes the helper set up everything without running a command.
func tryHelper(holders *holders) error {
	cmd := exec.Command("/")
	cmd.Err, cmd.Path = nil, ""
	policy, err := Policy{Workspace: "/", Grace: time.Second}.resolve("/", Namespaces)
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

// spec returns the helper's instructions for a policy and a command with the given environment
// and arguments.
func (p Policy) spec(environ, args []string) launcher.Spec {
	spec := launcher.Spec{
		Temp:      p.PrivateTemp,
		Shown:     p.shownTo(environ, args),
		Write:     p.writableMounts(),
		Layered:   paths(p.layered),
		ReadOnly:  p.presentPaths(),
		Hidden:    p.DenyRead,
		Devices:   harmlessDevices,
		Processes: p.processes, KernelBounds: ownPidMax(),
		Grace:  p.Grace,
		Filter: filterOf(restrictions{noSockets: p.Profile == ProfileReadOnly}),
	}
	found := slices.Concat(spec.Shown, spec.Write)
	spec.Env = p.withoutOwnPrograms(environ, found)
	spec.Hidden = p.withoutHiddenTemp(slices.Concat(spec.Hidden, listeningSockets()), found)
	if names := layout.Real("/etc/resolv.conf"); p.network() && fsutil.Within(names, "/run") {
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

// writableMounts returns the paths to mount writable, parents first. They are the writable paths of
// the policy and some folders above protected paths, because a mount point cannot be renamed. Files
// cannot be moved between mounts, so only folders are added out of which no files are usually
// moved, such as .github and .git/modules. Folders above approved files are added too.
func (p Policy) writableMounts() []string {
	paths := p.writable()
	for _, protected := range p.presentPaths() {
		where, ok := p.placeOf(protected)
		if !ok {
			continue
		}
		agreed := slices.Contains(p.Approved, protected)
		stays := func(dir string) bool {
			return agreed || where.base != p.Workspace || strings.Contains("/"+dir, "/.")
		}
		for dir := filepath.Dir(where.rel); dir != "." && stays(dir); dir = filepath.Dir(dir) {
			paths = append(paths, filepath.Join(where.base, dir))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// intoNamespaces sets attr so that a process starts in separate namespaces. The process keeps its
// user. It and its children may create mounts and devices there.
func intoNamespaces(attr *syscall.SysProcAttr, network bool) {
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	if !network {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	// A process of root also gets the other users, because it may change their files.
	attr.GidMappingsEnableSetgroups = os.Geteuid() == 0
	attr.UidMappings = sameIDs("/proc/self/uid_map", os.Geteuid())
	attr.GidMappings = sameIDs("/proc/self/gid_map", os.Getegid())
}

// ownPidMax reports whether each process namespace has a separate limit on process IDs, which needs
// Linux 6.14. Older kernels have one limit for the whole system, and root could change it from
// inside.
var ownPidMax = sync.OnceValue(func() bool {
	var name unix.Utsname
	var major, minor int
	if unix.Uname(&name) != nil {
		return false
	}
	_, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor)
	return err == nil && (major > 6 || major == 6 && minor >= 14)
})

// sameIDs returns a mapping of users or groups to themselves. It contains every ID if this program
// runs as root, otherwise only own.
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

// socketPair returns both ends of a channel to a helper. The channel closes when either side
// ends.
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
