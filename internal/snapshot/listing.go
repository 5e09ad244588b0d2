package snapshot

import (
	"bytes"
	"context"
	"sort"
	"strings"
	"time"

	"agent/internal/git/ignore"
	"agent/internal/gitfiles/index"
)

// listing contains the files of a workspace. There may be many, so it stores little about each.
type listing struct {
	// folders are slash paths that end in a slash; the root is empty.
	folders []string
	// names contains the names of all files, concatenated.
	names strings.Builder
	files []listed
	// tracked is the number of files that git tracks. They are first in the list; both parts are
	// sorted.
	tracked int
	// partial is set if there are more than mostFiles.
	partial bool
	sources sources
}

type listed struct {
	// folder is an index into the listing's folders.
	folder uint32
	// end is the end of the name in names. The name begins at the end of the previous name.
	end uint32
}

// add adds a file. Files must be added in order. tracked is nil for a file that git does not track.
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

func (l *listing) split(place int) (folder, name string) {
	begin := uint32(0)
	if place > 0 {
		begin = l.files[place-1].end
	}
	return l.folders[l.files[place].folder], l.names.String()[begin:l.files[place].end]
}

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

func (l *listing) newFiles(was *before) (added []string) {
	next := 0 // the place of the next file in the other listing
	for place := range l.files {
		folder, name := l.split(place)
		if next < len(was.listing.files) && was.seen[next].is(there) {
			if otherFolder, other := was.listing.split(next); other == name && otherFolder == folder {
				next++
				continue
			}
		}
		rel := folder + name
		if _, existed := was.place(rel); !existed {
			added = append(added, rel)
		} else if at, ok := was.listing.find(rel); ok {
			next = at + 1
		}
	}
	return added
}

// list lists the files of the workspace. It returns the last listing again if nothing can have
// changed. If not all files could be listed, all is false and the listing contains the files of
// git's index.
func (s *Store) list(ctx context.Context, tracked *index.Index) (files *listing, all bool) {
	if last := s.scanned.listing; last != nil && last.sources.hold() {
		return last, true
	}
	bounded, cancel := context.WithTimeout(ctx, s.listTime)
	defer cancel()
	begun := time.Now()
	files = &listing{}
	if last := s.scanned.listing; last != nil { // the new listing will have about the same length
		files.files = make([]listed, 0, len(last.files)+len(last.files)/8)
		files.names.Grow(last.names.Len() + last.names.Len()/8)
	}
	var paths []string
	walked, err := ignore.Walk(bounded, s.files.workspace.Root(), s.files.workspace.Root(), ignore.Visitor{
		File:   func(path []byte, tracked *index.Entry) { files.add(path, tracked) },
		Source: func(path string) { paths = append(paths, path) },
		Again:  func() { files, paths = &listing{}, nil },
	})
	if err != nil {
		files = &listing{}
		entries := tracked.Read()
		for entries.Next() {
			if e := &entries.Entry; isPlainEntry(e) {
				files.add(e.Path, e)
			}
		}
		if entries.Err() != nil {
			files = &listing{}
		}
	}
	all = err == nil && !files.partial
	if all && walked.Stable {
		files.sources = s.sourcesOf(paths, begun)
	}
	s.scanned.listing = files
	s.warnPartial(ctx, all, len(files.files))
	return files, all
}
