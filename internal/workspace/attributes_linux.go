package workspace

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"agent/internal/base/fsutil"
)

// accessList is the attribute with the access rights of other users to a file.
const accessList = "system.posix_acl_access"

// takeAttributes copies the extended attributes of the file that will be replaced to the new file.
// It removes the access list that the new file inherited from its folder. Only the access list must
// be copied; an error with another attribute is ignored.
func takeAttributes(f, old *os.File) error {
	kept := attributeNames(old)
	for _, name := range kept {
		value, err := attribute(old, name)
		if err == nil {
			err = unix.Fsetxattr(int(f.Fd()), name, value, 0)
		}
		if err != nil && name == accessList {
			return fmt.Errorf("can't preserve its access control list: %w", fsutil.Reason(err))
		}
	}
	if !slices.Contains(kept, accessList) {
		_ = unix.Fremovexattr(int(f.Fd()), accessList)
	}
	return nil
}

// attributeNames returns the attributes that a file keeps when its content changes. It omits the
// security attributes, because the kernel sets them for the new file.
func attributeNames(f *os.File) []string {
	const most = 64 << 10 // most is the kernel's limit, in bytes
	list := make([]byte, most)
	n, err := unix.Flistxattr(int(f.Fd()), list)
	if err != nil {
		return nil
	}
	var names []string
	for name := range bytes.SplitSeq(list[:n], []byte{0}) {
		if len(name) > 0 && !strings.HasPrefix(string(name), "security.") {
			names = append(names, string(name))
		}
	}
	return names
}

func attribute(f *os.File, name string) ([]byte, error) {
	size, err := unix.Fgetxattr(int(f.Fd()), name, nil)
	if err != nil {
		return nil, err
	}
	value := make([]byte, size)
	n, err := unix.Fgetxattr(int(f.Fd()), name, value)
	return value[:max(n, 0)], err
}
