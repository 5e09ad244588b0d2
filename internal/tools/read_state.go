package tools

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
)

// seenTextBytes limits the text that Seen keeps to show differences. Seen keeps the hash of every
// file.
const seenTextBytes = 4 << 20

// SeenFiles stores the content of each file as the model last read or wrote it. An edit of a file that
// has changed since is refused, because it would destroy content that the model has not seen. SeenFiles
// is safe for parallel use.
type SeenFiles struct {
	mu    sync.Mutex
	files map[string]seenFile
	// kept lists the paths whose text is stored, oldest first. bytes is the size of these texts.
	kept  []string
	bytes int
	// named holds the paths that the model has read, edited or tried to edit.
	named map[string]bool
}

type seenFile struct {
	sum  [sha256.Size]byte
	text []byte
}

// NewSeenFiles returns an empty SeenFiles.
func NewSeenFiles() *SeenFiles {
	return &SeenFiles{files: map[string]seenFile{}, named: map[string]bool{}}
}

// Record records that the model has seen this content of the file at abs, a path that
// [Workspace.Resolve] returned.
func (s *SeenFiles) Record(abs string, content []byte) {
	file := seenFile{sum: sha256.Sum256(content)}
	if len(content) <= seenTextBytes/4 {
		file.text = append([]byte{}, content...)
	}
	s.set(abs, file)
}

// Restore is like Record, for content of which only the hash is known. It is for a file that the
// model wrote before the session was resumed.
func (s *SeenFiles) Restore(abs string, sum [sha256.Size]byte) { s.set(abs, seenFile{sum: sum}) }

// MarkSeen records that the model has read a part or the outline of the file, or tried to edit it.
// Later reads of the file send its text instead of an outline.
func (s *SeenFiles) MarkSeen(abs string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.named[abs] = true
}

// met reports whether the model has read the file, or edited or tried to edit it.
func (s *SeenFiles) met(abs string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.named[abs]
}

// Forget removes the recorded content of the file.
func (s *SeenFiles) Forget(abs string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropText(abs)
	delete(s.files, abs)
}

func (s *SeenFiles) set(abs string, file seenFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropText(abs)
	s.files[abs], s.named[abs] = file, true
	if file.text != nil {
		s.kept = append(s.kept, abs)
		s.bytes += len(file.text)
	}
	for s.bytes > seenTextBytes {
		s.dropText(s.kept[0])
	}
}

// dropText deletes the stored text of a file, but not its hash.
func (s *SeenFiles) dropText(abs string) {
	file := s.files[abs]
	s.bytes -= len(file.text)
	s.files[abs] = seenFile{sum: file.sum}
	s.kept = slices.DeleteFunc(s.kept, func(path string) bool { return path == abs })
}

// IsKnown reports whether the model was shown any content of the file.
func (s *SeenFiles) IsKnown(abs string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.files[abs]
	return ok
}

// changed reports whether content differs from the content that the model last saw of the file. It
// returns the old content if it is still stored. A file that the model never saw has not changed.
func (s *SeenFiles) changed(abs string, content []byte) (before []byte, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, ok := s.files[abs]
	if !ok || file.sum == sha256.Sum256(content) {
		return nil, false
	}
	return file.text, true
}

// A ChangedError is returned for an edit of a file that has changed on disk since the model saw it.
type ChangedError struct {
	Path string
	// Diff is the difference from the content that the model saw to the present content. It is
	// empty if it cannot be shown.
	Diff string
}

func (e *ChangedError) Error() string {
	if e.Diff == "" {
		return fmt.Sprintf("%s changed on disk since you last saw it; nothing was written. Read it again first", e.Path)
	}
	return fmt.Sprintf("%s changed on disk since you last saw it; nothing was written. What changed:\n%s"+
		"You have seen the new content now: repeat the edit if it still fits", e.Path, e.Diff)
}
