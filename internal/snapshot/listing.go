package snapshot

import (
	"bytes"
	"context"
	"sort"
	"strings"
	"time"

	"agent/internal/git/index"
	"agent/internal/ignore"
)

// listing is the files of a workspace, which may be many: little is held of each.
type listing struct {
	// folders are slash paths with a slash at the end, or empty; names are those of the
	// files in them, one after the other.
	folders []string
	names   strings.Builder
	files   []listed
	// tracked is how many of the files git tracks; the others follow. Both are in order.
	tracked int
	// partial is set when there are more than are looked at.
	partial bool
	sources sources
}

// listed is a file of a listing.
type listed struct {
	// folder is the place of its folder, and end where its name ends, which begins where
	// that of the file before does.
	folder, end uint32
}

// add adds a file, in order; tracked is nil for one that git does not track.
func (l *listing) add(path []byte, tracked *index.Entry) {
	if len(l.files) == mostFiles {
		l.partial = true
		return
	}
	folder, name := path[:bytes.LastIndexByte(path, '/')+1], path[bytes.LastIndexByte(path, '/')+1:]
	if last := len(l.folders) - 1; last < 0 || l.folders[last] != string(folder) {
		l.folders = append(l.folders, string(folder))
	}
	l.names.Write(name)
	l.files = append(l.files, listed{uint32(len(l.folders) - 1), uint32(l.names.Len())})
	if tracked != nil {
		l.tracked = len(l.files)
	}
}

// split is the folder and the name of the file at a place.
func (l *listing) split(place int) (folder, name string) {
	begin := uint32(0)
	if place > 0 {
		begin = l.files[place-1].end
	}
	return l.folders[l.files[place].folder], l.names.String()[begin:l.files[place].end]
}

// compare orders a path and one that is split.
func compare[Path string | []byte](path Path, folder, name string) int {
	above := path[:min(len(path), len(folder))]
	below := path[len(above):]
	switch {
	case string(above) < folder, string(above) == folder && string(below) < name:
		return -1
	case string(above) == folder && string(below) == name:
		return 0
	}
	return 1
}

// find finds the place of a path.
func (l *listing) find(rel string) (place int, ok bool) {
	search := func(begin, end int) (int, bool) {
		place, ok := sort.Find(end-begin, func(i int) int {
			folder, name := l.split(begin + i)
			return compare(rel, folder, name)
		})
		return begin + place, ok
	}
	if place, ok = search(0, l.tracked); ok {
		return place, true
	}
	return search(l.tracked, len(l.files))
}

// beside are the files of a listing where nothing stood before.
func (l *listing) beside(was *before) (added []string) {
	next := 0 // the place in the other listing where the next file is, unless there are others between
	for place := range l.files {
		folder, name := l.split(place)
		if next < len(was.listing.files) && was.seen[next].is(there) {
			if otherFolder, other := was.listing.split(next); other == name && otherFolder == folder {
				next++
				continue
			}
		}
		if rel := folder + name; !was.held(rel) {
			added = append(added, rel)
		} else if at, ok := was.listing.find(rel); ok {
			next = at + 1
		}
	}
	return added
}

// list lists the files of the workspace, by the last listing where that holds. All is false
// when they could not be listed, or not all; they are those of the index then.
func (s *Store) list(ctx context.Context, tracked *index.Index) (found *listing, all bool) {
	if last := s.scanned.listing; last != nil && last.sources.hold() {
		return last, true
	}
	bounded, cancel := context.WithTimeout(ctx, s.listTime)
	defer cancel()
	begun := time.Now()
	found = &listing{}
	if last := s.scanned.listing; last != nil { // which was about as long
		found.files = make([]listed, 0, len(last.files)+len(last.files)/8)
		found.names.Grow(last.names.Len() + last.names.Len()/8)
	}
	var paths []string
	walked, err := ignore.Walk(bounded, s.files.Root(), s.files.Root(), ignore.Visitor{
		File:   func(path []byte, tracked *index.Entry) { found.add(path, tracked) },
		Source: func(path string) { paths = append(paths, path) },
		Again:  func() { found, paths = &listing{}, nil },
	})
	if err != nil {
		found = &listing{}
		entries := tracked.Read()
		for entries.Next() {
			if e := &entries.Entry; whole(e) {
				found.add(e.Path, e)
			}
		}
		if entries.Err() != nil {
			found = &listing{}
		}
	}
	all = err == nil && !found.partial
	if all && walked.Certain {
		found.sources = s.sourcesOf(paths, begun)
	}
	s.scanned.listing = found
	s.tell(ctx, all, len(found.files))
	return found, all
}
