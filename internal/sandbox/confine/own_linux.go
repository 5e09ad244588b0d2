package confine

import (
	"errors"
	"os"
	"path"
	"syscall"
)

// Where hidden files and folders come from.
const (
	run          = "/run"
	hiddenFile   = run + "/.hidden-file"
	hiddenFolder = run + "/.hidden-folder"
)

// mountRun replaces /run, where services have their sockets, by a folder that holds
// only what Keep names and the links that were there, by which some systems find
// their programs.
func (s *Spec) mountRun() error {
	kept := map[string][]byte{}
	for _, file := range s.Keep {
		if content, err := os.ReadFile(file); err == nil {
			kept[file] = content
		}
	}
	links := linksIn(run)
	if err := syscall.Mount("tmpfs", run, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=755"); err != nil {
		return failed("mount", run, err)
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
	// A device on a mount without devices: nobody can open it, root neither.
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

// mountOwn mounts what a command has for itself: its processes, terminals and
// shared memory.
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
			return failed("mount", m.dir, err)
		}
	}
	// Where it is no link to pts/ptmx, it would lead to the terminals outside.
	if info, err := os.Lstat("/dev/ptmx"); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return bind("/dev/pts/ptmx", "/dev/ptmx")
	}
	return nil
}

// hide makes a file or folder one that cannot be opened.
func hide(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil // there is nothing to hide
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
	return nil // or gone meanwhile, as sockets go at any time
}

func bind(from, to string) error {
	if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); err != nil {
		return failed("mount", to, err)
	}
	return nil
}

// copyTemp copies what is to be mounted as /tmp, and then what is shown in it.
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

// temp is where programs expect a folder that everybody may write.
const temp = "/tmp"

// makePlace makes what to mount a copy on, where /run or /tmp had held it. In a /tmp of its
// own a command may have put something else there, such as a link, which is removed.
func (s *Spec) makePlace(t tree) {
	if s.Temp == "" || !below(t.path, temp) {
		if _, err := os.Lstat(t.path); err != nil {
			_ = os.MkdirAll(t.path, 0o755)
		}
		return
	}
	for _, mounted := range append(s.Shown[:len(s.Shown):len(s.Shown)], s.Write...) {
		if below(t.path, mounted) {
			return // it is there as it was
		}
	}
	var stat syscall.Stat_t
	known := syscall.Fstat(t.fd, &stat) == nil
	makeReal(t.path, !known || stat.Mode&syscall.S_IFMT == syscall.S_IFDIR)
}

// below reports whether a clean path is below a folder.
func below(path, folder string) bool {
	return len(path) > len(folder) && path[:len(folder)] == folder && path[len(folder)] == '/'
}

// makeReal makes a folder or a file below /tmp, and the folders above it, unless they are
// there. What is there and is something else is removed.
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

// LoopbackUp brings up the loopback device.
func LoopbackUp() error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer syscall.Close(socket)
	return os.NewSyscallError("bring up lo", setFlags(socket, "lo", syscall.IFF_UP))
}
