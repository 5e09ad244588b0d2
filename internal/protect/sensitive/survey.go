// Package sensitive searches a workspace for the files that package protect lists, and for
// repositories inside the workspace. It lists folders and does not read files, with two exceptions:
// the index of git and the content of secret files that commands made.
//
// The workspace is surveyed before and after each command of the sandbox, so a survey must be fast.
// A folder that has not changed since the last survey is not listed again.
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

// MaxFolders is the largest number of folders that a survey visits. This many take some tens of
// milliseconds, which a user hardly notices before a command.
const MaxFolders = 50_000

// Survey stores the folders and secret files of one workspace. It is safe for concurrent use.
type Survey struct {
	root string

	mu      sync.Mutex
	folders map[string]*folder
	// most is the largest number of folders that a survey visits.
	most int
	// partial is set if the last survey did not visit every folder.
	partial bool
	// looks is the number of surveys so far.
	looks int
	// keys maps each secret file to its treatment. Its keys identify files on disk instead of
	// paths, because a command can rename files that it cannot read.
	keys map[file]treatment
	// contents holds the digests of made files after the last command. If a digest differs later,
	// the user may have written keys to the file.
	contents map[file]digest
}

// treatment is the way in which a secret file is treated.
type treatment int

const (
	// Commands cannot read a secret file.
	secret treatment = iota + 1
	// A shared file was tracked by git before any command ran, so commands may read it.
	shared
	// A made file was created by a command and not changed by other programs since, so commands may
	// read it.
	made
)

// Files holds the absolute paths that a survey found.
type Files struct {
	// RunLater lists files that other programs execute or read as configuration later. It includes
	// files named .git, because they refer git to a repository elsewhere.
	RunLater []string
	// KeyFiles lists secret files that commands must not read: git did not track them at the start,
	// and no command created them.
	KeyFiles []string
	// Repositories lists the git folders of repositories inside the workspace, such as sub/.git,
	// and folders with the content of a git folder. It excludes the workspace's own .git.
	Repositories []string
	// Partial is set if the workspace has more folders than the survey visits.
	Partial bool
}

// New returns a Survey of the workspace root, an absolute path without links. Each survey visits at
// most most folders, upper folders first.
func New(root string, most int) *Survey {
	return &Survey{root: root, folders: map[string]*folder{}, most: most}
}

// file identifies a file on disk, whatever its name.
type file struct{ device, number uint64 }

// folder is the listing of a folder, valid until the folder changes.
type folder struct {
	file
	// changed is the time of the last change in nanoseconds since 1970.
	changed int64
	// looked is the number of the last survey that visited the folder.
	looked int

	// below lists the folders to visit next.
	below []string
	// later, keys and repositories contain paths for the fields of Files.
	later, keys, repositories []string
}

// ScanBefore surveys the workspace before a command runs.
func (s *Survey) ScanBefore() Files {
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

// IsPartial reports whether the workspace has more folders than a survey visits. It runs the first
// survey if there was none.
func (s *Survey) IsPartial() bool {
	s.mu.Lock()
	looks := s.looks
	s.mu.Unlock()
	if looks == 0 {
		return s.ScanBefore().Partial
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

// ScanAfter surveys the workspace after a command ran. New secret files are treated as made by the
// command.
func (s *Survey) ScanAfter() Files {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	found.KeyFiles = slices.DeleteFunc(found.KeyFiles, func(path string) bool { return s.treatmentOf(path, made) != secret })
	return found
}

// ScanDuring surveys the workspace while a command runs. It returns no KeyFiles, because only ScanAfter can
// determine which of them the command made.
func (s *Survey) ScanDuring() Files {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.look()
	found.KeyFiles = nil
	return found
}

// treatmentOf returns the treatment of a secret file. first is the treatment of a file that is new
// to the Survey. After passes made, which also updates the digest of a made file.
func (s *Survey) treatmentOf(path string, first treatment) treatment {
	facts, ok := fsutil.Lstat(path)
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

// look visits the folders and returns all files for the result.
func (s *Survey) look() Files {
	var found Files
	s.looks++
	// queued is a folder to visit. Everything below a protected folder is protected too.
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

// gitFolder is the name of a repository's git folder, or of a file that names that folder.
const gitFolder = ".git"

// read returns the listing of a folder, from memory if the folder has not changed. It returns nil
// if path is not a folder.
func (s *Survey) read(path string) *folder {
	facts, ok := fsutil.Lstat(path)
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
	_ = fsutil.ReadFolder(path, func(name string, kind fs.FileMode) {
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
		later, keys := protect.ClassifyByName(above + name)
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
	// Git treats a folder with these entries as a repository, whatever its name.
	if head && objects {
		f.repositories = append(f.repositories, path)
	}
	return f
}

// fileOf returns the identity of a file from its metadata.
func fileOf(facts fsutil.Facts) file { return file{facts.Device, facts.Number} }
