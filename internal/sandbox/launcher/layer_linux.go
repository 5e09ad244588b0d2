package launcher

import (
	"path"
	"syscall"
)

// A Layer receives the files that commands write to a folder, so that the folder itself stays
// unchanged. Commands see the files of both.
type Layer struct {
	// Path is the folder. Lower lists the layers between the folder and this layer, topmost first.
	Path  string
	Lower []string
	// Upper receives the written files. Work is an empty folder that the kernel needs on the same
	// file system.
	Upper, Work string
}

// Mount mounts the layer on its folder in the mount namespace of this process. It follows no links.
// It fails before Linux 5.11, and on file systems that do not support layers.
func (l Layer) Mount() error {
	names := map[string]string{}
	for _, name := range append([]string{l.Path, l.Upper, l.Work}, l.Lower...) {
		fd, err := openPlace(name)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		// Such a name needs no quoting, and no other program can replace its target.
		names[name] = "/proc/self/fd/" + decimal(fd)
	}
	lower := ""
	for _, name := range l.Lower {
		lower += names[name] + ":"
	}
	options := "userxattr,index=off,lowerdir=" + lower + names[l.Path] + ",upperdir=" + names[l.Upper] + ",workdir=" + names[l.Work]
	return wrapError("mount an overlay on", l.Path, syscall.Mount("overlay", names[l.Path], "overlay", syscall.MS_NOSUID|syscall.MS_NODEV, options))
}

// isLayer reports whether a folder is the mount point of a layer.
func isLayer(folder string) bool {
	const overlay = 0x794c7630
	var system syscall.Statfs_t
	var own, above syscall.Stat_t
	if syscall.Statfs(folder, &system) != nil || syscall.Lstat(folder, &own) != nil || syscall.Lstat(path.Dir(folder), &above) != nil {
		return false
	}
	return int64(system.Type) == overlay && own.Mode&syscall.S_IFMT == syscall.S_IFDIR && own.Dev != above.Dev
}
