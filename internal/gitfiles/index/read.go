package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// ErrFormat is returned for a damaged index or an unknown format.
var ErrFormat = errors.New("unknown format of the git index")

// longestPath is the greatest accepted length of a path in bytes. No system supports longer paths.
// In version 4 each path extends the previous one, so that a damaged index could make paths ever
// longer.
const longestPath = 64 << 10

// Reader reads the entries of an index in order.
type Reader struct {
	// Entry is the current entry. Next sets it.
	Entry Entry

	in         *bufio.Reader
	prefix     []byte
	nameLength int
	version    uint32
	// left is the number of entries that are not read yet. read is the number of bytes read of the
	// current entry. path is its whole path, and name its object name.
	left uint32
	read int
	path []byte
	name [32]byte
	err  error
}

// Read returns a reader before the first entry. Several readers can be in use concurrently.
func (i *Index) Read() *Reader {
	if i == nil {
		return &Reader{}
	}
	if i.file == nil {
		return &Reader{err: ErrFormat}
	}
	return newReader(io.NewSectionReader(i.file, 0, i.size), i.nameLength, i.prefix)
}

func newReader(from io.Reader, nameLength int, prefix string) *Reader {
	const head = 12
	r := &Reader{in: bufio.NewReaderSize(from, longestPath), nameLength: nameLength, prefix: []byte(prefix)}
	start, err := r.next(head)
	if err != nil || string(start[:4]) != "DIRC" {
		return &Reader{err: ErrFormat}
	}
	r.version, r.left = binary.BigEndian.Uint32(start[4:]), binary.BigEndian.Uint32(start[8:])
	if r.version < 2 || r.version > 4 {
		return &Reader{err: ErrFormat}
	}
	if r.left == 0 {
		r.err = r.extensions()
	}
	return r
}

// Next reads the next entry. Entries are sorted by the bytes of their paths. Next returns false
// at the end and after an error.
func (r *Reader) Next() bool {
	for r.err == nil && r.left > 0 {
		r.left--
		if r.err = r.entry(); r.err == nil && r.left == 0 {
			r.err = r.extensions()
		}
		if r.err == nil && bytes.HasPrefix(r.path, r.prefix) {
			if r.Entry.Path = r.path[len(r.prefix):]; staysBelow(r.Entry.Path) {
				return true
			}
		}
	}
	return false
}

// Err returns ErrFormat if the index cannot be read. The error may occur after some entries, or
// with the last one.
func (r *Reader) Err() error { return r.err }

// staysBelow reports whether a path stays below its folder. fs.ValidPath would also refuse names that are
// not UTF-8.
func staysBelow(path []byte) bool {
	for name := range bytes.SplitSeq(path, []byte("/")) {
		if name := string(name); name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// entry reads the next entry.
func (r *Reader) entry() error {
	const fixed = 40
	r.read = 0
	begin, err := r.next(fixed + r.nameLength + 2)
	if err != nil {
		return ErrFormat
	}
	number := func(i int) uint32 { return binary.BigEndian.Uint32(begin[4*i:]) }
	flags := binary.BigEndian.Uint16(begin[fixed+r.nameLength:])
	r.Entry = Entry{
		Changed: timeOf(number(0), number(1)), Written: timeOf(number(2), number(3)),
		Inode: number(5), Size: number(9), Mode: Mode(number(6) >> 12), Merging: flags&0x3000 != 0,
		Name: r.name[:copy(r.name[:], begin[fixed:fixed+r.nameLength])],
	}
	if flags&0x4000 != 0 && r.version > 2 {
		more, err := r.next(2)
		if err != nil {
			return ErrFormat
		}
		r.Entry.Skipped = more[0]&0x40 != 0
	}
	return r.readPath()
}

// next returns the next n bytes. They are valid until more is read.
func (r *Reader) next(n int) ([]byte, error) {
	data, err := r.in.Peek(n)
	if err != nil {
		return nil, err
	}
	r.read += n
	_, err = r.in.Discard(n)
	return data, err
}

// readPath reads the path of an entry. It reuses the memory of the previous path.
func (r *Reader) readPath() error {
	keep := 0
	if r.version == 4 {
		// The path is the previous path, with its last cut bytes replaced.
		cut, err := r.offset()
		if err != nil || cut > len(r.path) {
			return ErrFormat
		}
		keep = len(r.path) - cut
	}
	end, err := r.in.ReadSlice(0)
	if err != nil || keep+len(end) > longestPath {
		return ErrFormat
	}
	r.path = append(r.path[:keep], end[:len(end)-1]...)
	r.read += len(end)
	if r.version < 4 && r.read%8 != 0 { // skip the one to eight zero bytes of padding
		if _, err := r.next(8 - r.read%8); err != nil {
			return ErrFormat
		}
	}
	return nil
}

// offset reads a number in git's variable-length encoding.
func (r *Reader) offset() (value int, err error) {
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
	return 0, ErrFormat
}

// extensions reads the extensions after the entries, up to the checksum. It returns an error if the
// index is split into two files.
func (r *Reader) extensions() error {
	const head = 8
	for {
		begin, err := r.in.Peek(head + r.nameLength)
		if err != nil {
			return nil // only the checksum is left
		}
		if string(begin[:4]) == "link" {
			return ErrFormat
		}
		size := int64(binary.BigEndian.Uint32(begin[4:]))
		if _, err := io.CopyN(io.Discard, r.in, head+size); err != nil {
			return ErrFormat
		}
	}
}

func timeOf(seconds, nanoseconds uint32) int64 { return int64(seconds)*1e9 + int64(nanoseconds) }
