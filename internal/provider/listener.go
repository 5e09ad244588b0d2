package provider

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// listenerOf reports which user's programs listen on a port of this machine. known
// is false where the system does not say.
func listenerOf(port int) (users []int, known bool) {
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		users, known = append(users, listeners(file, port)...), true
		_ = file.Close()
	}
	return users, known
}

// listeners reads a table of the kernel: a line a socket with its local address, its
// state and its user, all by column.
func listeners(table io.Reader, port int) []int {
	const (
		local, state, user = 1, 3, 7
		listening          = "0A"
	)
	var users []int
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) <= user || fields[state] != listening {
			continue
		}
		_, hex, _ := strings.Cut(fields[local], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err != nil || int(n) != port {
			continue
		}
		if uid, err := strconv.Atoi(fields[user]); err == nil {
			users = append(users, uid)
		}
	}
	return users
}

// isOurs reports whether only this user's programs listen on a port, as far as the
// system says: another program that listens there would be sent the user's code.
func isOurs(port int) bool {
	users, known := listenerOf(port)
	if !known {
		return true
	}
	return len(users) > 0 && !slices.ContainsFunc(users, func(uid int) bool { return uid != os.Getuid() })
}
