package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// someAccess is an access control list in the kernel's format: owner rw, user 65534 rw, group r,
// mask rw, others none.
const someAccess = "\x02\x00\x00\x00\x01\x00\x06\x00\xff\xff\xff\xff\x02\x00\x06\x00\xfe\xff\x00\x00\x04\x00\x04\x00\xff\xff\xff\xff\x10\x00\x06\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff"

// TestReplaceKeepsAttributes checks that an edit keeps the extended attributes and the access
// control list of a file. The default list of its folder is not applied to it.
func TestReplaceKeepsAttributes(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"noted": "old", "shared": "old", "folder/plain": "old"})
	path := func(name string) string { return filepath.Join(w.Root(), name) }
	set := func(name, attribute, value string) {
		if err := unix.Setxattr(path(name), attribute, []byte(value), 0); errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
			t.Skip("this file system keeps no such attributes")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	set("noted", "user.note", "mine")
	set("shared", accessList, someAccess)
	set("folder", "system.posix_acl_default", someAccess)
	for _, name := range []string{"noted", "shared", "folder/plain"} {
		if err := w.Replace(path(name), []byte("old"), []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]map[string]string{
		"noted": {"user.note": "mine"}, "shared": {accessList: someAccess}, "folder/plain": {},
	} {
		f, err := os.Open(path(name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got := attributeNames(f)
		for _, attributeName := range got {
			if value, err := attribute(f, attributeName); err != nil || string(value) != want[attributeName] {
				t.Errorf("%s: %s is %q, %v", name, attributeName, value, err)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %q", name, got)
		}
	}
}
