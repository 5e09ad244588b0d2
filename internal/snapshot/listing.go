package snapshot

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"agent/internal/git/index"
	"agent/internal/ignore"
)

// listing is the files of a workspace, which may be many: little is held of each.
type listing struct {
	runs []run
	// tracked is how many of the runs are of files that git tracks; the others follow. Both
	// are in order.
	tracked, files int
	// partial is set when there are more than are looked at.
	partial bool
	sources sources
}

// run is files of one folder, in order.
type run struct {
	// folder is a slash path with a slash at the end, or empty.
	folder string
	// names are one after the other; ends are where each does.
	names string
	ends  []uint16
	// prints are what git's index has of each file that holds what git keeps of it if its
	// identity is that, 0 for others.
	prints []uint64
	// first is the place of the first.
	first int
}

// longestRun bounds the files of a run, so that several processors can share the work.
const longestRun = 250

func (r *run) name(i int) string {
	begin := uint16(0)
	if i > 0 {
		begin = r.ends[i-1]
	}
	return r.names[begin:r.ends[i]]
}

// path is that of a file in the workspace.
func (r *run) path(i int) string { return r.folder + r.name(i) }

// compare orders a file of the run and a path.
func (r *run) compare(i int, rel string) int {
	if len(rel) < len(r.folder) {
		return cmp.Compare(r.path(i), rel)
	}
	return cmp.Or(strings.Compare(r.folder, rel[:len(r.folder)]), strings.Compare(r.name(i), rel[len(r.folder):]))
}

// search finds the place of a path in sorted runs.
func search(runs []run, rel string) (place int, ok bool) {
	after, _ := slices.BinarySearchFunc(runs, rel, func(r run, rel string) int {
		if r.compare(0, rel) <= 0 {
			return -1
		}
		return 1
	})
	if after == 0 {
		return 0, false
	}
	in := &runs[after-1]
	begin, end := 0, len(in.ends)
	for begin < end {
		middle := (begin + end) / 2
		switch order := in.compare(middle, rel); {
		case order == 0:
			return in.first + middle, true
		case order < 0:
			begin = middle + 1
		default:
			end = middle
		}
	}
	return 0, false
}

// find finds the place of a path.
func (l *listing) find(rel string) (place int, ok bool) {
	if place, ok = search(l.runs[:l.tracked], rel); ok {
		return place, true
	}
	return search(l.runs[l.tracked:], rel)
}

// runOf is the run that a place is in.
func (l *listing) runOf(place int) *run {
	after, _ := slices.BinarySearchFunc(l.runs, place, func(r run, place int) int {
		if r.first <= place {
			return -1
		}
		return 1
	})
	return &l.runs[after-1]
}

// path is the one at a place.
func (l *listing) path(place int) string {
	in := l.runOf(place)
	return in.path(place - in.first)
}

// beside are the files of a listing where nothing stood before.
func (l *listing) beside(was *before) (added []string) {
	for n := range l.runs {
		in := &l.runs[n]
		if was.has(in) {
			continue
		}
		for i := range in.ends {
			if rel := in.path(i); !was.held(rel) {
				added = append(added, rel)
			}
		}
	}
	return added
}

// lister makes a listing of files as they come.
type lister struct {
	listing
	printOf func(e *index.Entry) uint64
	// last is an earlier listing, whose runs are used again where nothing has changed.
	last *listing
	// folder is that of the run being made, and the others what will be in it.
	folder, names []byte
	ends          []uint16
	prints        []uint64
	ofTracked     bool
}

// add adds a file, in order; tracked is nil for one that git does not track.
func (l *lister) add(folder, name []byte, tracked *index.Entry) {
	if l.files == mostFiles || len(name) > math.MaxUint16 {
		l.partial = true
		return
	}
	if string(folder) != string(l.folder) || len(l.ends) == longestRun || len(l.names)+len(name) > math.MaxUint16 || l.ofTracked != (tracked != nil) {
		l.endRun()
		l.folder, l.ofTracked = append(l.folder[:0], folder...), tracked != nil
	}
	fingerprint := uint64(0)
	if tracked != nil {
		fingerprint = l.printOf(tracked)
	}
	l.names = append(l.names, name...)
	l.ends, l.prints = append(l.ends, uint16(len(l.names))), append(l.prints, fingerprint)
	l.files++
}

func (l *lister) endRun() {
	if len(l.ends) == 0 {
		return
	}
	l.runs = append(l.runs, l.run())
	if l.ofTracked {
		l.tracked = len(l.runs)
	}
	l.names, l.ends, l.prints = l.names[:0], l.ends[:0], l.prints[:0]
}

// run is the run that was made.
func (l *lister) run() run {
	first := l.files - len(l.ends)
	if l.last != nil {
		if place, ok := l.last.find(string(l.folder) + string(l.names[:l.ends[0]])); ok {
			again := *l.last.runOf(place)
			if again.first == place && again.names == string(l.names) && slices.Equal(again.ends, l.ends) && slices.Equal(again.prints, l.prints) {
				again.first = first
				return again
			}
		}
	}
	return run{folder: string(l.folder), names: string(l.names), ends: slices.Clone(l.ends), prints: slices.Clone(l.prints), first: first}
}

// done returns what was listed.
func (l *lister) done() *listing {
	l.endRun()
	return &l.listing
}

// fill finds what git's index has of files of which that was not reported.
func (l *listing) fill(tracked *index.Index, printOf func(e *index.Entry) uint64) {
	for n := range l.runs { // those of an earlier listing stay as they are
		l.runs[n].prints = slices.Clone(l.runs[n].prints)
	}
	entries := tracked.Read()
	for entries.Next() {
		if place, ok := l.find(string(entries.Entry.Path)); ok {
			in := l.runOf(place)
			in.prints[place-in.first] = printOf(&entries.Entry)
		}
	}
	if entries.Err() != nil {
		for n := range l.runs {
			l.runs[n].prints = make([]uint64, len(l.runs[n].ends))
		}
	}
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
	lister := s.lister(tracked)
	var paths []string
	walked, err := ignore.Walk(bounded, s.files.Root(), s.files.Root(), ignore.Visitor{
		File:   func(folder, name []byte, tracked *index.Entry) { lister.add(folder, name, tracked) },
		Source: func(path string) { paths = append(paths, path) },
		Again:  func() { lister, paths = s.lister(tracked), nil },
	})
	if err != nil {
		lister = s.lister(tracked)
		lister.entries(tracked)
	}
	found = lister.done()
	if found.tracked == 0 {
		found.fill(tracked, lister.printOf)
	}
	all = err == nil && !found.partial
	if all && walked.Certain {
		found.sources = s.sourcesOf(paths, begun)
	}
	s.scanned.listing = found
	s.tell(ctx, all, found.files)
	return found, all
}

// lister makes a listing in which files are compared with git's index.
func (s *Store) lister(tracked *index.Index) *lister {
	return &lister{last: s.scanned.listing, printOf: func(e *index.Entry) uint64 {
		if !whole(e) || !tracked.Sure(e) {
			return 0
		}
		return s.scanned.identities.tracked(e.Changed, e.Written, e.Inode, e.Size)
	}}
}

// entries adds the files of an index; none of one that is not understood.
func (l *lister) entries(tracked *index.Index) {
	entries := tracked.Read()
	for entries.Next() {
		if e := &entries.Entry; whole(e) {
			folder, name := path.Split(string(e.Path))
			l.add([]byte(folder), []byte(name), e)
		}
	}
	if entries.Err() != nil {
		*l = lister{printOf: l.printOf}
	}
}
