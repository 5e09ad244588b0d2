package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agent/internal/sandbox"

	"golang.org/x/sys/unix"
)

// toolVariable makes the test binary act as a small program that a check runs. Its value is the
// name of that program.
const toolVariable = "SANDBOX_TEST_TOOL"

func TestMain(m *testing.M) {
	if tool := os.Getenv(toolVariable); tool != "" {
		if err := runTool(tool); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var err error
	if templates, err = os.MkdirTemp("", "sandbox-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if o, err := outside(); err == nil {
		o.end()
	}
	_ = os.RemoveAll(templates)
	os.Exit(status)
}

// templates is a folder for files that are created once for all tests.
var templates string

// runTool runs the program with a name. These programs do things that no common program can do.
func runTool(tool string) error {
	switch tool {
	case "dial":
		connection, err := net.Dial(os.Args[1], os.Args[2])
		if err == nil {
			connection.Close()
		}
		return err
	case "send": // sending can be refused, dialing cannot
		connection, err := net.Dial("udp", os.Args[1])
		if err != nil {
			return err
		}
		_, err = connection.Write([]byte("x"))
		return err
	case "loopback":
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		connection, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			connection.Close()
		}
		return err
	case "serve": // runs until it is stopped, and writes its address to a file
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		if err := os.WriteFile(os.Args[1]+".new", []byte(listener.Addr().String()), 0o600); err != nil {
			return err
		}
		if err := os.Rename(os.Args[1]+".new", os.Args[1]); err != nil {
			return err
		}
		for {
			connection, err := listener.Accept()
			if err != nil {
				return err
			}
			connection.Close()
		}
	case "host":
		socket, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		if err == nil {
			_ = unix.Close(socket)
		}
		return err
	case "datagram": // with one socket of a new pair
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: os.Args[1]})
	case "memory": // that another process has created
		id, err := strconv.Atoi(os.Args[1])
		if err != nil {
			return err
		}
		_, err = unix.SysvShmAttach(id, 0, 0)
		return err
	case "times": // in microseconds, with the older system call
		return syscall.Utimes(os.Args[1], []syscall.Timeval{{Sec: 1}, {Sec: 978307200, Usec: 250000}})
	case "attributes": // of a file that is open for reading only
		file, err := os.Open(os.Args[1])
		if err != nil {
			return err
		}
		defer file.Close()
		const noDump = 0x40
		return unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, noDump)
	case "hold":
		return hold(os.Args[1], os.Args[2])
	case "other-ids":
		return makeOtherIDs()
	case "descriptors":
		return list(os.Args[1])
	case "trace":
		pid, err := strconv.Atoi(os.Args[1])
		if err != nil {
			return err
		}
		return syscall.PtraceAttach(pid)
	}
	return fmt.Errorf("no tool %q", tool)
}

// makeOtherIDs tries every way to create a file with the set-user-ID or set-group-ID bit.
func makeOtherIDs() error {
	const mode = unix.S_ISUID | unix.S_ISGID | 0o755
	if err := os.WriteFile("own", nil, 0o755); err != nil {
		return err
	}
	file, err := os.Open("own")
	if err != nil {
		return err
	}
	defer file.Close()
	_ = unix.Chmod("own", mode)
	_ = unix.Chmod("own", unix.S_ISGID|0o755)
	_ = unix.Fchmod(int(file.Fd()), mode)
	_ = unix.Fchmodat(unix.AT_FDCWD, "own", mode, 0)
	_ = unix.Fchmodat(unix.AT_FDCWD, "own", mode, unix.AT_SYMLINK_NOFOLLOW) // fchmodat2
	made := func(fd int, err error) {
		if err == nil {
			_ = unix.Close(fd)
		}
	}
	made(unix.Open("opened", unix.O_CREAT|unix.O_WRONLY, mode))
	made(unix.Openat(unix.AT_FDCWD, "opened-at", unix.O_CREAT|unix.O_WRONLY, mode))
	made(unix.Openat2(unix.AT_FDCWD, "opened-at-2", &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: mode}))
	made(unix.Creat("created", mode))
	_ = unix.Mknod("node", unix.S_IFREG|mode, 0)
	_ = unix.Mknodat(unix.AT_FDCWD, "node-at", unix.S_IFREG|mode, 0)
	if fd, err := unix.Open(".", unix.O_TMPFILE|unix.O_RDWR, mode); err == nil {
		_ = unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), unix.AT_FDCWD, "temporary", unix.AT_SYMLINK_FOLLOW)
		_ = unix.Close(fd)
	}
	entries, err := os.ReadDir(".")
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			return nil
		}
	}
	return errors.Join(errors.New("no file runs as another"), err)
}

// hold runs a command that never ends, in the sandbox with a backend.
func hold(backend, line string) error {
	s, err := named(backend)
	if err != nil {
		return err
	}
	return runIn(s, sandbox.ProfileWork, exec.Command("bash", "-c", line))
}

// list prints the file descriptors of a command in each profile.
func list(backend string) error {
	s, err := named(backend)
	if err != nil {
		return err
	}
	for _, profile := range []sandbox.Profile{sandbox.ProfileReadOnly, sandbox.ProfileWork, sandbox.ProfileUnconfined} {
		cmd := exec.Command("ls", "-l", "/proc/self/fd")
		cmd.Stdout = os.Stdout
		if err := runIn(s, profile, cmd); err != nil {
			return err
		}
	}
	return nil
}

func named(backend string) (*sandbox.Sandbox, error) {
	for _, b := range []sandbox.Backend{sandbox.None, sandbox.Landlock, sandbox.Namespaces} {
		if strings.EqualFold(b.String(), backend) {
			return sandbox.Use(b)
		}
	}
	return nil, fmt.Errorf("no backend %q", backend)
}

func runIn(s *sandbox.Sandbox, profile sandbox.Profile, cmd *exec.Cmd) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	cmd.Dir = dir
	c, err := s.Start(context.Background(), cmd, sandbox.Policy{Profile: profile, Workspace: dir})
	if err != nil {
		return err
	}
	return c.Wait()
}
