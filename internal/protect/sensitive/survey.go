// Package sensitive finds the sensitive files of a workspace: files that other programs run
// later, files that hold keys, and repositories inside the workspace. It takes the names from
// package protect. It lists folders and does not read files, with two exceptions: the index of
// git and the content of key files that commands made.
//
// The workspace is surveyed before and after each command of the sandbox, so a survey must be
// quick: a folder that has not changed since the last survey is not listed again.
package sensitive

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/protect"
)

// MaxFolders is how many folders a survey visits at most. Visiting that many takes some tens of
// milliseconds, which a user hardly feels before a command.
const MaxFolders = 50_000

// Survey remembers the folders and key files of one workspace. It is safe for concurrent use.
type Survey struct {
	root string

	mu      sync.Mutex
	folders map[string]*folder
	reader  fsutil.FolderReader
	// most is how many folders a survey visits at most.
	most int
	// partial is set if the last survey did not visit every folder.
	partial bool
	// looks counts the surveys made so far.
	looks int
	// keys says how each key file is treated. A key of the map is the file on disk and not its
	// path, because a command can rename files that it cannot read.
	keys map[file]treatment
	// contents holds the digests of made files after the last command. If a digest differs
	// later, the user may have put keys into the file.
	contents map[file]digest
}

// treatment says how a key file is treated.
type treatment int

const (
	// A secret file cannot be read by commands.
	secret treatment = iota + 1
	// Git tracked a shared file before any command ran, so commands may read it.
	shared
	// A command made the file, and nobody has changed it since, so commands may read it.
	made
)

// Files holds the absolute paths that a survey found.
type Files struct {
	// RunLater are files that other programs run or obey later. A file named .git is among them,
	// because it leads git to a repository elsewhere.
	RunLater []string
	// KeyFiles are files that may hold keys and that commands must not read: git did not track them
	// at the start, and no command made them.
	KeyFiles []string
	// Repositories are the git folders of repositories inside the workspace, such as sub/.git,
	// and folders with the content of one. The workspace's own .git is not among them.
	Repositories []string
	// Partial is set if the workspace has more folders than the survey visits.
	Partial bool
}

// New returns a Survey of the workspace root, an absolute path without links. Each survey visits
// at most the given number of folders, the upper ones first.
func New(root string, most int) *Survey {
	return &Survey{root: root, folders: map[string]*folder{}, most: most}
}

// file identifies a file on disk, whatever its name.
type file struct{ device, number uint64 }

// folder is the listing of a folder, valid until the folder changes.
type folder struct {
	file
	// changed is in nanoseconds since 1970.
	changed int64
	// looked is the number of the survey that visited the folder last.
	looked int

	// below holds the folders to visit next.
	below []string
	// later, keys and repositories hold paths for the fields of Files.
	later, keys, repositories []string
}

// Before surveys the workspace before a command runs.
func (s *Survey) Before() Files {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	if s.keys == nil {
		s.keys, s.contents = map[file]treatment{}, map[file]digest{}
		for rel := range trackedFiles(s.root, s.relative(found.KeyFiles)) {
			s.treatmentOf(filepath.Join(s.root, filepath.FromSlash(rel)), shared)
		}
	}
	found.KeyFiles = slices.DeleteFunc(found.KeyFiles, func(path string) bool { return s.treatmentOf(path, secret) != secret })
	return found
}

// Partial reports whether the workspace has more folders than a survey visits. It makes the first
// survey if there was none.
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

// relative returns absolute paths relative to the workspace, with slashes.
func (s *Survey) relative(paths []string) []string {
	var rels []string
	for _, path := range paths {
		if rel, err := filepath.Rel(s.root, path); err == nil {
			rels = append(rels, filepath.ToSlash(rel))
		}
	}
	return rels
}

// After surveys the workspace after a command ran. New key files count as made by the command.
func (s *Survey) After() Files {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	found.KeyFiles = slices.DeleteFunc(found.KeyFiles, func(path string) bool { return s.treatmentOf(path, made) != secret })
	return found
}

// During surveys the workspace while a command runs. It returns no KeyFiles, because only After
// can say which ones the command made.
func (s *Survey) During() Files {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	found.KeyFiles = nil
	return found
}

// treatmentOf returns how a key file is treated. first is the treatment of a file that is new to the
// Survey; After passes made, which also updates the digest of a made file.
func (s *Survey) treatmentOf(path string, first treatment) treatment {
	facts, ok := fsutil.Look(path)
	if s.keys == nil || !ok {
		return secret
	}
	f := fileOf(facts)
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

// look visits the folders and returns everything that needs care.
func (s *Survey) look() Files {
	var found Files
	s.looks++
	// queued is a folder to visit. Everything below a protected folder is protected with it.
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
			found.RunLater = append(found.RunLater, f.later...)
		}
		found.KeyFiles = append(found.KeyFiles, f.keys...)
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

// gitFolder is the name of a repository's folder, or of a file that leads to it.
const gitFolder = ".git"

// read returns the listing of a folder, from memory if the folder has not changed. It returns nil
// if path is no folder.
func (s *Survey) read(path string) *folder {
	facts, ok := fsutil.Look(path)
	if !ok || !facts.IsDir() {
		return nil
	}
	known := s.folders[path]
	if known == nil || known.file != fileOf(facts) || known.changed != facts.Changed {
		known = s.list(path)
		known.file = fileOf(facts)
		if time.Since(time.Unix(0, facts.Changed)) > fsutil.ClockStep {
			known.changed = facts.Changed
		} // a change right now could get the same time, so the listing is not reused
		s.folders[path] = known
	}
	known.looked = s.looks
	return known
}

// list lists a folder. A folder that cannot be read counts as empty.
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
		later, keys := protect.ByName(rel)
		if later {
			f.later = append(f.later, filepath.Join(path, name))
		}
		if keys {
			f.keys = append(f.keys, filepath.Join(path, name))
		}
		if kind.IsDir() && !keys && !protect.IsBuildFolder(name) {
			f.below = append(f.below, filepath.Join(path, name))
		}
	})
	for _, paths := range [][]string{f.below, f.later, f.keys} {
		slices.Sort(paths)
	}
	// Git takes a folder with these entries for a repository, whatever its name.
	if head && objects {
		f.repositories = append(f.repositories, path)
	}
	return f
}

// fileOf returns the identity of the file that facts describe.
func fileOf(facts fsutil.Facts) file { return file{facts.Device, facts.Number} }
