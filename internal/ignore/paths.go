package ignore

import (
	"context"
	"sort"
	"strings"

	"agent/internal/git/index"
)

// Paths are slash paths, of which there may be many, in little memory.
type Paths struct {
	// pieces of text hold the paths, none of which is in two of them.
	pieces []string
	// begins are where each is: in which piece, and in the lower half where in it.
	begins  []uint32
	lengths []uint16
}

// piece is the most that one of the pieces holds, in bytes.
const piece = 1 << 16

// Len is how many there are.
func (p *Paths) Len() int { return len(p.begins) }

// At is one of them; nothing is copied.
func (p *Paths) At(i int) string {
	begin := p.begins[i] % piece
	return p.pieces[p.begins[i]/piece][begin : begin+uint32(p.lengths[i])]
}

// Has reports whether a path is among sorted ones.
func (p *Paths) Has(path string) bool {
	i := sort.Search(p.Len(), func(i int) bool { return p.At(i) >= path })
	return i < p.Len() && p.At(i) == path
}

// PathsOf are the given paths.
func PathsOf(paths ...string) Paths {
	var l pathList
	for _, path := range paths {
		l.add(path)
	}
	l.endPiece()
	return l.Paths
}

// pathList makes Paths. They are whole when the last piece has been ended.
type pathList struct {
	Paths
	text []byte
}

func (l *pathList) add(path string) {
	length := len(path)
	if length >= piece {
		return // no system has such paths
	}
	if len(l.text)+length > piece {
		l.endPiece()
	}
	l.begins = append(l.begins, uint32(len(l.pieces)*piece+len(l.text)))
	l.lengths = append(l.lengths, uint16(length))
	l.text = append(l.text, path...)
}

func (l *pathList) endPiece() {
	l.pieces = append(l.pieces, string(l.text))
	l.text = l.text[:0]
}

// FilesAndFolders returns the files below root that git would not ignore, as [Files] does,
// and the folders they are in with a slash at the end, all in order.
func FilesAndFolders(ctx context.Context, root string) (Paths, error) {
	var all pathList
	tracked := 0
	_, err := Walk(ctx, root, root, Visitor{
		File: func(path []byte, entry *index.Entry) {
			all.add(string(path))
			if entry != nil {
				tracked = all.Len()
			}
		},
		Again: func() { all, tracked = pathList{}, 0 },
	})
	if err != nil {
		return Paths{}, err
	}
	all.endPiece()
	return all.merged(tracked), nil
}

// merged are paths of which so many are in order and then the others, with the folders they
// are in, all in order.
func (p *Paths) merged(first int) Paths {
	all := Paths{pieces: p.pieces, begins: make([]uint32, 0, p.Len()+p.Len()/8), lengths: make([]uint16, 0, p.Len()+p.Len()/8)}
	last := ""
	for i, j := 0, first; i < first || j < p.Len(); {
		next := j
		if j == p.Len() || i < first && p.At(i) <= p.At(j) {
			next = i
			i++
		} else {
			j++
		}
		path := p.At(next)
		if path == last {
			continue
		}
		for at := range len(path) {
			if path[at] == '/' && !strings.HasPrefix(last, path[:at+1]) { // a folder, whose path the file's begins with
				all.begins, all.lengths = append(all.begins, p.begins[next]), append(all.lengths, uint16(at+1))
			}
		}
		all.begins, all.lengths = append(all.begins, p.begins[next]), append(all.lengths, p.lengths[next])
		last = path
	}
	return all
}
