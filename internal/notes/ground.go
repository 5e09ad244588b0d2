package notes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
)

const (
	// largestGround limits the size of a file on which a note can be based, in bytes.
	largestGround = 16 << 20
	// mostChecked and checkTime limit the comparison of the files of all notes.
	mostChecked = 200
	checkTime   = 50 * time.Millisecond
)

// The states of a note.
const (
	StateUsed      = "used"
	StateStale     = "stale"
	StateProposed  = "proposed"
	StateUnchecked = "not checked"
	StateNoRoom    = "no room"
)

// A State describes whether a note is sent, or why not.
type State struct {
	Note
	State string `json:"state"`
	// Changed is the changed file if the note is stale. Otherwise it is "".
	Changed string `json:"changed,omitempty"`
}

// A Checker compares the files of notes with the files below a folder. It caches the hashes of files
// that have not been written since.
type Checker struct {
	root   string
	known  map[string]hashed
	memory []byte // the buffer for reading
}

type hashed struct {
	size    int64
	changed time.Time
	sum     string
	// looked is the time at which the content was read.
	looked time.Time
}

// Checker returns a checker for the grounds of the book.
func (b *Book) Checker() *Checker { return &Checker{root: b.root, known: map[string]hashed{}} }

// Check returns the state of each note. now returns the current time. Notes whose files cannot be
// compared in time are not checked.
func (c *Checker) Check(all []Note, now func() time.Time) []State {
	root, err := os.OpenRoot(c.root)
	if err == nil {
		defer root.Close()
	}
	begun, looked := now(), 0
	states := make([]State, len(all))
	for i, n := range all {
		states[i] = State{Note: n, State: StateUsed}
		for _, g := range n.Basis {
			if looked++; looked > mostChecked || now().Sub(begun) > checkTime {
				states[i].State = StateUnchecked
				break
			}
			if root == nil || g.Sum == "" || c.sum(root, g.Path, now) != g.Sum {
				states[i].State, states[i].Changed = StateStale, g.Path
				break
			}
		}
		if n.Proposed {
			states[i].State = StateProposed
		}
	}
	return states
}

// settled is the age from which an unchanged modification time proves that a file has not changed since
// it was read. Two writes within the clock resolution of the file system have the same time.
const settled = 2 * time.Second

// sum returns the hash of a file, or "" if it cannot be read.
func (c *Checker) sum(root *os.Root, path string, now func() time.Time) string {
	name := filepath.FromSlash(path)
	if h, ok := c.known[path]; ok && h.looked.Sub(h.changed) > settled {
		if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() && h.size == info.Size() && h.changed.Equal(info.ModTime()) {
			return h.sum
		}
	}
	at := now()
	file, err := root.OpenFile(name, os.O_RDONLY|fsutil.NoWait, 0)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > largestGround {
		return ""
	}
	if c.memory == nil {
		c.memory = make([]byte, 32<<10)
	}
	hash := sha256.New()
	if _, err := io.CopyBuffer(hash, io.LimitReader(file, largestGround+1), c.memory); err != nil {
		return ""
	}
	sum := short(hash.Sum(nil))
	c.known[path] = hashed{info.Size(), info.ModTime(), sum, at}
	return sum
}

// short returns a hash in the short form in which a Basis stores it.
func short(sum []byte) string { return hex.EncodeToString(sum[:8]) }

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return short(sum[:])
}

// NewBasis returns files of the repository with their hashes. Each path is absolute or relative to from.
func (b *Book) NewBasis(from string, paths []string) (grounds []Basis, err error) {
	if len(paths) > MaxFiles {
		return nil, fmt.Errorf("a note can depend on at most %d files, not %d", MaxFiles, len(paths))
	}
	root, err := os.OpenRoot(b.root)
	if err != nil {
		return nil, fsutil.Reason(err)
	}
	defer root.Close()
	checker := b.Checker()
	for _, path := range paths {
		rel, err := filepath.Rel(b.root, fsutil.ResolveIn(from, path))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("a note can't depend on %s, which is outside the repository", path)
		}
		rel = filepath.ToSlash(rel)
		sum := checker.sum(root, rel, time.Now)
		if sum == "" {
			return nil, fmt.Errorf("a note can't depend on %s, which is not a regular file", path)
		}
		if !slices.ContainsFunc(grounds, func(g Basis) bool { return g.Path == rel }) {
			grounds = append(grounds, Basis{rel, sum})
		}
	}
	return grounds, nil
}

// Confirm sets the hashes of a note's files to their present content, and marks the note as approved.
// If a file is missing, it returns an error.
func (b *Book) Confirm(id string, at time.Time) error {
	return b.Update(id, func(n *Note) (bool, error) {
		var paths []string
		for _, g := range n.Basis {
			paths = append(paths, filepath.FromSlash(g.Path))
		}
		grounds, err := b.NewBasis(b.root, paths)
		if err != nil {
			return true, fmt.Errorf("can't approve note %s: %w. Edit or delete the note", id, err)
		}
		n.Basis, n.Proposed, n.Checked = grounds, false, at
		return true, nil
	})
}

// NamedFiles returns the files below a folder whose paths a text contains, at most MaxFiles.
func NamedFiles(folder, text string) (paths []string) {
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, "`'\"()[]{}<>,;:!?.")
		if !strings.ContainsAny(word, "./") && !slices.Contains([]string{"Makefile", "Dockerfile", "LICENSE"}, word) || !filepath.IsLocal(word) || slices.Contains(paths, word) || len(paths) == MaxFiles {
			continue
		}
		if info, err := os.Stat(filepath.Join(folder, word)); err == nil && info.Mode().IsRegular() {
			paths = append(paths, word)
		}
	}
	return paths
}
