package launcher

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// Arguments of the system calls for mounts, from linux/mount.h and fcntl.h.
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

// atCwd is AT_FDCWD, which makes relative paths start in the current folder.
const atCwd = ^uintptr(99)

type mountAttr struct{ set, clear, propagation, userns uint64 }

// tree is a copy of the mounts at and below a path. It is not visible until it is mounted.
type tree struct {
	fd   int
	path string
}

// openPlace opens a path for the system calls for mounts. It fails if any part of the path is a
// link, because another command may have created the link.
func openPlace(path string) (int, error) { return openAs(path, 0) }

func openAs(path string, flags uint64) (int, error) {
	const openPath, noLinks = 0x200000, 0x04
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, err
	}
	how := struct{ flags, mode, resolve uint64 }{flags: openPath | syscall.O_CLOEXEC | flags, resolve: noLinks}
	fd, _, errno := syscall.Syscall6(sysOpenat2, atCwd, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	if errno != 0 {
		return -1, wrapError("open", path, errno)
	}
	return int(fd), nil
}

func copyTree(path string) (tree, error) {
	place, err := openPlace(path)
	if err != nil {
		return tree{}, err
	}
	defer syscall.Close(place)
	return copyPlace(place, path)
}

func copyPlace(place int, path string) (tree, error) {
	empty := [1]byte{}
	fd, _, errno := syscall.Syscall(sysOpenTree, uintptr(place), uintptr(unsafe.Pointer(&empty)), openCloned|atRecursive|atEmptyPath|syscall.O_CLOEXEC)
	if errno != 0 {
		return tree{}, wrapError("copy the mount", path, errno)
	}
	return tree{int(fd), path}, nil
}

// pinLink mounts a link on itself. The link keeps its target, and as a mount point it cannot be
// renamed or removed. The guard restores links that cannot be pinned after the command.
func pinLink(path string) {
	place, err := openAs(path, syscall.O_NOFOLLOW)
	if err != nil {
		return
	}
	defer syscall.Close(place)
	if t, err := copyPlace(place, path); err == nil {
		_ = t.mountOn(place)
	}
}

// mount mounts the tree at its original path, on top of the present content.
func (t tree) mount() error { return t.mountAt(t.path) }

func (t tree) mountAt(path string) error {
	place, err := openPlace(path)
	if err != nil {
		_ = syscall.Close(t.fd)
		return err
	}
	defer syscall.Close(place)
	return t.mountOn(place)
}

func (t tree) mountOn(place int) error {
	defer syscall.Close(t.fd)
	empty := [1]byte{}
	nothing := uintptr(unsafe.Pointer(&empty))
	if _, _, errno := syscall.Syscall6(sysMoveMount, uintptr(t.fd), nothing, uintptr(place), nothing, moveFromFile|moveToFile, 0); errno != 0 {
		return wrapError("mount", t.path, errno)
	}
	return nil
}

// limit adds restricting attributes to the tree, such as read-only.
func (t tree) limit(attributes uint64) error {
	return wrapError("change the mount", t.path, setAttributes(uintptr(t.fd), "", atEmptyPath|atRecursive, attributes))
}

// limitMount adds restricting attributes to the mount at path. With atRecursive it includes the
// mounts below.
func limitMount(path string, flags uintptr, attributes uint64) error {
	return wrapError("change the mount", path, setAttributes(atCwd, path, flags, attributes))
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

// arrange sets up the file system of the command. Everything is read-only and without devices
// except the writable paths. /run has no sockets of services, and hidden files cannot be read. /dev
// and /proc are private to the command.
func (s *Spec) arrange() error {
	for _, path := range s.Layered {
		if !isLayer(path) {
			return wrapError("write", path, errors.New("the cache has no overlay"))
		}
	}
	writable, err := copyTrees(s.Write, attrNoDevice)
	if err != nil {
		return err
	}
	shown, err := s.copyTemp()
	if err != nil {
		return err
	}
	devices, err := copyTrees(s.Devices, attrReadOnly) // protects their modes and owners; writing to a device still works
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
		if !s.makePlace(t) {
			_ = syscall.Close(t.fd)
			continue
		}
		if err := t.mount(); err != nil {
			return err
		}
	}
	for _, path := range s.ReadOnly {
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			pinLink(path)
			continue
		}
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

// copyTrees copies the mounts at and below each path that exists, and adds attributes to them.
func copyTrees(paths []string, attributes uint64) ([]tree, error) {
	var trees []tree
	for _, path := range paths {
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		t, err := copyTree(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ELOOP) {
			continue // the path was just removed, or contains a link
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

// remount mounts a path on itself with restricting attributes. As a mount point it also cannot be
// renamed or removed. It does nothing if the path does not exist.
func remount(path string, attributes uint64) error {
	trees, err := copyTrees([]string{path}, attributes)
	if err != nil || len(trees) == 0 {
		return err
	}
	return trees[0].mount()
}

// wrapError adds the operation and the path to an error. It returns nil for a nil error.
func wrapError(what, path string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: what, Path: path, Err: err}
}
