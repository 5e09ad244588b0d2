//go:build !linux && !darwin

package attach

import (
	"errors"
	"net"
)

// Supported reports whether sessions have sockets on this system. Without a check of the other side
// they have none.
const Supported = false

// checkPeer refuses every connection, since the system does not tell whose it is.
func checkPeer(*net.UnixConn) error { return errors.ErrUnsupported }
