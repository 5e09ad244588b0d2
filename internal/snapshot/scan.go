package snapshot

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/words"

	"golang.org/x/sys/unix"
)

// Bounds of what is kept before a command. Files that git has the content of, and
// those that were kept before and did not change, cost one look at their times.
const (
	copyFiles = 1000
	copyBytes = 32 << 20
	copyTime  = 300 * time.Millisecond
	// listTime bounds the listing of the workspace, mostFiles what is looked at.
	listTime  = 5 * time.Second
	mostFiles = 200_000
)

// scanned is what is known of the files around commands.
type scanned struct {
	// known are states of files by their path, true as long as the stamp is.
	known map[string]knownFile
	// fetched are our sums of contents that git kept, by git's.
	fetched map[string]string
	// listing is the last one, and index git's when it was read last.
	listing listing
	index   index
	// told is set when it was said what is not covered, until all is covered again.
	told bool
}

type knownFile struct {
	stamp stamp
	state State
}

// stamp changes with everything that is done to a file.
type stamp struct {
	inode            uint64
	size             int64
	mode             uint32
	written, changed unix.Timespec
}

// stampOf returns the stamp of a file; ok is false when nothing is there.
func stampOf(abs string) (s stamp, ok bool) {
	var stat unix.Stat_t
	if unix.Lstat(abs, &stat) != nil {
		return stamp{}, false
	}
	return stamp{stat.Ino, stat.Size, uint32(stat.Mode), stat.Mtim, stat.Ctim}, true
}

// settled reports whether a change from now on changes the stamp: the clock of file
// systems is coarse.
func (s stamp) settled(now time.Time) bool { return now.Sub(time.Unix(s.changed.Unix())) > clockStep }

// clockStep is more than the step of that clock.
const clockStep = 20 * time.Millisecond

// before is what a workspace held before a command.
type before struct {
	files   map[string]beforeFile
	folders map[string]bool
	inodes  map[uint64]bool
	begun   time.Time
	// listed is false when not all files could be listed; new ones are not told from
	// old ones then.
	listed bool
}

type beforeFile struct {
	knownFile
	// settled says that the stamp alone tells whether the file was changed.
	settled bool
}

