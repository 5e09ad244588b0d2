package find

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"sort"
	"strings"

	"agent/internal/disk"
)

const (
	magic = "agent find 1\n"
	// blockTerms is the number of terms in a block, which is read as a whole.
	blockTerms = 128
)

// errDamaged means that a file of the index is not as it was written.
var errDamaged = errors.New("a file of the search index is damaged")

// A segment is an open file of the index.
type segment struct {
	path    string
	info    os.FileInfo
	file    *os.File
	parts   []part
	entries []entry
	blocks  []block
}

// A block says where a block of terms is, and which is its first.
type block struct {
	first string
	at    int64
	size  int
	sum   uint32
}

// openSegment opens a file and reads all but its terms.
func openSegment(path string) (s *segment, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	s = &segment{path: path, info: info, file: file}
	begin := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(file, begin); err != nil || string(begin[:len(magic)]) != magic {
		return nil, errDamaged
	}
	sum, size := binary.LittleEndian.Uint32(begin[len(magic):]), int64(binary.LittleEndian.Uint32(begin[len(magic)+4:]))
	if size > info.Size() {
		return nil, errDamaged
	}
	head := make([]byte, size)
	if _, err := io.ReadFull(file, head); err != nil || crc32.ChecksumIEEE(head) != sum {
		return nil, errDamaged
	}
	in := &decoder{rest: head, size: len(head)}
	s.decode(in)
	if in.bad {
		return nil, errDamaged
	}
	return s, nil
}

func (s *segment) close() { _ = s.file.Close() }

func (s *segment) decode(in *decoder) {
	s.parts = make([]part, in.count())
	for i := range s.parts {
		p := &s.parts[i]
		p.log, p.workspace = in.text(), in.text()
		p.from, p.to, p.back, p.sum, p.size, p.changed = in.number(), in.number(), in.number(), uint32(in.number()), in.number(), in.number()
	}
	s.entries = make([]entry, in.count())
	var before entry
	for i := range s.entries {
		e := &s.entries[i]
		mark := in.unsigned()
		if e.part, e.kind = int(mark>>2), byte(mark&3); e.part >= len(s.parts) {
			in.bad = true
			return
		}
		if e.part != before.part {
			before = entry{part: e.part}
		}
		e.seq, e.at = before.seq+uint64(in.number()), before.at+int64(before.length)+in.number()
		e.length, e.time = int(in.number()), before.time+in.number()
		before = *e
	}
	s.blocks = make([]block, in.count())
	at := int64(len(magic) + 8 + in.size)
	for i := range s.blocks {
		s.blocks[i] = block{first: in.text(), at: at, size: in.count32(), sum: in.sum()}
		at += int64(s.blocks[i].size)
	}
	in.bad = in.bad || at != s.info.Size()
}

// eachTerm calls use with each term that begins with a prefix, or only with the prefix itself if whole
// is set, and with the numbers of its entries, in order. The list is valid until use returns.
func (s *segment) eachTerm(prefix string, whole bool, use func(list []int, term string)) error {
	first := max(0, sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].first > prefix })-1)
	var numbers []int
	var packed bytes.Reader
	unpack := flate.NewReader(&packed)
	for _, b := range s.blocks[first:] {
		if b.first > prefix && !strings.HasPrefix(b.first, prefix) {
			return nil
		}
		data := make([]byte, b.size)
		if _, err := s.file.ReadAt(data, b.at); err != nil || crc32.ChecksumIEEE(data) != b.sum {
			return errDamaged
		}
		packed.Reset(data)
		_ = unpack.(flate.Resetter).Reset(&packed, nil) // it never fails
		terms, err := io.ReadAll(unpack)
		if err != nil {
			return errDamaged
		}
		in := &decoder{rest: terms}
		for term := ""; len(in.rest) > 0; {
			shared := int(in.byte())
			if shared > len(term) {
				return errDamaged
			}
			term = term[:shared] + in.text()
			wanted := strings.HasPrefix(term, prefix) && (!whole || term == prefix)
			numbers = in.list(numbers[:0], len(s.entries), wanted)
			switch {
			case in.bad:
				return errDamaged
			case wanted:
				use(numbers, term)
			case term > prefix:
				return nil
			}
		}
	}
	return nil
}

// A decoder reads what a builder encoded. bad is set if that is not possible.
type decoder struct {
	rest []byte
	size int
	bad  bool
}

func (d *decoder) unsigned() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) number() int64 {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count reads the number of items that follow, each of which takes a byte at least.
func (d *decoder) count() int {
	n := d.unsigned()
	if n > uint64(len(d.rest)) {
		d.bad = true
		return 0
	}
	return int(n)
}

// count32 reads a number that fits into 32 bits.
func (d *decoder) count32() int {
	n := d.unsigned()
	d.bad = d.bad || n > 1<<31
	return int(n & (1<<31 - 1))
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.rest) {
		d.bad, d.rest = true, nil
		return make([]byte, n)
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) byte() byte   { return d.bytes(1)[0] }
func (d *decoder) text() string { return string(d.bytes(d.count())) }
func (d *decoder) sum() uint32  { return binary.LittleEndian.Uint32(d.bytes(4)) }

// list reads the list of a term in a segment of so many entries, or skips it.
func (d *decoder) list(into []int, entries int, wanted bool) []int {
	mark := d.unsigned()
	if mark&1 == 1 {
		for i, bits := range d.bytes((entries + 7) / 8) {
			for n := 8 * i; wanted && bits != 0; n, bits = n+1, bits>>1 {
				if bits&1 == 1 && n < entries {
					into = append(into, n)
				}
			}
		}
		return into
	}
	n := -1
	for range min(mark>>1, uint64(entries)) {
		if n += int(d.unsigned()); n < 0 || n >= entries {
			d.bad = true
			return nil
		}
		into = append(into, n)
	}
	return into
}
