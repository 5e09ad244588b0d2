package launcher

import (
	"errors"
	"os"
	"path"
	"syscall"
)

const (
	run = "/run"
	// hiddenFile and hiddenFolder are mounted over hidden files and folders.
	hiddenFile   = run + "/.hidden-file"
	hiddenFolder = run + "/.hidden-folder"
)

// mountRun replaces /run, where services have their sockets. The new folder contains only the files
// in Keep and the previous links, which some systems need to find their programs.
func (s *Spec) mountRun() error {
	kept := map[string][]byte{}
	for _, file := range s.Keep {
		if content, err := os.ReadFile(file); err == nil {
			kept[file] = content
		}
	}
	links := linksIn(run)
	if err := syscall.Mount("tmpfs", run, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=755"); err != nil {
		return wrapError("mount", run, err)
	}
	for file, content := range kept {
		err := errors.Join(os.MkdirAll(path.Dir(file), 0o755), os.WriteFile(file, content, 0o444))
		if err != nil {
			return err
		}
	}
	for name, target := range links {
		if err := os.Symlink(target, path.Join(run, name)); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Mkdir(hiddenFolder, 0), os.WriteFile(hiddenFile, nil, 0)); err != nil {
		return err
	}
	// This is a device on a mount that forbids devices, so not even root can open it.
	return bind(os.DevNull, hiddenFile)
}

func linksIn(dir string) map[string]string {
	links := map[string]string{}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if target, err := os.Readlink(path.Join(dir, entry.Name())); err == nil {
			links[entry.Name()] = target
		}
	}
	return links
}

// mountOwn mounts a private /proc, /dev/shm and /dev/pts for the command.
func mountOwn() error {
	for _, m := range []struct {
		dir, kind, options string
		flags              uintptr
	}{
		{"/proc", "proc", "", syscall.MS_NODEV | syscall.MS_NOEXEC},
		{"/dev/shm", "tmpfs", "mode=1777", syscall.MS_NODEV},
		{"/dev/pts", "devpts", "newinstance,ptmxmode=0666,mode=620", syscall.MS_NOEXEC},
	} {
		if _, err := os.Lstat(m.dir); err != nil {
			continue
		}
		if err := syscall.Mount(m.kind, m.dir, m.kind, m.flags|syscall.MS_NOSUID, m.options); err != nil {
			return wrapError("mount", m.dir, err)
		}
	}
	// A /dev/ptmx that is not a link to pts/ptmx would open terminals of the host.
	if info, err := os.Lstat("/dev/ptmx"); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return bind("/dev/pts/ptmx", "/dev/ptmx")
	}
	return nil
}

// hide covers a file or folder so that it cannot be opened.
func hide(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil // nothing to hide
	}
	from := hiddenFile
	if info.IsDir() {
		from = hiddenFolder
	}
	cover, err := copyTree(from)
	if err != nil {
		return err
	}
	if err := cover.mountAt(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil // also if the path was just removed, as happens with sockets
}

func bind(from, to string) error {
	if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); err != nil {
		return wrapError("mount", to, err)
	}
	return nil
}

// copyTemp copies the folder to mount as /tmp, followed by the paths to show inside it.
func (s *Spec) copyTemp() ([]tree, error) {
	if s.Temp == "" {
		return nil, nil
	}
	own, err := copyTree(s.Temp)
	if err != nil {
		return nil, err
	}
	if err := own.limit(attrNoDevice | attrNoSetID); err != nil {
		return nil, err
	}
	own.path = temp
	shown, err := copyTrees(s.Shown, attrReadOnly|attrNoDevice)
	return append([]tree{own}, shown...), err
}

// temp is the folder in which programs expect to be allowed to write.
const temp = "/tmp"

// makePlace creates the file or folder on which a tree is mounted, if it was in the replaced /run
// or /tmp. In its private /tmp a command may have created something else at this path. makePlace
// removes a link or a file. It returns false if the path must be a file but is a folder with
// entries.
func (s *Spec) makePlace(t tree) bool {
	if s.Temp == "" || !below(t.path, temp) {
		if _, err := os.Lstat(t.path); err != nil {
			_ = os.MkdirAll(t.path, 0o755)
		}
		return true
	}
	for _, mounted := range append(s.Shown[:len(s.Shown):len(s.Shown)], s.Write...) {
		if below(t.path, mounted) {
			return true // the tree above already contains the path
		}
	}
	var stat syscall.Stat_t
	known := syscall.Fstat(t.fd, &stat) == nil
	folder := !known || stat.Mode&syscall.S_IFMT == syscall.S_IFDIR
	makeReal(t.path, folder)
	info, err := os.Lstat(t.path)
	return err != nil || folder || !info.IsDir()
}

func below(path, folder string) bool {
	return len(path) > len(folder) && path[:len(folder)] == folder && path[len(folder)] == '/'
}

// makeReal creates a folder or an empty file below /tmp, with the folders above it. It removes
// anything else at these paths, such as a link.
func makeReal(name string, folder bool) {
	if above := path.Dir(name); above != temp {
		makeReal(above, true)
	}
	if info, err := os.Lstat(name); err == nil {
		if info.IsDir() == folder && info.Mode()&os.ModeSymlink == 0 {
			return
		}
		_ = os.Remove(name)
	}
	if folder {
		_ = os.Mkdir(name, 0o755)
		return
	}
	if f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		_ = f.Close()
	}
}

// EnableLoopback activates the loopback device.
func EnableLoopback() error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer syscall.Close(socket)
	return os.NewSyscallError("bring up lo", setFlags(socket, "lo", syscall.IFF_UP))
}
