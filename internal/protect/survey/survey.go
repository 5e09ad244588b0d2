// Package survey finds where in a workspace there is what deserves care: what runs
// later, what holds keys, and repositories inside. It knows the names of package
// protect and looks at folders alone, not into files, but for the index of git.
//
// Commands of the sandbox are surrounded by two looks, so a look must be quick: a
// folder that has not changed since the last is not read again.
package survey

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/disk"
	"agent/internal/protect"
)

// MaxFolders is how many folders of a workspace can be looked into before every command
// without that being felt much: some tens of milliseconds.
const MaxFolders = 50_000

// Survey is what is known of a workspace. It is safe for concurrent use.
type Survey struct {
	root string

	mu      sync.Mutex
	folders map[string]*folder
	reader  disk.FolderReader
	// most is how many are looked into; partial says that the last look was not into all.
	most    int
	partial bool
	// looks numbers the looks.
	looks int
	// keys are the files that hold keys by their names, and what is thought of them. It
	// uses the file itself, since commands can move what is not theirs to read. contents
	// are those that commands made, as the last command left them: the user may have put
	// keys into them since.
	keys     map[file]thought
	contents map[file]digest
}

// thought is what is thought of a file that holds keys by its name.
type thought int

const (
	// secret is one that commands cannot read.
	secret thought = iota + 1
	// shared is one that git knew before any command ran.
	shared
	// made is one that a command made, and that nobody has changed since.
	made
)

// Found is what a look found; absolute paths, of files that are there.
type Found struct {
	// Later is what other programs run or obey later, and files .git, which lead to a
	// repository elsewhere.
	Later []string
	// Keys may hold keys. What git knew from the start is left out, since that is shared
	// already, and so is what commands made.
	Keys []string
	// Repositories are the folders of repositories inside the workspace, such as
	// sub/.git, also those that are one by their content; the workspace's own .git is not
	// among them.
	Repositories []string
	// Partial says that there are more folders than are looked into.
	Partial bool
}

// New returns a survey of the workspace root, an absolute path without links, which
// has not looked yet. Of the folders it looks into at most so many, the upper ones first.
func New(root string, most int) *Survey {
	return &Survey{root: root, folders: map[string]*folder{}, most: most}
}

// file is one on disk, whatever its name.
type file struct{ device, number uint64 }

// folder is what a folder holds, as long as it does not change.
type folder struct {
	file
	changed unix.Timespec
	// looked is the look that saw it last.
	looked int

	// below are the folders to look into, later and keys the entries that are to be
	// found, repositories those of the folder itself.
	below, later, keys, repositories []string
}

// Before finds what there is before a command runs.
func (s *Survey) Before() Found {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	if s.keys == nil {
		s.keys, s.contents = map[file]thought{}, map[file]digest{}
		for rel := range tracked(s.root, s.relative(found.Keys)) {
			s.think(filepath.Join(s.root, filepath.FromSlash(rel)), shared)
		}
	}
	found.Keys = slices.DeleteFunc(found.Keys, func(path string) bool { return s.think(path, secret) != secret })
	return found
}

