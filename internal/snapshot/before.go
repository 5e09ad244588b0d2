package snapshot

import (
	"path"
	"slices"
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
	further []string
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

// split is the folder and the name of the file at a place, and path both.
func (b *before) split(place int) (folder, name string) {
	if place < len(b.listing.files) {
		return b.listing.split(place)
	}
	return path.Split(b.further[place-len(b.listing.files)])
}

func (b *before) path(place int) string {
	folder, name := b.split(place)
	return folder + name
}

// held reports whether something stood at a path.
func (b *before) held(rel string) bool {
	place, ok := b.listing.find(rel)
	if !ok {
		further := slices.Index(b.further, rel)
		if place = len(b.listing.files) + further; further < 0 {
			return false
		}
	}
	return b.seen[place].is(there)
}

// look looks at all files and returns those of which nothing is known.
func (b *before) look(known map[string]knownFile) (unknown []unknownFile) {
	now := time.Now()
	b.seen = make([]seen, 0, len(b.listing.files)+len(b.further))
	tracked := tracked{entries: b.index.Read()}
	b.each(func(place int, at stamp, ok bool) {
		if !ok {
			b.seen = append(b.seen, seen{})
			return
		}
		file := newSeen(b.identities.of(at), at, now)
		if b.isClean(&tracked, place, at) {
			file.mark(clean)
		}
		if !file.is(clean) || len(known) > 0 {
			rel := b.path(place)
			k, ok := known[rel]
			switch {
			case ok && file.is(settled) && k.identity == file.identity:
				file.unmark(clean)
				b.states[rel] = k.state
			case !file.is(clean):
				unknown = append(unknown, unknownFile{place, rel, unix.TimespecToNsec(at.written)})
			}
		}
		b.seen = append(b.seen, file)
	})
	if tracked.entries.Err() != nil { // it says nothing then of what was read of it
		b.index.Close()
		b.index, b.states = nil, map[string]State{}
		return b.look(known)
	}
	b.findFolders()
	return unknown
}

// isClean reports whether the file at a place holds what git keeps of it, by git's index,
// which is read along with the places.
func (b *before) isClean(index *tracked, place int, at stamp) bool {
	// Where git was asked itself it is not known which files it tracks, and all are in order.
	inOrder := place < len(b.listing.files) && (place < b.listing.tracked || b.listing.tracked == 0)
	return inOrder && at.size <= largest && index.find(b.split(place)) && b.index.Sure(index.entry()) && sameStamp(at, index.entry())
}

// each looks at each file; ok is false for what is not there. Of the files of a folder only
// the names are given to the system, which is quicker.
func (b *before) each(do func(place int, at stamp, ok bool)) {
	at, opened := -1, ""
	for place := range len(b.listing.files) + len(b.further) {
		folder, name := b.split(place)
		if at < 0 || folder != opened {
			_ = unix.Close(at)
			at, _ = unix.Open(absolute(b.root, folder), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			opened = folder
		}
		if at < 0 {
			name = absolute(b.root, folder+name)
		}
		file, ok := stampIn(at, name)
		do(place, file, ok)
	}
	_ = unix.Close(at)
}

// findFolders finds the folders of the files that are there.
func (b *before) findFolders() {
	last := ""
	for place, file := range b.seen {
		folder, _ := b.split(place)
		if !file.is(there) || folder == last {
			continue
		}
		last = folder
		for dir := path.Dir(folder + "."); !b.folders[dir]; dir = path.Dir(dir) {
			b.folders[dir] = true
			if at, ok := stampOf(absolute(b.root, dir)); ok {
				b.folderInodes = append(b.folderInodes, uint32(at.inode))
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
	b.each(func(place int, at stamp, _ bool) {
		file := b.seen[place]
		if file.is(there) && (!file.is(settled) || b.identities.of(at) != file.identity) {
			places = append(places, place)
		}
	})
	return places
}

// statesOf are what stood at places.
func (b *before) statesOf(places []int, secret func(abs, rel string) bool) []State {
	kept := map[string]bool{}
	for _, place := range places {
		if b.seen[place].is(clean) {
			kept[b.path(place)] = true
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
