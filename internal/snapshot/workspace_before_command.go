package snapshot

import (
	"path"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/gitfiles/index"
)

// before describes a workspace before a command. There may be many files, so it stores only what is
// necessary to detect a change. A content that git has is read from git after the command, and only
// if the file has changed.
type before struct {
	root string
	// listing contains the files that git does not ignore.
	listing *listing
	// further lists other files, which the session changed earlier. A place is an index into the
	// listing's files followed by further.
	further []string
	// listed is false if not all files could be listed. Then no file counts as created.
	listed bool
	// seen describes the file at each place.
	seen       []seen
	identities identities
	// folders holds the folders that contain files, and folderInodes their inodes.
	folders      map[string]bool
	folderInodes []uint32
	// index is git's index, which contains the content hashes of clean files.
	index *index.Index
	// states holds the states of the files that are not clean, by path.
	states map[string]FileState
	begun  time.Time
}

// unknownFile is a file whose content has not been stored yet.
type unknownFile struct {
	place   int
	path    string
	written int64 // written is in nanoseconds
}

// split returns the folder and the name of the file at a place.
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

// place returns the place of a file. existed is false if the file did not exist.
func (b *before) place(rel string) (place int, existed bool) {
	place, ok := b.listing.find(rel)
	if !ok {
		further := slices.Index(b.further, rel)
		if place = len(b.listing.files) + further; further < 0 {
			return 0, false
		}
	}
	return place, b.seen[place].is(there)
}

// madeSince returns a function that reports whether a file or folder was created or renamed since
// the command began. inodes lists the earlier inodes of all files and folders.
func (b *before) madeSince(inodes []uint32) func(rel string) bool {
	return func(rel string) bool {
		abs := absolute(b.root, rel)
		at, ok := stampOf(abs)
		_, moved := slices.BinarySearch(inodes, uint32(at.inode))
		return ok && (moved || !bornAt(abs).Before(b.begun))
	}
}

// madeFolders returns the folders above a file that were created since the command began.
func (b *before) madeFolders(rel string, since func(rel string) bool) (made []string) {
	for dir := path.Dir(rel); !b.folders[dir]; dir = path.Dir(dir) {
		if since(dir) {
			made = append(made, dir)
		}
	}
	return made
}

// look checks all files and returns those whose content is neither known nor in git.
func (b *before) look(known map[string]knownFile) (unknown []unknownFile) {
	now := time.Now()
	b.seen = make([]seen, 0, len(b.listing.files)+len(b.further))
	tracked := tracked{entries: b.index.Read()}
	b.eachFile(func(place int, at stamp, ok bool) {
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
				unknown = append(unknown, unknownFile{place, rel, at.written})
			}
		}
		b.seen = append(b.seen, file)
	})
	if tracked.entries.Err() != nil { // a damaged index proves nothing about any file
		b.index.Close()
		b.index, b.states = nil, map[string]FileState{}
		return b.look(known)
	}
	b.findFolders()
	return unknown
}

// isClean reports whether the content of the file at a place is the content in git's index. Calls
// must be in the order of the places, because the index is read in parallel.
func (b *before) isClean(index *tracked, place int, at stamp) bool {
	// A listing that git itself made does not mark the tracked files, but all its files are in
	// order.
	inOrder := place < len(b.listing.files) && (place < b.listing.tracked || b.listing.tracked == 0)
	return inOrder && at.size <= largest && index.find(b.split(place)) && b.index.IsUnchanged(index.entry()) && sameStamp(at, index.entry())
}

// eachFile calls do for every file. ok is false for a missing file.
func (b *before) eachFile(do func(place int, at stamp, ok bool)) {
	abs, last := "", "\x00"
	for place := range len(b.listing.files) + len(b.further) {
		folder, name := b.split(place)
		if folder != last {
			abs, last = absolute(b.root, folder), folder
		}
		file, ok := fsutil.Lstat(filepath.Join(abs, name))
		do(place, stampFrom(file), ok)
	}
}

// findFolders collects the folders of the files that exist.
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

// inodes returns the lower bits of the inodes of all files and folders, sorted.
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

// changedPlaces returns the places of the files that may have changed since the command began.
func (b *before) changedPlaces() (places []int) {
	b.eachFile(func(place int, at stamp, _ bool) {
		file := b.seen[place]
		if file.is(there) && (!file.is(settled) || b.identities.of(at) != file.identity) {
			places = append(places, place)
		}
	})
	return places
}

// statesOf returns the states of the files at places before the command.
func (b *before) statesOf(places []int, secret func(abs, rel string) bool) []FileState {
	kept := map[string]bool{}
	for _, place := range places {
		if b.seen[place].is(clean) {
			kept[b.path(place)] = true
		}
	}
	inGit := b.cleanStates(kept)
	states := make([]FileState, len(places))
	for i, place := range places {
		file, rel := b.seen[place], b.path(place)
		state, ok := inGit[rel]
		switch {
		case !file.is(clean):
			state = b.states[rel]
		case !ok:
			state.NotKept = lostIndex
		case secret(absolute(b.root, rel), rel):
			state.Sum, state.NotKept = "", lostSecret
		default:
			state.Written = time.Time{}
		}
		if file.is(clean) {
			state.Kind, state.Mode = KindFile, modeOf(uint32(file.mode))
		}
		states[i] = state
	}
	return states
}
