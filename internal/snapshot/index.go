package snapshot

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/git"
)

// index is what git's index says of the files of a workspace: the names of contents
// that git keeps, and the times at which the files held them. It is read without
// running git, so nothing in the repository can interfere.
type index struct {
	entries map[string]indexEntry
	// file is where it was read from, and stamp that of the file then; it is zero for one
	// that could be written again without another stamp.
	file  string
	stamp stamp
	// written is when the index was: what was written at the same moment or later may
	// have changed unseen.
	written unix.Timespec
}

type indexEntry struct {
	changed, written unix.Timespec
	inode, size      uint32
	name             string
}

// largestIndex bounds what is read of an index, in bytes.
const largestIndex = 64 << 20

// readIndex reads the index of the repository that root is in; without one, or with one
// of another format, it is empty.
func readIndex(root string) index {
	gitDir, prefix := repository(root)
	if gitDir == "" {
		return index{}
	}
	file, now := filepath.Join(gitDir, "index"), time.Now()
	at, ok := stampOf(file)
	if !ok || at.size > largestIndex {
		return index{}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return index{}
	}
	entries, err := parseIndex(data, nameLength(gitDir), prefix)
	if err != nil {
		return index{}
	}
	read := index{entries: entries, file: file, written: at.written}
	if at.settled(now) {
		read.stamp = at
	}
	return read
}

// index is git's index as it is now, read again where it was written since.
func (s *Store) index() index {
	last := s.scanned.index
	if at, ok := stampOf(last.file); !ok || at != last.stamp {
		s.scanned.index = readIndex(s.root)
	}
	return s.scanned.index
}

// repository finds the folder of the repository that root is in, and the path of root in
// its work tree with a slash at the end.
func repository(root string) (gitDir, prefix string) {
	for dir := root; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil {
			if below, err := filepath.Rel(dir, root); err == nil && below != "." {
				prefix = filepath.ToSlash(below) + "/"
			}
			if !info.IsDir() && !info.Mode().IsRegular() {
				return "", prefix
			}
			return git.Folder(dir), prefix
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// nameLength is how many bytes a name of a content has in a repository.
func nameLength(gitDir string) int {
	const sha1, sha256 = 20, 32
	config, err := os.ReadFile(filepath.Join(gitDir, "config"))
	if errors.Is(err, fs.ErrNotExist) { // a linked work tree
		config, _ = os.ReadFile(filepath.Join(gitDir, "..", "..", "config"))
	}
	if bytes.Contains(bytes.ToLower(config), []byte("sha256")) {
		return sha256
	}
	return sha1
}

// errIndex is the error for an index that is damaged or of another format.
var errIndex = errors.New("not an index that is understood")

// parseIndex reads the regular files below prefix, which is taken off their paths.
func parseIndex(data []byte, nameLength int, prefix string) (map[string]indexEntry, error) {
	const head, fixed = 12, 40
	if len(data) < head+nameLength || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, errIndex
	}
	rest := data[head : len(data)-nameLength]
	entries := make(map[string]indexEntry, min(count, 1<<20))
	file := ""
	for range count {
		if len(rest) < fixed+nameLength+2 {
			return nil, errIndex
		}
		number := func(i int) uint32 { return binary.BigEndian.Uint32(rest[4*i:]) }
		e := indexEntry{
			changed: timespec(number(0), number(1)), written: timespec(number(2), number(3)),
			inode: number(5), size: number(9), name: hex.EncodeToString(rest[fixed : fixed+nameLength]),
		}
		regular := number(6)>>12 == 0o10
		flags := binary.BigEndian.Uint16(rest[fixed+nameLength:])
		at := fixed + nameLength + 2
		if flags&0x4000 != 0 && version > 2 {
			at += 2
		}
		var err error
		if file, at, err = indexPath(rest, at, version, file); err != nil {
			return nil, err
		}
		rest = rest[at:]
		merging := flags&0x3000 != 0
		if below, ok := strings.CutPrefix(file, prefix); ok && regular && !merging && fs.ValidPath(below) {
			entries[below] = e
		}
	}
	if bytes.Contains(rest, []byte("link")) { // the entries are in two files
		return nil, errIndex
	}
	return entries, nil
}

// indexPath reads the path of an entry, which begins at, and returns where the next entry
// begins.
func indexPath(entry []byte, at int, version uint32, last string) (name string, next int, err error) {
	if at > len(entry) {
		return "", 0, errIndex
	}
	if version == 4 {
		// The path is the last one without its end, and another end.
		cut, n := offset(entry[at:])
		if n == 0 || cut > len(last) {
			return "", 0, errIndex
		}
		at += n
		last = last[:len(last)-cut]
	} else {
		last = ""
	}
	end := bytes.IndexByte(entry[at:], 0)
	if end < 0 {
		return "", 0, errIndex
	}
	name, next = last+string(entry[at:at+end]), at+end+1
	if version < 4 {
		next = (at + end + 8) &^ 7 // one to eight zeros
	}
	if next > len(entry) {
		return "", 0, errIndex
	}
	return name, next, nil
}

// offset reads a number as git writes it, and returns how many bytes it has; 0 for none.
func offset(data []byte) (value, length int) {
	for i, b := range data[:min(len(data), 5)] {
		if i > 0 {
			value = (value + 1) << 7
		}
		value |= int(b & 0x7f)
		if b&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

func timespec(seconds, nanoseconds uint32) unix.Timespec {
	return unix.NsecToTimespec(int64(seconds)*1e9 + int64(nanoseconds))
}

// clean returns the state of a file that holds what git keeps of it, by its stamp alone
// as git does itself.
func (i index) clean(rel string, at stamp) (State, bool) {
	e, ok := i.entries[rel]
	if !ok || e.changed != at.changed || e.written != at.written || e.inode != uint32(at.inode) || e.size != uint32(at.size) || at.size > largest {
		return State{}, false
	}
	if unix.TimespecToNsec(e.written) >= unix.TimespecToNsec(i.written) {
		return State{}, false
	}
	return State{Kind: File, Mode: modeOf(at.mode), Size: at.size, Sum: gitSum + e.name}, true
}

// modeOf are the permissions in a mode of the system.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode) & fs.ModePerm
	for bit, special := range map[uint32]fs.FileMode{unix.S_ISUID: fs.ModeSetuid, unix.S_ISGID: fs.ModeSetgid, unix.S_ISVTX: fs.ModeSticky} {
		if mode&bit != 0 {
			m |= special
		}
	}
	return m
}

// names are the paths of all entries, in order.
func (i index) names() []string {
	names := make([]string, 0, len(i.entries))
	for name := range i.entries {
		names = append(names, path.Clean(name))
	}
	return sortedNames(names)
}
