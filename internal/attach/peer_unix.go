//go:build darwin || linux

package attach

import (
	"errors"
	"net"
	"os"
)

// Supported reports whether sessions have sockets on this system.
const Supported = true

// checkPeer returns an error unless the other side of a connection is a process of the same user.
func checkPeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var user uint32
	var failed error
	if err := raw.Control(func(fd uintptr) { user, failed = peerUser(int(fd)) }); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if int(user) != os.Geteuid() {
		return errors.New("the process at the other end belongs to another user")
	}
	return nil
}
