package ignore

import (
	"context"
	"sort"
	"strings"

	"agent/internal/gitfiles/index"
)

// Paths is a memory-efficient list of slash paths.
type Paths struct {
	// pieces contain the text of the paths. No path is split between two pieces.
	pieces []string
	// begins holds the position of each path: the index of its piece times the size of a piece,
	// plus the offset in the piece.
	begins  []uint32
	lengths []uint16
}

// piece is the greatest size of a piece in bytes.
const piece = 1 << 16

// Len returns the number of paths.
func (p *Paths) Len() int { return len(p.begins) }

// At returns the path with an index, without copying it.
func (p *Paths) At(i int) string {
	begin := p.begins[i] % piece
	return p.pieces[p.begins[i]/piece][begin : begin+uint32(p.lengths[i])]
}

// Has reports whether the list contains a path. The list must be sorted.
func (p *Paths) Has(path string) bool {
	i := sort.Search(p.Len(), func(i int) bool { return p.At(i) >= path })
	return i < p.Len() && p.At(i) == path
}

// NewPaths returns a list of the given paths.
func NewPaths(paths ...string) Paths {
	var l pathList
	for _, path := range paths {
		l.add(path)
	}
	l.endPiece()
	return l.Paths
}

// pathList builds a Paths. It is complete after endPiece.
type pathList struct {
	Paths
	text []byte
}

func (l *pathList) add(path string) {
	length := len(path)
	if length >= piece {
		return // no file system allows such paths
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

// FilesAndFolders returns the files below root that git does not ignore, as [Files] does, and the
// folders that contain them, with a slash at the end. The list is sorted.
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
	return all.mergeFolders(tracked), nil
}

// mergeFolders returns the paths and the folders that contain them as one sorted list. The paths
// must consist of two sorted parts. first is the length of the first part.
func (p *Paths) mergeFolders(first int) Paths {
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
			if path[at] == '/' && !strings.HasPrefix(last, path[:at+1]) { // a new folder; its path is a prefix of the file's
				all.begins, all.lengths = append(all.begins, p.begins[next]), append(all.lengths, uint16(at+1))
			}
		}
		all.begins, all.lengths = append(all.begins, p.begins[next]), append(all.lengths, p.lengths[next])
		last = path
	}
	return all
}
