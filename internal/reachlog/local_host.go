package reachlog

import (
	"net/netip"
	"strings"
)

// IsLocal reports whether a host, without a port, is localhost or an address that only this machine
// or its local network can reach. It returns false for names of private networks, such as those of
// a company.
func IsLocal(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if address, err := netip.ParseAddr(host); err == nil {
		address = address.Unmap()
		return !address.IsGlobalUnicast() || address.IsPrivate()
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	// Some systems parse 127.1 and 0x7f000001 as addresses. No name of the public DNS has such an
	// ending.
	return last == "localhost" || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
}
