package snapshot

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"agent/internal/git"
)

// index is git's index of the files of a workspace: the names of contents that git keeps,
// and the times at which the files held them. It is read without running git, so nothing
// in the repository can interfere, and in one go, for it may be large. It stays what it
// was when it was opened: git puts another file in its place. Nil is one without entries.
type index struct {
	file *os.File
	// nameLength is how many bytes a name of a content has, and prefix the path of the
	// workspace in the repository, with a slash at the end.
	nameLength int
	prefix     string
	// written is when the index was: what was written at the same moment or later may
	// have changed unseen.
	written unix.Timespec
}

// indexEntry is an entry. Path and name are valid until the next one is read.
type indexEntry struct {
	changed, written unix.Timespec
	inode, size      uint32
	path, name       []byte
}

// largestIndex bounds what is read of an index, in bytes.
const largestIndex = 256 << 20

// openIndex opens the index of the repository that root is in; it is nil without one.
func openIndex(root string) *index {
	gitDir, prefix := repository(root)
	if gitDir == "" {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(gitDir, "index"), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	var stat unix.Stat_t
	if unix.Fstat(int(file.Fd()), &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG || stat.Size > largestIndex {
		file.Close()
		return nil
	}
	return &index{file: file, nameLength: nameLength(gitDir), prefix: prefix, written: stat.Mtim}
}

func (i *index) close() {
	if i != nil {
		i.file.Close()
	}
}

// entries calls do for the regular files below the workspace, with their paths in it, in
// order. The error says that the index is damaged or of another format, which may show
// after some entries.
func (i *index) entries(do func(indexEntry)) error {
	if i == nil {
		return nil
	}
	info, err := i.file.Stat()
	if err != nil {
		return err
	}
	return parseIndex(io.NewSectionReader(i.file, 0, info.Size()), i.nameLength, i.prefix, do)
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

// parseIndex calls do for the regular files below prefix, which is taken off their paths.
func parseIndex(from io.Reader, nameLength int, prefix string, do func(indexEntry)) error {
	const head, fixed = 12, 40
	in := &indexReader{in: bufio.NewReaderSize(from, 64<<10)}
	start, err := in.next(head)
	if err != nil || string(start[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(start[4:]), binary.BigEndian.Uint32(start[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	var path []byte
	for range count {
		in.read = 0
		begin, err := in.next(fixed + nameLength + 2)
		if err != nil {
			return errIndex
		}
		number := func(i int) uint32 { return binary.BigEndian.Uint32(begin[4*i:]) }
		e := indexEntry{
			changed: timespec(number(0), number(1)), written: timespec(number(2), number(3)),
			inode: number(5), size: number(9), name: in.name[:copy(in.name[:], begin[fixed:fixed+nameLength])],
		}
		regular := number(6)>>12 == 0o10
		flags := binary.BigEndian.Uint16(begin[fixed+nameLength:])
		if flags&0x4000 != 0 && version > 2 {
			if _, err := in.next(2); err != nil {
				return errIndex
			}
		}
		if path, err = in.path(version, path); err != nil {
			return errIndex
		}
		merging := flags&0x3000 != 0
		if below, ok := bytes.CutPrefix(path, []byte(prefix)); ok && regular && !merging && fs.ValidPath(string(below)) {
			e.path = below
			do(e)
		}
	}
	return in.extensions(nameLength)
}

// indexReader reads an index from its beginning to its end.
type indexReader struct {
	in *bufio.Reader
	// read is how many bytes of an entry were read, and name the name in the last one.
	read int
	name [32]byte
}

// next returns the next n bytes, which are valid until more is read.
func (r *indexReader) next(n int) ([]byte, error) {
	data, err := r.in.Peek(n)
	if err != nil {
		return nil, err
	}
	r.read += n
	_, err = r.in.Discard(n)
	return data, err
}

// path reads the path of an entry into the memory of the last one.
func (r *indexReader) path(version uint32, last []byte) ([]byte, error) {
	keep := 0
	if version == 4 {
		// The path is the last one without its end, and another end.
		cut, err := r.offset()
		if err != nil || cut > len(last) {
			return nil, errIndex
		}
		keep = len(last) - cut
	}
	end, err := r.in.ReadSlice(0)
	if err != nil {
		return nil, errIndex
	}
	path := append(last[:keep], end[:len(end)-1]...)
	r.read += len(end)
	if version < 4 && r.read%8 != 0 { // one to eight zeros
		_, err = r.next(8 - r.read%8)
	}
	return path, err
}

// offset reads a number as git writes it.
func (r *indexReader) offset() (value int, err error) {
	for range 5 {
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, err
		}
		value |= int(b & 0x7f)
		if b&0x80 == 0 {
			return value, nil
		}
		value = (value + 1) << 7
	}
	return 0, errIndex
}

// extensions reads what follows the entries up to the sum of all. The error says that the
// entries are in two files.
func (r *indexReader) extensions(nameLength int) error {
	const head = 8
	for {
		begin, err := r.in.Peek(head + nameLength)
		if err != nil {
			return nil // the sum of all is what is left
		}
		if string(begin[:4]) == "link" {
			return errIndex
		}
		size := int64(binary.BigEndian.Uint32(begin[4:]))
		if _, err := io.CopyN(io.Discard, r.in, head+size); err != nil {
			return errIndex
		}
	}
}

func timespec(seconds, nanoseconds uint32) unix.Timespec {
	return unix.NsecToTimespec(int64(seconds)*1e9 + int64(nanoseconds))
}

// sure reports whether a file with the times of an entry holds what git keeps of it, as git
// itself takes it.
func (i *index) sure(e indexEntry) bool {
	return unix.TimespecToNsec(e.written) < unix.TimespecToNsec(i.written)
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
func (i *index) names() []string {
	var names []string
	if i.entries(func(e indexEntry) { names = append(names, path.Clean(string(e.path))) }) != nil {
		return nil
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sums are the names of what git keeps of the given files, as sums.
func (i *index) sums(of map[string]bool) map[string]string {
	sums := map[string]string{}
	if i.entries(func(e indexEntry) {
		if of[string(e.path)] {
			sums[string(e.path)] = gitSum + hex.EncodeToString(e.name)
		}
	}) != nil {
		return nil
	}
	return sums
}
