//go:build unix

package fsutil

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// OtherWriters names the users, other than this user and root, who can change a file or folder,
// such as "it belongs to user 1001". It returns "" if there are none.
func OtherWriters(info fs.FileInfo) string {
	status, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode().Perm()
	switch {
	case !ok:
		return ""
	case status.Uid != 0 && int(status.Uid) != os.Getuid():
		return fmt.Sprintf("it belongs to user %d", status.Uid)
	case mode&0o002 != 0:
		return "all users may write it"
	case mode&0o020 != 0 && !private(status.Gid):
		return fmt.Sprintf("group %d may write it", status.Gid)
	}
	return ""
}

// WritableByOthers returns the reason why a user other than user could have written a file or folder.
// Either user does not own it, or its group or everybody may write it. It returns "" if only user
// could.
func WritableByOthers(info fs.FileInfo, user int) string {
	status, ok := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode().Perm(); {
	case !ok:
		return "its owner is not known"
	case int(status.Uid) != user:
		return fmt.Sprintf("it belongs to user %d, not to %d", status.Uid, user)
	case mode&0o022 != 0:
		return fmt.Sprintf("others may write it (its mode is %04o)", mode)
	}
	return ""
}

// private reports whether this user is the only member of a group. Many systems create such a group
// for every user, and let it write the user's files.
func private(gid uint32) bool {
	me, err := user.Current()
	if err != nil || int(gid) != os.Getgid() {
		return false
	}
	groups, err := os.Open("/etc/group")
	if err != nil {
		return false
	}
	defer groups.Close()
	for lines := bufio.NewScanner(groups); lines.Scan(); {
		// NAME:PASSWORD:GID:MEMBER,…
		fields := strings.Split(lines.Text(), ":")
		if len(fields) == 4 && fields[2] == strconv.Itoa(int(gid)) {
			return fields[0] == me.Username && (fields[3] == "" || fields[3] == me.Username)
		}
	}
	return false
}

// OwnedByUser reports whether a file or folder belongs to this user.
func OwnedByUser(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) == os.Getuid()
}
