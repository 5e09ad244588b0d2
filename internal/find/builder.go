package find

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
)

// A covered part of a log is in one segment.
type part struct {
	// log is the path of the log below the folder of the sessions.
	log string
	// workspace is the workspace of the session at the end of the part.
	workspace string
	// from and to bound the part in bytes. back is the place of the latest reply before to, whose
	// calls the next entries may answer.
	from, to, back int64
	// sum is the checksum of the last bytes before to. size and changed are the size and the time
	// of the log when it was read to its end; size is -1 if it was not read to its end.
	sum           uint32
	size, changed int64
}

// An entry is a document as a segment knows it.
type entry struct {
	// part is the index of the part of a log that holds the record.
	part int
	seq  uint64
	// at and length say where the record is in the log.
	at     int64
	length int
	// time is in milliseconds since 1970.
	time int64
	kind byte
}

// toolMark and pathMark begin the terms that are no words: the name of a tool, and the end of a
// path from any folder on. They sort before all words.
const (
	toolMark = "\x01"
	pathMark = "\x02"
)

// mostEnds bounds the ends of a path that are indexed.
const mostEnds = 12

// A builder collects the documents of a segment.
type builder struct {
	parts   []part
	entries []entry
	terms   map[string]int
	lists   []list
	// covers is how much of logs the segment covers, in bytes.
	covers int64
}

// A list holds the numbers of the entries that have a term: the differences of each to the one
// before, as varints.
type list struct {
	count, last int
	data        []byte
}

func newBuilder() *builder { return &builder{terms: map[string]int{}} }

// add adds the document of an entry.
func (b *builder) add(e entry, d document) {
	n := len(b.entries)
	b.entries = append(b.entries, e)
	eachWord(d.text, func(word []byte, _, _ int) {
		id, known := b.terms[string(word)]
		if !known {
			id = b.term(string(word))
		}
		b.lists[id].add(n)
	})
	for _, tool := range d.tools {
		b.mark(toolMark+tool, n)
	}
	for _, path := range d.paths {
		for range mostEnds {
			b.mark(pathMark+path, n)
			_, after, more := strings.Cut(path, "/")
			if !more {
				break
			}
			path = after
		}
	}
}

func (b *builder) term(name string) int {
	id := len(b.lists)
	b.terms[name] = id
	b.lists = append(b.lists, list{last: -1})
	return id
}

func (b *builder) mark(name string, n int) {
	id, known := b.terms[name]
	if !known {
		id = b.term(name)
	}
	b.lists[id].add(n)
}

func (l *list) add(n int) {
	if l.last != n {
		l.data = binary.AppendUvarint(l.data, uint64(n-l.last))
		l.last = n
		l.count++
	}
}

// merge adds the parts, entries and terms of a segment for which keep reports true.
func (b *builder) merge(s *segment, keep func(log string) bool) error {
	parts, entries := map[int]int{}, make([]int, len(s.entries))
	for i, p := range s.parts {
		if keep(p.log) {
			parts[i] = len(b.parts)
			b.parts = append(b.parts, p)
			b.covers += p.to - p.from
		}
	}
	for i, e := range s.entries {
		entries[i] = -1
		if part, kept := parts[e.part]; kept {
			entries[i] = len(b.entries)
			e.part = part
			b.entries = append(b.entries, e)
		}
	}
	return s.eachTerm("", false, func(list []int, term string) {
		id := -1
		for _, n := range list {
			if entries[n] < 0 {
				continue
			}
			if id < 0 {
				if known, ok := b.terms[term]; ok {
					id = known
				} else {
					id = b.term(term)
				}
			}
			b.lists[id].add(entries[n])
		}
	})
}

// encode returns the bytes of the segment.
func (b *builder) encode() []byte {
	names := slices.Sorted(maps.Keys(b.terms))
	head := binary.AppendUvarint(nil, uint64(len(b.parts)))
	for _, p := range b.parts {
		head = appendText(appendText(head, p.log), p.workspace)
		for _, n := range []int64{p.from, p.to, p.back, int64(p.sum), p.size, p.changed} {
			head = binary.AppendVarint(head, n)
		}
	}
	head = binary.AppendUvarint(head, uint64(len(b.entries)))
	var before entry
	for _, e := range b.entries {
		head = binary.AppendUvarint(head, uint64(e.part)<<2|uint64(e.kind))
		if e.part != before.part {
			before = entry{part: e.part}
		}
		for _, n := range []int64{int64(e.seq - before.seq), e.at - before.at - int64(before.length), int64(e.length), e.time - before.time} {
			head = binary.AppendVarint(head, n)
		}
		before = e
	}
	var body []byte
	head = binary.AppendUvarint(head, uint64((len(names)+blockTerms-1)/blockTerms))
	squeeze, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is right
	var packed bytes.Buffer
	for some := range slices.Chunk(names, blockTerms) {
		begin := len(body)
		packed.Reset()
		squeeze.Reset(&packed)
		_, _ = squeeze.Write(b.block(nil, some)) // a buffer takes all
		_ = squeeze.Close()
		body = append(body, packed.Bytes()...)
		head = binary.AppendUvarint(appendText(head, some[0]), uint64(len(body)-begin))
		head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(body[begin:]))
	}
	all := append([]byte(magic), make([]byte, 8)...)
	binary.LittleEndian.PutUint32(all[len(magic):], crc32.ChecksumIEEE(head))
	binary.LittleEndian.PutUint32(all[len(magic)+4:], uint32(len(head)))
	return append(append(all, head...), body...)
}

// block appends a block of terms: of each the length of the beginning that it shares with the term
// before it, the rest, and its list, as numbers or as one bit for each entry.
func (b *builder) block(body []byte, terms []string) []byte {
	before := ""
	for _, term := range terms {
		shared := 0
		for shared < min(len(before), len(term), 255) && before[shared] == term[shared] {
			shared++
		}
		body = appendText(append(body, byte(shared)), term[shared:])
		before = term
		l := b.lists[b.terms[term]]
		bits := (len(b.entries) + 7) / 8
		if len(l.data) <= bits {
			body = append(binary.AppendUvarint(body, uint64(l.count)<<1), l.data...)
			continue
		}
		body = binary.AppendUvarint(body, uint64(l.count)<<1|1)
		begin := len(body)
		body = append(body, make([]byte, bits)...)
		n := -1
		for data := l.data; len(data) > 0; {
			by, size := binary.Uvarint(data)
			n, data = n+int(by), data[size:]
			body[begin+n/8] |= 1 << (n % 8)
		}
	}
	return body
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}