// Partial reports whether the workspace has more folders than are looked into. It only
// looks where nothing has looked before.
func (s *Survey) Partial() bool {
	s.mu.Lock()
	looks := s.looks
	s.mu.Unlock()
	if looks == 0 {
		return s.Before().Partial
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.partial
}

// relative are absolute paths as slash paths in the workspace.
func (s *Survey) relative(paths []string) []string {
	var rels []string
	for _, path := range paths {
		if rel, err := filepath.Rel(s.root, path); err == nil {
			rels = append(rels, filepath.ToSlash(rel))
		}
	}
	return rels
}

// After finds what there is after a command ran. Keys that were not there before are
// its own.
func (s *Survey) After() Found {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	found.Keys = slices.DeleteFunc(found.Keys, func(path string) bool { return s.think(path, made) != secret })
	return found
}

// Meanwhile finds what there is while a command runs, but for keys: whose those are is
// seen at its end.
func (s *Survey) Meanwhile() Found {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	found.Keys = nil
	return found
}

// think returns what is thought of a file, which is first if nothing was before. After a
// command first is made.
func (s *Survey) think(path string, first thought) thought {
	var stat unix.Stat_t
	if s.keys == nil || unix.Lstat(path, &stat) != nil {
		return secret
	}
	f := fileOf(stat)
	if s.keys[f] == 0 {
		s.keys[f] = first
	}
	if s.keys[f] != made {
		return s.keys[f]
	}
	content, err := digestOf(path)
	switch {
	case err == nil && first == made:
		s.contents[f] = content
	case err != nil || s.contents[f] != content:
		s.keys[f] = secret
	}
	return s.keys[f]
}

// look walks through the folders.
func (s *Survey) look() Found {
	var found Found
	s.looks++
	// queued is a folder to look into; what is in a protected one is protected with it.
	type queued struct {
		path      string
		protected bool
	}
	queue := []queued{{s.root, false}}
	for looked := 0; looked < min(len(queue), s.most); looked++ {
		at := queue[looked]
		f := s.read(at.path)
		if f == nil {
			continue
		}
		if !at.protected {
			found.Later = append(found.Later, f.later...)
		}
		found.Keys = append(found.Keys, f.keys...)
		found.Repositories = append(found.Repositories, f.repositories...)
		for _, path := range f.below {
			queue = append(queue, queued{path, at.protected || slices.Contains(f.later, path)})
		}
	}
	s.partial = len(queue) > s.most
	found.Partial = s.partial
	maps.DeleteFunc(s.folders, func(_ string, f *folder) bool { return f.looked != s.looks })
	return found
}

// gitFolder is where the repository of a folder is, or the file that leads to it.
const gitFolder = ".git"

// read returns what a folder holds, from memory when it has not changed, nil when it is
// none.
func (s *Survey) read(path string) *folder {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		return nil
	}
	known := s.folders[path]
	if known == nil || known.file != fileOf(stat) || known.changed != stat.Ctim {
		known = s.list(path)
		known.file = fileOf(stat)
		if time.Since(time.Unix(stat.Ctim.Unix())) > disk.ClockStep {
			known.changed = stat.Ctim
		} // else what changes it now could have the same time
		s.folders[path] = known
	}
	known.looked = s.looks
	return known
}

// list reads a folder. One that cannot be read holds nothing.
func (s *Survey) list(path string) *folder {
	f := &folder{}
	above := ""
	if rel, err := filepath.Rel(s.root, path); err == nil && rel != "." {
		above = filepath.ToSlash(rel) + "/"
	}
	var head, objects bool
	_ = s.reader.Read(path, func(entry []byte, kind fs.FileMode) {
		rel := above + string(entry)
		name := rel[len(above):]
		head, objects = head || name == "HEAD", objects || name == "objects" || name == "commondir"
		switch {
		case name != gitFolder:
		case path == s.root:
			return
		case kind.IsDir():
			f.repositories = append(f.repositories, filepath.Join(path, name))
			return
		default:
			f.later = append(f.later, filepath.Join(path, name))
			return
		}
		later, keys := protect.Ends(rel)
		if later {
			f.later = append(f.later, filepath.Join(path, name))
		}
		if keys {
			f.keys = append(f.keys, filepath.Join(path, name))
		}
		if kind.IsDir() && !keys && !protect.Built(name) {
			f.below = append(f.below, filepath.Join(path, name))
		}
	})
	for _, paths := range [][]string{f.below, f.later, f.keys} {
		slices.Sort(paths)
	}
	// As git sees it: a folder that holds these is a repository by its content.
	if head && objects {
		f.repositories = append(f.repositories, path)
	}
	return f
}

func fileOf(stat unix.Stat_t) file { return file{uint64(stat.Dev), stat.Ino} }
