package attach

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Supported reports whether sessions have sockets on this system.
const Supported = true

// checkPeer returns an error unless the other side of a connection is a process of the same user.
func checkPeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if int(peer.Uid) != os.Geteuid() {
		return errors.New("the process at the other end belongs to another user")
	}
	return nil
}
