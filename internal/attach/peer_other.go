//go:build !linux && !darwin

package attach

import (
	"errors"
	"net"
)

// Supported reports whether sessions have sockets on this system. They have none if the peer of a
// connection cannot be checked.
const Supported = false

// checkPeer returns an error for every connection, because the system does not report the user of the peer.
func checkPeer(*net.UnixConn) error { return errors.ErrUnsupported }
