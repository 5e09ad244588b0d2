package confine

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// The arguments of the calls that make mounts, from linux/mount.h and fcntl.h.
const (
	atRecursive  = 0x8000
	atEmptyPath  = 0x1000
	openCloned   = 1
	moveFromFile = 0x04
	moveToFile   = 0x40

	attrReadOnly = 1
	attrNoSetID  = 2
	attrNoDevice = 4
)

// atCwd is AT_FDCWD: paths are as they are.
const atCwd = ^uintptr(99)

type mountAttr struct{ set, clear, propagation, userns uint64 }

// tree is a copy of what is mounted at a path, not yet mounted itself.
type tree struct {
	fd   int
	path string
}

// openPlace opens a path for the calls that make mounts. No part of it may be a
// link: another command may have put it there, to lead elsewhere.
func openPlace(path string) (int, error) {
	const openPath, noLinks = 0x200000, 0x04
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, err
	}
	how := struct{ flags, mode, resolve uint64 }{flags: openPath | syscall.O_CLOEXEC, resolve: noLinks}
	fd, _, errno := syscall.Syscall6(sysOpenat2, atCwd, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	if errno != 0 {
		return -1, failed("open", path, errno)
	}
	return int(fd), nil
}

// copyTree copies what is mounted at path, and below.
func copyTree(path string) (tree, error) {
	place, err := openPlace(path)
	if err != nil {
		return tree{}, err
	}
	defer syscall.Close(place)
	empty := [1]byte{}
	fd, _, errno := syscall.Syscall(sysOpenTree, uintptr(place), uintptr(unsafe.Pointer(&empty)), openCloned|atRecursive|atEmptyPath|syscall.O_CLOEXEC)
	if errno != 0 {
		return tree{}, failed("copy the mount", path, errno)
	}
	return tree{int(fd), path}, nil
}

// mount puts the copy where it was taken from, on top of what is there now.
func (t tree) mount() error { return t.mountAt(t.path) }

// mountAt puts the copy at a path.
func (t tree) mountAt(path string) error {
	defer syscall.Close(t.fd)
	place, err := openPlace(path)
	if err != nil {
		return err
	}
	defer syscall.Close(place)
	empty := [1]byte{}
	nothing := uintptr(unsafe.Pointer(&empty))
	if _, _, errno := syscall.Syscall6(sysMoveMount, uintptr(t.fd), nothing, uintptr(place), nothing, moveFromFile|moveToFile, 0); errno != 0 {
		return failed("mount", path, errno)
	}
	return nil
}

// limit takes rights from the copy.
func (t tree) limit(attributes uint64) error {
	return failed("change the mount", t.path, setAttributes(uintptr(t.fd), "", atEmptyPath|atRecursive, attributes))
}

// limitMount takes rights from what is mounted at path; with atRecursive also below.
func limitMount(path string, flags uintptr, attributes uint64) error {
	return failed("change the mount", path, setAttributes(atCwd, path, flags, attributes))
}

func setAttributes(dir uintptr, path string, flags uintptr, attributes uint64) error {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	attr := mountAttr{set: attributes, propagation: syscall.MS_PRIVATE}
	if _, _, errno := syscall.Syscall6(sysMountSetattr, dir, uintptr(unsafe.Pointer(name)), flags, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0); errno != 0 {
		return errno
	}
	return nil
}

// arrange sets up the file system: everything read-only and without devices but
// what may be written, a /run without the sockets of services, /dev and /proc of
// the command's own, and nothing to be read where secrets are.
func (s *Spec) arrange() error {
	writable, err := copyTrees(s.Write, attrNoDevice)
	if err != nil {
		return err
	}
	shown, err := s.copyTemp()
	if err != nil {
		return err
	}
	devices, err := copyTrees(s.Devices, attrReadOnly) // their rights; what goes through them is another matter
	if err != nil {
		return err
	}
	if err := limitMount("/", atRecursive, attrReadOnly|attrNoDevice); err != nil {
		return err
	}
	if err := s.mountRun(); err != nil {
		return err
	}
	if err := mountOwn(); err != nil {
		return err
	}
	for _, t := range append(append(shown, writable...), devices...) {
		s.makePlace(t)
		if err := t.mount(); err != nil {
			return err
		}
	}
	for _, path := range s.ReadOnly {
		if err := remount(path, attrReadOnly); err != nil {
			return err
		}
	}
	for _, path := range s.Hidden {
		if err := hide(path); err != nil {
			return err
		}
	}
	if s.Processes > 0 {
		if s.KernelBounds {
			_ = os.WriteFile("/proc/sys/kernel/pid_max", []byte(decimal(s.Processes)), 0)
		}
		limit := syscall.Rlimit{Cur: uint64(s.Processes), Max: uint64(s.Processes)}
		_ = syscall.Setrlimit(rlimitNproc, &limit)
	}
	return errors.Join(limitMount("/proc", 0, attrReadOnly), limitMount(run, 0, attrReadOnly))
}

const rlimitNproc = 6

// copyTrees copies what is mounted at paths that exist.
func copyTrees(paths []string, attributes uint64) ([]tree, error) {
	var trees []tree
	for _, path := range paths {
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		t, err := copyTree(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ELOOP) {
			continue // gone meanwhile, or no place to be mounted on
		}
		if err != nil {
			return nil, err
		}
		if attributes != 0 {
			if err := t.limit(attributes); err != nil {
				return nil, err
			}
		}
		trees = append(trees, t)
	}
	return trees, nil
}

// remount mounts a path on itself with fewer rights. As a mount it can also not be
// renamed or removed. What does not exist is left out.
func remount(path string, attributes uint64) error {
	trees, err := copyTrees([]string{path}, attributes)
	if err != nil || len(trees) == 0 {
		return err
	}
	return trees[0].mount()
}

// failed is the error of what could not be done to a path, nil for none.
func failed(what, path string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: what, Path: path, Err: err}
}