// Command keeps what the files of the workspace hold before a command: those that git
// tracks, those that it does not ignore, and those that tools have changed. Settle is to
// be called when the command has ended; its mark names what the command changed, and
// is zero when that was nothing. What could not be kept is said in a [Plan]. Ignored
// files, and what runs in the background after the command, are nobody's business here.
func (s *Store) Command(ctx context.Context) (settle func() Mark) {
	if s == nil {
		return func() Mark { return "" }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready() != nil {
		return func() Mark { return "" }
	}
	was := s.scanBefore(ctx)
	// A command whose context ended before it began does not run.
	idle := ctx.Err() != nil
	return func() Mark {
		s.mu.Lock()
		defer s.mu.Unlock()
		changes, all := s.scanAfter(context.WithoutCancel(ctx), was)
		if len(changes) == 0 && (all || idle) {
			return ""
		}
		return s.markOf(s.record(!all, changes...))
	}
}

func (s *Store) scanBefore(ctx context.Context) before {
	if s.scanned.known == nil {
		s.scanned.known = map[string]knownFile{}
	}
	files, listed := s.list(ctx)
	was := before{
		files: make(map[string]beforeFile, len(files)), folders: map[string]bool{".": true}, inodes: map[uint64]bool{},
		listed: listed,
	}
	index := s.index()
	now := time.Now()
	var unknown []string
	for _, rel := range files {
		abs := absolute(s.root, rel)
		at, ok := stampOf(abs)
		if !ok {
			continue
		}
		was.inodes[at.inode] = true
		for dir := filepath.Dir(rel); !was.folders[dir]; dir = filepath.Dir(dir) {
			was.folders[dir] = true
			if at, ok := stampOf(absolute(s.root, dir)); ok {
				was.inodes[at.inode] = true
			}
		}
		file := beforeFile{knownFile: knownFile{stamp: at}, settled: at.settled(now)}
		known, ok := s.scanned.known[rel]
		switch {
		case ok && known.stamp == at && file.settled:
			file.state = known.state
		default:
			if file.state, ok = index.clean(rel, at); !ok || s.Secret(abs, rel) {
				unknown = append(unknown, rel)
			}
		}
		was.files[rel] = file
	}
	s.copy(was, unknown)
	was.begun = time.Now().Add(-clockStep)
	return was
}

// copy keeps the contents of files of which nothing is known, the latest written first.
func (s *Store) copy(was before, unknown []string) {
	slices.SortFunc(unknown, func(a, b string) int {
		return int(unix.TimespecToNsec(was.files[b].stamp.written)/int64(time.Millisecond) - unix.TimespecToNsec(was.files[a].stamp.written)/int64(time.Millisecond))
	})
	ends := time.Now().Add(copyTime)
	files, bytes := 0, int64(0)
	for _, rel := range unknown {
		file := was.files[rel]
		abs := absolute(s.root, rel)
		info, err := os.Lstat(abs)
		file.state = stateOf(abs, info, err)
		switch {
		case file.state.Kind != File:
		case s.Secret(abs, rel):
			file.state.Lost = lostSecret
		case file.state.Size > largest:
			file.state.Lost = lostLarge
		case files == copyFiles || bytes+file.state.Size > copyBytes || time.Now().After(ends):
			file.state.Lost = lostMany
		default:
			f, err := s.look(rel)
			if err != nil || f.content == nil {
				file.state.Lost = "it could not be read"
				break
			}
			files, bytes = files+1, bytes+file.state.Size
			file.state = s.keep(abs, rel, f.State, f.content)
		}
		was.files[rel] = file
		if file.state.Lost == "" && file.settled {
			s.scanned.known[rel] = file.knownFile
		}
	}
}

// list returns the files to look at, and whether they are all.
func (s *Store) list(ctx context.Context) (files []string, all bool) {
	bounded, cancel := context.WithTimeout(ctx, s.listTime)
	defer cancel()
	files, err := s.listed(bounded)
	all = err == nil && len(files) <= mostFiles
	if err != nil {
		files = s.index().names()
	}
	files = files[:min(len(files), mostFiles)]
	switch {
	case all:
		s.scanned.told = false
	case !s.scanned.told && ctx.Err() == nil:
		s.scanned.told = true
		s.warn("The files of the workspace cannot be listed (in %v, up to %d): what this command and those after it create is not known, and /undo leaves it there; it brings back %s that git tracks.", s.listTime, mostFiles, words.Count(len(files), "file"))
	}
	return append(slices.Clip(files), s.touched(files)...), all
}

// touched are the files that were changed in this session and that no list holds,
// because git ignores them or because they are not there.
func (s *Store) touched(sorted []string) []string {
	var more []string
	seen := map[string]bool{}
	for _, n := range s.tree.nodes {
		for _, c := range n.Changes {
			if _, listed := slices.BinarySearch(sorted, c.Path); !listed && !seen[c.Path] {
				seen[c.Path] = true
				more = append(more, c.Path)
			}
		}
	}
	return more
}

// scanAfter returns what changed since, and whether it is known what was created.
func (s *Store) scanAfter(ctx context.Context, was before) (changes []Change, all bool) {
	for rel, file := range was.files {
		at, _ := stampOf(absolute(s.root, rel))
		if at == file.stamp && file.settled {
			continue
		}
		after, same := s.compare(rel, file.state)
		if same && at.mode == file.stamp.mode {
			if file.state.Lost == "" && file.state.Sum != "" && at.settled(time.Now()) {
				s.scanned.known[rel] = knownFile{at, file.state}
			}
			continue
		}
		c := Change{Path: rel, Before: file.state, After: after}
		if after.Kind == Missing {
			c.Gone = s.missingFolders(absolute(s.root, rel))
		}
		changes = append(changes, c)
	}
	if was.listed {
		var created []Change
		created, all = s.created(ctx, was)
		changes = append(changes, created...)
	}
	slices.SortFunc(changes, func(a, b Change) int { return compareNames(a.Path, b.Path) })
	return changes, all
}

// compare describes a file as it is, and reports whether it holds what it held.
func (s *Store) compare(rel string, was State) (is State, same bool) {
	f, err := s.look(rel)
	if err != nil {
		return State{Kind: Other}, false
	}
	same = was.is(f.State, f.has)
	switch {
	case f.Kind != File:
	case s.Secret(f.abs, rel):
		f.Lost = lostSecret
	case f.content != nil:
		f.Sum, f.Written = sumOf(f.content), time.Time{}
	}
	return f.State, same
}

// madeSince reports whether a file or folder that was not listed was made since, or was
// listed by another name.
func (b before) madeSince(abs string) bool {
	at, ok := stampOf(abs)
	return ok && (b.inodes[at.inode] || !bornAt(abs).Before(b.begun))
}

// created are the files that the command made or moved to where they are. A file that
// was there and only stopped being ignored is none of them. All is false when not all
// files could be listed; of those that could, the new ones are returned.
func (s *Store) created(ctx context.Context, was before) (changes []Change, all bool) {
	files, all := s.list(ctx)
	for _, rel := range files {
		if _, known := was.files[rel]; known {
			continue
		}
		abs := absolute(s.root, rel)
		if !was.madeSince(abs) {
			continue
		}
		after, _ := s.compare(rel, State{Kind: Missing})
		c := Change{Path: rel, Before: State{Kind: Missing}, After: after}
		for dir := filepath.Dir(rel); !was.folders[dir]; dir = filepath.Dir(dir) {
			if was.madeSince(absolute(s.root, dir)) {
				c.Made = append(c.Made, filepath.ToSlash(dir))
			}
		}
		changes = append(changes, c)
	}
	return changes, all
}
