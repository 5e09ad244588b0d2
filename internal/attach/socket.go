package attach

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
)

const extension = ".sock"

// maxPath is the longest path of a socket that all systems support, in bytes.
const maxPath = 103

// Folders returns the folders of sockets, the preferred one first. runtime is XDG_RUNTIME_DIR, and state is
// the state folder.
func Folders(runtime, state string) []string {
	folders := []string{filepath.Join(state, "sockets")}
	if info, err := os.Stat(runtime); err == nil && filepath.IsAbs(runtime) && info.IsDir() && fsutil.OwnedByUser(info) {
		folders = slices.Insert(folders, 0, filepath.Join(runtime, "agent"))
	}
	return folders
}

// pathOf returns the path of the socket of a session. A long id is replaced by its hash.
func pathOf(folder, id string) (string, error) {
	path := filepath.Join(folder, id+extension)
	if len(path) > maxPath {
		sum := sha256.Sum256([]byte(id))
		path = filepath.Join(folder, hex.EncodeToString(sum[:8])+extension)
	}
	if len(path) > maxPath {
		return "", fmt.Errorf("the path of the session's socket is longer than %d bytes: %s; set XDG_RUNTIME_DIR to a shorter folder", maxPath, path)
	}
	return path, nil
}

// private returns an error unless a folder belongs to the user and is accessible to no other user.
func private(folder string) error {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	case !fsutil.OwnedByUser(info) || info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s must belong to you, and no other user may have access to it. Run: chmod 700 %s", folder, folder)
	}
	return nil
}

// List returns the paths of all sockets in the folders.
func List(folders []string) (paths []string) {
	for _, folder := range folders {
		if private(folder) != nil {
			continue
		}
		entries, _ := os.ReadDir(folder) // an unreadable folder has no sockets
		for _, entry := range entries {
			if name := entry.Name(); entry.Type() == fs.ModeSocket && strings.HasSuffix(name, extension) && !strings.HasPrefix(name, ".") {
				paths = append(paths, filepath.Join(folder, name))
			}
		}
	}
	return paths
}

// listen creates the socket at a path. It removes a socket that a killed program left there. The socket
// appears at the path once it accepts connections. So a refused connection means that its program has
// ended.
func listen(path string) (*net.UnixListener, error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := private(folder); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, fmt.Errorf("can't create the session's socket: %s exists and is not a socket", path)
		}
		if !IsDead(path) {
			return nil, errors.New("another process serves " + path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	unnamed := filepath.Join(folder, fmt.Sprintf(".%d", os.Getpid()))
	_ = os.Remove(unnamed) // a killed program with the same process ID may have left it
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: unnamed, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // Close would remove any file that is at the path by then
	err = os.Chmod(unnamed, 0o600)
	if err == nil {
		err = os.Rename(unnamed, path)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close(), os.Remove(unnamed))
	}
	return listener, nil
}

// IsDead reports whether no process accepts connections on a socket any more.
func IsDead(path string) bool {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		_ = conn.Close()
		return false
	}
	return fsutil.IsConnectionRefused(err)
}
