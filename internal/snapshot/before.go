package snapshot

import (
	"hash/maphash"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/git/index"
)

// before is what a workspace held before a command. Of each of its files it holds as
// little as shows a change, for they may be many: what git keeps of one is asked again
// when the command has changed it.
type before struct {
	root string
	// files are those that were listed, sorted, and further others that were changed
	// earlier. listed is false when not all files could be listed; new ones are not told
	// from old ones then.
	files, further []string
	listed         bool
	// seen is what stood at each of them.
	seen       []seen
	identities identities
	// folders hold one of them, and folderInodes are theirs.
	folders      map[string]bool
	folderInodes []uint64
	// index is git's, by which those that are clean hold what git keeps of them; states
	// are those of the others.
	index  *index.Index
	states map[string]State
	begun  time.Time
}

// seen is what stood at a path.
type seen struct {
	identity
	// size is that of a clean file, none of which is larger.
	size uint32
	// there is false when nothing stood at the path.
	there bool
	// settled says that the identity alone tells whether the file was changed.
	settled bool
	clean   bool
}

// identity changes with everything that is done to a file. It is a stamp in fewer bytes.
type identity struct {
	inode uint64
	// print is that of what git's index has of a stamp.
	print uint64
	mode  uint32
}

// identities makes identities of stamps; nobody else can foresee them.
type identities maphash.Seed

func (i identities) of(at stamp) identity {
	return identity{at.inode, i.print(at.changed, at.written, uint32(at.inode), uint32(at.size)), at.mode}
}

func (i identities) print(changed, written unix.Timespec, inode, size uint32) uint64 {
	return maphash.Comparable(maphash.Seed(i), struct {
		changed, written unix.Timespec
		inode, size      uint32
	}{changed, written, inode, size})
}

// unknownFile is a file of which nothing is known but its identity.
type unknownFile struct {
	place   int
	written int64 // nanoseconds
}

// name is the path at a place.
func (b *before) name(place int) string {
	if place < len(b.files) {
		return b.files[place]
	}
	return b.further[place-len(b.files)]
}

// held reports whether something stood at a path.
func (b *before) held(rel string) bool {
	place, ok := slices.BinarySearch(b.files, rel)
	if !ok {
		if place = slices.Index(b.further, rel); place < 0 {
			return false
		}
		place += len(b.files)
	}
	return b.seen[place].there
}

// look looks at all files and returns those of which nothing is known.
func (b *before) look(known map[string]knownFile, secret func(abs, rel string) bool) (unknown []unknownFile) {
	now := time.Now()
	b.seen = make([]seen, len(b.files)+len(b.further))
	written := make([]int64, len(b.seen))
	b.each(func(place int) {
		at, ok := stampOf(absolute(b.root, b.name(place)))
		b.seen[place] = seen{identity: b.identities.of(at), size: uint32(min(at.size, largest+1)), there: ok, settled: at.settled(now)}
		written[place] = unix.TimespecToNsec(at.written)
	})
	b.findClean()
	b.findFolders()
	for place := range b.seen {
		file := &b.seen[place]
		if !file.there {
			continue
		}
		rel := b.name(place)
		k, ok := known[rel]
		switch {
		case ok && file.settled && k.identity == file.identity:
			file.clean = false
			b.states[rel] = k.state
		case !file.clean || secret(absolute(b.root, rel), rel):
			file.clean = false
			unknown = append(unknown, unknownFile{place, written[place]})
		}
	}
	return unknown
}

// each calls do for every place, with the processors there are.
func (b *before) each(do func(place int)) {
	count := len(b.files) + len(b.further)
	workers := min(runtime.GOMAXPROCS(0), count/1000+1)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for place := count * worker / workers; place < count*(worker+1)/workers; place++ {
				do(place)
			}
		})
	}
	group.Wait()
}

// findClean finds the files that hold what git keeps of them. They and git's index are in
// the same order.
func (b *before) findClean() {
	place := 0
	entries := b.index.Read()
	for entries.Next() {
		e := &entries.Entry
		for place < len(b.files) && b.files[place] < string(e.Path) {
			place++
		}
		if place == len(b.files) {
			continue
		}
		if !whole(e) || b.files[place] != string(e.Path) || !b.index.Sure(e) {
			continue
		}
		file := &b.seen[place]
		file.clean = file.there && file.size <= largest && file.print == b.identities.print(e.Changed, e.Written, e.Inode, e.Size)
	}
	if entries.Err() != nil {
		for place := range b.seen {
			b.seen[place].clean = false
		}
	}
}

// findFolders finds the folders of the files that are there.
func (b *before) findFolders() {
	b.folders = map[string]bool{".": true}
	last := "."
	for place := range b.seen {
		if !b.seen[place].there {
			continue
		}
		dir := filepath.Dir(b.name(place))
		if dir == last {
			continue
		}
		for last = dir; !b.folders[dir]; dir = filepath.Dir(dir) {
			b.folders[dir] = true
			if at, ok := stampOf(absolute(b.root, dir)); ok {
				b.folderInodes = append(b.folderInodes, at.inode)
			}
		}
	}
}

// inodes are those of all that stood there, sorted.
func (b *before) inodes() []uint64 {
	inodes := slices.Grow(slices.Clone(b.folderInodes), len(b.seen))
	for _, file := range b.seen {
		if file.there {
			inodes = append(inodes, file.inode)
		}
	}
	slices.Sort(inodes)
	return inodes
}

// changed are the places of the files that may have been changed since.
func (b *before) changed() (places []int) {
	var mu sync.Mutex
	b.each(func(place int) {
		file := b.seen[place]
		if !file.there {
			return
		}
		if at, _ := stampOf(absolute(b.root, b.name(place))); file.settled && b.identities.of(at) == file.identity {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		places = append(places, place)
	})
	slices.Sort(places)
	return places
}

// statesOf are what stood at places.
func (b *before) statesOf(places []int) []State {
	clean := map[string]bool{}
	for _, place := range places {
		if b.seen[place].clean {
			clean[b.name(place)] = true
		}
	}
	var sums map[string]string
	if len(clean) > 0 {
		sums = indexSums(b.index, clean)
	}
	states := make([]State, len(places))
	for i, place := range places {
		file, rel := b.seen[place], b.name(place)
		if !file.clean {
			states[i] = b.states[rel]
			continue
		}
		states[i] = State{Kind: File, Mode: modeOf(file.mode), Size: int64(file.size), Sum: sums[rel]}
		if states[i].Sum == "" {
			states[i].Lost = "git's index could not be read"
		}
	}
	return states
}
