package snapshot

import (
	"context"
	"errors"
	"hash/maphash"
	"os"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// Limits of the copies made before a command. Files whose content git has, and unchanged files that
// were copied earlier, need no copy and are not counted.
const (
	copyFiles = 1000
	copyBytes = 32 << 20
	copyTime  = 300 * time.Millisecond
	// listTime and mostFiles limit the listing of the workspace.
	listTime  = 5 * time.Second
	mostFiles = 500_000
)

// scanned is data on the files that is reused for the next command.
type scanned struct {
	// known maps paths to the states of files. A state is valid while the file has the same
	// identity.
	known      map[string]knownFile
	identities identities
	// listing is the last listing.
	listing *listing
	// told is set after a warning that not all files are covered.
	told bool
}

type knownFile struct {
	identity identity
	state    FileState
}

// BeginCommand stores the contents of files before a command: of files that git tracks or does not
// ignore, and of files that tools have changed. The caller calls settle when the command has ended.
// The mark identifies the command's changes and is zero if there were none. A [Plan] names contents
// that could not be stored. Ignored files are not covered, nor are changes that a background
// process makes after the command.
func (s *Store) BeginCommand(ctx context.Context) (settle func() Mark) {
	if !s.use() {
		return func() Mark { return "" }
	}
	defer s.mu.Unlock()
	if s.ready() != nil {
		return func() Mark { return "" }
	}
	s.finishInterrupted(ctx)
	half := s.halfDone()
	s.recordSoFar(ctx)
	b := s.begin(s.scanBefore(ctx), half)
	b.idle = ctx.Err() != nil
	return func() Mark {
		s.mu.Lock()
		defer s.mu.Unlock()
		if id := s.end(context.WithoutCancel(ctx), b); id != 0 {
			return s.markOf(id)
		}
		return ""
	}
}

func (s *Store) newBefore() *before {
	if s.scanned.known == nil {
		s.scanned.known, s.scanned.identities = map[string]knownFile{}, identities(maphash.MakeSeed())
	}
	return &before{root: s.files.workspace.Root(), identities: s.scanned.identities, states: map[string]FileState{}, folders: map[string]bool{".": true}}
}

func (s *Store) scanBefore(ctx context.Context) *before {
	was := s.newBefore()
	was.index = openIndex(was.root)
	was.listing, was.listed = s.list(ctx, was.index)
	was.further = s.unlistedChanges(was.listing)
	s.copy(was, was.look(s.scanned.known))
	was.begun = time.Now().Add(-fsutil.ClockStep)
	return was
}

// copy stores the contents of unknown files within the limits, the most recently written first.
func (s *Store) copy(was *before, unknown []unknownFile) {
	slices.SortFunc(unknown, func(a, b unknownFile) int {
		return int(b.written/int64(time.Millisecond) - a.written/int64(time.Millisecond))
	})
	ends := time.Now().Add(copyTime)
	files, bytes := 0, int64(0)
	for _, file := range unknown {
		rel := file.path
		abs := absolute(s.files.workspace.Root(), rel)
		info, err := os.Lstat(abs)
		state := stateOf(abs, info, err)
		switch {
		case state.Kind != KindFile:
		case s.Secret(abs, rel):
			state.NotKept = lostSecret
		case state.Size > largest:
			state.NotKept = lostLarge
		case files == copyFiles || bytes+state.Size > copyBytes || time.Now().After(ends):
			state.NotKept = lostMany
		default:
			f, err := s.files.look(rel)
			if err != nil || f.content == nil {
				state.NotKept = "can't read it"
				break
			}
			files, bytes = files+1, bytes+state.Size
			state = s.keep(abs, rel, f.FileState, f.content)
		}
		was.states[rel] = state
		if seen := was.seen[file.place]; state.NotKept == "" && seen.is(settled) {
			s.scanned.known[rel] = knownFile{seen.identity, state}
		}
	}
}

// warnPartial warns if not all files are covered. It does not repeat the warning unless all files
// were covered meanwhile.
func (s *Store) warnPartial(ctx context.Context, all bool, covered int) {
	switch {
	case all:
		s.scanned.told = false
	case !s.scanned.told && ctx.Err() == nil:
		s.scanned.told = true
		s.warn("Can't list the files of the workspace (limits: %v, %d files). /undo can restore %s that git tracks, but can't remove files created by this and later commands.", s.listTime, mostFiles, humanize.Count(covered, "file"))
	}
}

// unlistedChanges returns the files that were changed in this session but are not listed, because
// git ignores them or because they do not exist.
func (s *Store) unlistedChanges(listed *listing) []string {
	var more []string
	seen := map[string]bool{}
	for _, n := range s.tree.nodes {
		for _, c := range n.Changes {
			if _, ok := listed.find(c.Path); !ok && !seen[c.Path] {
				seen[c.Path] = true
				more = append(more, c.Path)
			}
		}
	}
	return more
}

// scanAfter returns the changes since the command began. all is false if the command may have
// created files that the changes do not list.
func (s *Store) scanAfter(ctx context.Context, was *before) (changes []Change, all bool) {
	touched := was.changedPlaces()
	states := was.statesOf(touched, s.Secret)
	for i, place := range touched {
		rel, seen, state := was.path(place), was.seen[place], states[i]
		at, _ := stampOf(absolute(s.files.workspace.Root(), rel))
		after, same := s.compare(rel, state)
		if same && uint16(at.mode) == seen.mode {
			if state.NotKept == "" && state.Sum != "" && at.settled(time.Now()) {
				s.scanned.known[rel] = knownFile{s.scanned.identities.of(at), state}
			}
			continue
		}
		c := Change{Path: rel, Before: state, After: after}
		if after.Kind == KindMissing {
			c.Gone = s.files.missingFolders(absolute(s.files.workspace.Root(), rel))
		}
		changes = append(changes, c)
	}
	if was.listed {
		var created []Change
		created, all = s.createdFiles(ctx, was)
		changes = append(changes, created...)
	}
	sortChanges(changes)
	return changes, all
}

func sortChanges(changes []Change) {
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
}

// compare returns the present state of a file and reports whether was describes that state too.
func (s *Store) compare(rel string, was FileState) (is FileState, same bool) {
	f, err := s.files.look(rel)
	if behind := (*behindError)(nil); err != nil && !errors.As(err, &behind) {
		return FileState{Kind: KindOther}, false
	}
	same = was.is(f.FileState, f.hasSum)
	switch {
	case f.Kind != KindFile:
	case s.Secret(f.abs, rel):
		f.NotKept = lostSecret
	case f.content != nil:
		f.Sum, f.Written = sumOf(f.content), time.Time{}
	}
	return f.FileState, same
}

// createdFiles returns the files that the command made or moved to their paths. It omits files that
// existed before and are only no longer ignored. all is false if not all files could be listed.
func (s *Store) createdFiles(ctx context.Context, was *before) (changes []Change, all bool) {
	index := openIndex(s.files.workspace.Root())
	defer index.Close()
	now, all := s.list(ctx, index)
	var new []string
	if now != was.listing {
		new = now.newFiles(was)
	}
	for _, rel := range s.unlistedChanges(now) {
		if _, existed := was.place(rel); !existed {
			new = append(new, rel)
		}
	}
	if len(new) == 0 {
		return nil, all
	}
	since := was.madeSince(was.inodes())
	for _, rel := range new {
		if !since(rel) {
			continue
		}
		after, _ := s.compare(rel, FileState{Kind: KindMissing})
		changes = append(changes, Change{Path: rel, Before: FileState{Kind: KindMissing}, After: after, Made: was.madeFolders(rel, since)})
	}
	return changes, all
}
