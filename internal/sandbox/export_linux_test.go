package sandbox

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// KillHolders kills the processes that keep the namespaces of a session, as another program could.
func (s *Sandbox) KillHolders() {
	for _, h := range s.shared.holders.all {
		_ = h.cmd.Process.Kill()
	}
}

// KillHolderAsItStarts replaces the holder by a process that is killed after it has started a helper
// and before it reports the helper. The channel receives the data that the helper reads.
func (s *Sandbox) KillHolderAsItStarts(t *testing.T) <-chan string {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.shared.holders = holders{all: []*holder{{cmd: cmd, channel: pair[0]}}}
	read := make(chan string, 1)
	go func() {
		rights := make([]byte, 256)
		_, n, _, _, _ := unix.Recvmsg(pair[1], make([]byte, 1024), rights, unix.MSG_CMSG_CLOEXEC)
		messages, _ := unix.ParseSocketControlMessage(rights[:n])
		files, _ := unix.ParseUnixRights(&messages[0])
		channel := files[len(files)-1]
		unix.Close(pair[1])
		content := make([]byte, 1024)
		n, _ = unix.Read(channel, content)
		_ = unix.Shutdown(channel, unix.SHUT_RDWR) // another reader stops waiting
		for _, fd := range files {
			unix.Close(fd)
		}
		read <- string(content[:n])
	}()
	return read
}
