package snapshot

import (
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/git/index"
)

// before is what a workspace held before a command. Of each of its files it holds as
// little as shows a change, for they may be many: what git keeps of one is asked again
// when the command has changed it.
type before struct {
	root string
	// listing is of what was listed, and further of other files that were changed earlier,
	// whose places follow. listed is false when not all files could be listed; new ones are
	// not distinguished from old ones then.
	listing *listing
	further []run
	listed  bool
	// seen is what stood at each of them.
	seen       []seen
	identities identities
	// folders hold one of them, and folderInodes are theirs.
	folders      map[string]bool
	folderInodes []uint32
	// index is git's, by which those that are clean hold what git keeps of them; states
	// are those of the others.
	index  *index.Index
	states map[string]State
	begun  time.Time
}

// unknownFile is a file of which nothing is known but its identity.
type unknownFile struct {
	place   int
	path    string
	written int64 // nanoseconds
}

// follow adds files to those that were listed.
func (b *before) follow(paths []string) {
	for _, rel := range paths {
		folder, name := filepath.Split(rel)
		b.further = append(b.further, run{folder: folder, names: name, ends: []uint16{uint16(len(name))}, prints: []uint64{0}, first: b.listing.files + len(b.further)})
	}
}

// path is the path at a place.
func (b *before) path(place int) string {
	if place < b.listing.files {
		return b.listing.path(place)
	}
	return b.further[place-b.listing.files].path(0)
}

// held reports whether something stood at a path.
func (b *before) held(rel string) bool {
	place, ok := b.listing.find(rel)
	if !ok {
		further := slices.IndexFunc(b.further, func(r run) bool { return r.path(0) == rel })
		if place = b.listing.files + further; further < 0 {
			return false
		}
	}
	return b.seen[place].is(there)
}

// has reports whether all files of a run stood there, as one run.
func (b *before) has(in *run) bool {
	place, ok := b.listing.find(in.path(0))
	if !ok {
		return false
	}
	was := b.listing.runOf(place)
	return was.first == place && was.names == in.names && slices.Equal(was.ends, in.ends) &&
		!slices.ContainsFunc(b.seen[place:place+len(in.ends)], func(s seen) bool { return !s.is(there) })
}

// look looks at all files and returns those of which nothing is known.
func (b *before) look(known map[string]knownFile) (unknown []unknownFile) {
	now := time.Now()
	b.seen = slices.Grow(b.seen[:0], b.listing.files+len(b.further))[:b.listing.files+len(b.further)]
	clear(b.seen)
	folders := map[string]bool{} // with known files
	for rel := range known {
		folder, _ := filepath.Split(rel)
		folders[folder] = true
	}
	var mu sync.Mutex
	b.each(func(in *run, i int, at stamp, ok bool) {
		if !ok {
			return
		}
		file := newSeen(b.identities.of(at), at, now)
		if in.prints[i] != 0 && at.size <= largest && in.prints[i] == b.identities.tracked(at.changed, at.written, uint32(at.inode), uint32(at.size)) {
			file.mark(clean)
		}
		if folders[in.folder] {
			rel := in.path(i)
			if k, ok := known[rel]; ok && file.is(settled) && k.identity == file.identity {
				file.unmark(clean)
				b.seen[in.first+i] = file
				mu.Lock()
				defer mu.Unlock()
				b.states[rel] = k.state
				return
			}
		}
		b.seen[in.first+i] = file
		if !file.is(clean) {
			mu.Lock()
			defer mu.Unlock()
			unknown = append(unknown, unknownFile{in.first + i, in.path(i), unix.TimespecToNsec(at.written)})
		}
	})
	b.findFolders()
	return unknown
}

// each looks at each file, with the processors there are; ok is false for what is not there.
func (b *before) each(do func(in *run, i int, at stamp, ok bool)) {
	count := len(b.listing.runs) + len(b.further)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count/16+1) {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < count; n = int(next.Add(1)) - 1 {
				in := &b.further
				if n < len(b.listing.runs) {
					in = &b.listing.runs
				} else {
					n -= len(b.listing.runs)
				}
				(*in)[n].look(b.root, do)
			}
		})
	}
	group.Wait()
}

// look looks at the files of a run.
func (r *run) look(root string, do func(in *run, i int, at stamp, ok bool)) {
	folder, err := unix.Open(absolute(root, r.folder), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil {
		defer unix.Close(folder)
	}
	for i := range r.ends {
		var at stamp
		var ok bool
		if err == nil {
			at, ok = stampIn(folder, r.name(i))
		} else {
			at, ok = stampOf(absolute(root, r.path(i)))
		}
		do(r, i, at, ok)
	}
}

// findFolders finds the folders of the files that are there.
func (b *before) findFolders() {
	b.folders = map[string]bool{".": true}
	for _, runs := range [][]run{b.listing.runs, b.further} {
		for _, in := range runs {
			there := slices.ContainsFunc(b.seen[in.first:in.first+len(in.ends)], func(s seen) bool { return s.is(there) })
			for dir := filepath.Dir(in.folder + "."); there && !b.folders[dir]; dir = filepath.Dir(dir) {
				b.folders[dir] = true
				if at, ok := stampOf(absolute(b.root, dir)); ok {
					b.folderInodes = append(b.folderInodes, uint32(at.inode))
				}
			}
		}
	}
}

// inodes are the lower bits of those of all that stood there, sorted.
func (b *before) inodes() []uint32 {
	inodes := append(make([]uint32, 0, len(b.folderInodes)+len(b.seen)), b.folderInodes...)
	for _, file := range b.seen {
		if file.is(there) {
			inodes = append(inodes, file.inode)
		}
	}
	slices.Sort(inodes)
	return inodes
}

// changed are the places of the files that may have been changed since.
func (b *before) changed() (places []int) {
	var mu sync.Mutex
	b.each(func(in *run, i int, at stamp, _ bool) {
		file := b.seen[in.first+i]
		if !file.is(there) || file.is(settled) && b.identities.of(at) == file.identity {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		places = append(places, in.first+i)
	})
	slices.Sort(places)
	return places
}

// statesOf are what stood at places.
func (b *before) statesOf(places []int, secret func(abs, rel string) bool) []State {
	kept := map[string]uint64{}
	for _, place := range places {
		if b.seen[place].is(clean) {
			in := b.listing.runOf(place) // no other file is clean
			kept[b.path(place)] = in.prints[place-in.first]
		}
	}
	found := b.kept(kept)
	states := make([]State, len(places))
	for i, place := range places {
		file, rel := b.seen[place], b.path(place)
		state, ok := found[rel]
		switch {
		case !file.is(clean):
			state = b.states[rel]
		case !ok:
			state.Lost = lostIndex
		case secret(absolute(b.root, rel), rel):
			state.Sum, state.Lost = "", lostSecret
		default:
			state.Written = time.Time{}
		}
		if file.is(clean) {
			state.Kind, state.Mode = File, modeOf(uint32(file.mode))
		}
		states[i] = state
	}
	return states
}
