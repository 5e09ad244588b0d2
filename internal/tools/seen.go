package tools

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
)

// seenTextBytes bounds the text that Seen keeps to show differences; hashes are
// kept for every file.
const seenTextBytes = 4 << 20

// Seen remembers which content of each file the model was last shown, by read or
// by its own write. An edit of a file that holds something else is refused, since
// the model would destroy what it does not know of. It is safe for parallel use.
type Seen struct {
	mu    sync.Mutex
	files map[string]seenFile
	// kept are the paths whose text is held, oldest first; bytes is how much that is.
	kept  []string
	bytes int
}

type seenFile struct {
	sum  [sha256.Size]byte
	text []byte
}

// NewSeen returns a Seen that has seen nothing.
func NewSeen() *Seen { return &Seen{files: map[string]seenFile{}} }

// Record notes that the model knows this content of the file; abs is the path as
// [Workspace.Resolve] returns it.
func (s *Seen) Record(abs string, content []byte) {
	file := seenFile{sum: sha256.Sum256(content)}
	if len(content) <= seenTextBytes/4 {
		file.text = append([]byte{}, content...)
	}
	s.set(abs, file)
}

// Restore is Record for a content of which only the hash is known: that of what the model
// wrote before the session was resumed.
func (s *Seen) Restore(abs string, sum [sha256.Size]byte) { s.set(abs, seenFile{sum: sum}) }

// Forget notes that the model no longer knows anything of the file.
func (s *Seen) Forget(abs string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropText(abs)
	delete(s.files, abs)
}

func (s *Seen) set(abs string, file seenFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropText(abs)
	s.files[abs] = file
	if file.text != nil {
		s.kept = append(s.kept, abs)
		s.bytes += len(file.text)
	}
	for s.bytes > seenTextBytes {
		s.dropText(s.kept[0])
	}
}

// dropText forgets the text of a file, not its hash.
func (s *Seen) dropText(abs string) {
	file := s.files[abs]
	s.bytes -= len(file.text)
	s.files[abs] = seenFile{sum: file.sum}
	s.kept = slices.DeleteFunc(s.kept, func(path string) bool { return path == abs })
}

// Known reports whether the model was shown any content of the file.
func (s *Seen) Known(abs string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.files[abs]
	return ok
}

// changed reports whether content differs from what was last seen of the file,
// and returns the text seen when it is still held. A file never seen has not
// changed.
func (s *Seen) changed(abs string, content []byte) (before []byte, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, ok := s.files[abs]
	if !ok || file.sum == sha256.Sum256(content) {
		return nil, false
	}
	return file.text, true
}

// ChangedError is the answer to an edit of a file that changed on disk since the
// model saw it.
type ChangedError struct {
	Path string
	// Diff leads from what the model saw to what is there; empty when it cannot be
	// shown.
	Diff string
}

func (e *ChangedError) Error() string {
	if e.Diff == "" {
		return fmt.Sprintf("%s changed on disk since you last saw it; nothing was written. Read it again first", e.Path)
	}
	return fmt.Sprintf("%s changed on disk since you last saw it; nothing was written. What changed:\n%s"+
		"You have seen the new content now: repeat the edit if it still fits", e.Path, e.Diff)
}

// refuseChanged shows what changed and takes the new content as seen, unless the
// difference is too large to show or the old content is forgotten.
func (e *Env) refuseChanged(s *source, seen []byte) error {
	refusal := &ChangedError{Path: s.rel}
	if seen == nil {
		return refusal
	}
	d := textdiff.New(textfile.Parse(seen).Text, textfile.Parse(s.whole).Text)
	text := strings.ToValidUTF8(d.Unified(s.rel+" (seen)", s.rel+" (on disk)"), "\uFFFD")
	if len(text) <= e.Limits.OutputBytes()/2-notesBytes {
		refusal.Diff = text
		e.Seen.Record(s.abs, s.whole)
	}
	return refusal
}
