package snapshot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/disk"
	"agent/internal/words"
	"agent/internal/workspace"

	"github.com/gofrs/flock"
)

// Bounds of what is kept.
const (
	// largest is the size, in bytes, up to which a file is kept; tools edit no larger
	// one.
	largest = 16 << 20
	// mostKept is how many bytes a session keeps. The oldest go first.
	mostKept = 256 << 20
	// longestTitle is how much of a message a node is called by, in characters.
	longestTitle = 60
)

// Options say where a store is and what it is about.
type Options struct {
	// Folder is that of this store alone. It is made when something is kept first.
	Folder    string
	Workspace *workspace.Workspace
	// Secret reports whether a file may hold keys, which are not kept.
	Secret func(abs, rel string) bool
	Now    func() time.Time
	// Home is the home folder, and Config the one where programs keep their configuration,
	// both of which git reads; they may be empty.
	Home, Config string
	// Temporary is set for a store that is removed when it is closed.
	Temporary bool
}

// Mark names a moment in the history of the files: what [Store.Restore] returns
// to. It stays valid as long as the store is there, in every program that opens it.
// The zero Mark is no moment.
type Mark string

// Store keeps what files held. It is safe for concurrent use: a tool may record while
// a person looks at what an undo would do. A nil Store keeps nothing.
type Store struct {
	Options
	files files

	mu sync.Mutex
	loaded
	contents contents
	lock     *flock.Flock
	turn     int
	title    string
	// warnings wait to be shown; broken is why nothing can be kept at present.
	warnings []string
	broken   error
	scanned  scanned
	// listTime bounds the listing of the workspace.
	listTime time.Duration
}

// loaded is what the journal says, and the journal.
type loaded struct {
	id      string
	tree    tree
	journal journal
	// besides are the programs that ran beside turns.
	besides []beside
}

// Open opens the store of a session, with what it says of earlier runs. It fails where
// that cannot be read.
func Open(o Options) (*Store, error) {
	s := &Store{Options: o, files: files{o.Workspace}, listTime: listTime}
	s.contents.root = s.files.Root()
	if err := s.load(o.Folder); err != nil {
		return nil, err
	}
	return s, nil
}

// load continues with what the store in a folder says, and leaves the one it had. Nothing
// changes by an error.
func (s *Store) load(folder string) error {
	read := loaded{tree: newTree(), journal: journal{path: filepath.Join(folder, "journal")}}
	damaged, err := read.journal.read(read.replay)
	if err != nil {
		return fmt.Errorf("what is kept for /undo cannot be read (%s): %w", read.journal.path, err)
	}
	_ = s.release()
	s.Folder, s.loaded = folder, read
	s.contents.objects = objects{folder: filepath.Join(folder, "objects"), most: mostKept, size: -1}
	if damaged > 0 {
		s.warn("%s of what is kept for /undo cannot be read; what came before may not be undone any more", words.Count(damaged, "line"))
	}
	if s.tree.half.open() {
		goesOn, back := s.tree.half.commands()
		s.warn("The program ended while files were being put back: /%s finishes that, /%s takes it back.", goesOn, back)
	}
	for _, n := range s.tree.nodes {
		s.turn = max(s.turn, n.Turn)
	}
	for _, b := range s.besides {
		s.turn = max(s.turn, b.Turn)
	}
	if b := s.tree.began; b != nil {
		s.turn = max(s.turn, b.Turn)
		s.warn("The program ended in the middle of a command of “%s”: what has changed in the workspace since that began counts as the command's, and /undo takes it back.", b.Title)
	}
	return nil
}

// replay applies a record of an earlier run.
func (s *loaded) replay(r record) error {
	switch {
	case r.Head != nil && r.Head.Version > journalVersion:
		return fmt.Errorf("it was written by a newer version of agent (%d)", r.Head.Version)
	case r.Head != nil:
		s.id = r.Head.ID
	case r.Node != nil && r.Node.ID > s.tree.last && r.Node.Up < r.Node.ID:
		s.tree.add(r.Node)
	case r.Drop != 0:
		s.tree.drop(r.Drop)
	case r.Move != nil && r.Move.Done:
		s.tree.head, s.tree.redo, s.tree.half = r.Move.To, r.Move.Redo, nowhere
	case r.Move != nil:
		s.tree.half = s.tree.half.begin(*r.Move, s.tree.head)
	case r.Began != nil:
		s.tree.began = r.Began
	case r.Ended:
		s.tree.began = nil
	case r.Beside != nil:
		s.besides = append(s.besides, *r.Beside)
	}
	return nil
}

// use locks the store. It is false for a nil one, which keeps nothing.
func (s *Store) use() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	return true
}

// Turn begins something a person asked for; what changes from here on is undone
// together. Title is its first line.
func (s *Store) Turn(title string) {
	if !s.use() {
		return
	}
	defer s.mu.Unlock()
	s.turn++
	s.title = words.Line(words.FirstLine(strings.TrimSpace(title)), longestTitle)
}

// Mark names the present moment; it is zero when the store cannot be written.
func (s *Store) Mark() Mark {
	if !s.use() {
		return ""
	}
	defer s.mu.Unlock()
	if s.ready() != nil {
		return ""
	}
	s.finishCommand(context.Background())
	return s.markOf(s.tree.head)
}

func (s *Store) markOf(id int) Mark { return Mark(s.id + "-" + strconv.Itoa(id)) }

// node is the node that a mark names.
func (s *Store) node(m Mark) (int, error) {
	id, number, _ := strings.Cut(string(m), "-")
	n, err := strconv.Atoi(number)
	if err != nil || id != s.id || n != 0 && s.tree.nodes[n] == nil {
		return 0, errors.New("what the files held then is not kept any more")
	}
	return n, nil
}

// InEffect reports whether a change is part of what the files hold now, and was not
// undone. A change that is not known counts as in effect.
func (s *Store) InEffect(m Mark) bool {
	if !s.use() {
		return true
	}
	defer s.mu.Unlock()
	id, err := s.node(m)
	if err != nil {
		return true
	}
	for _, n := range s.tree.up(s.tree.head) {
		if n.ID == id {
			return true
		}
	}
	return false
}

// Why contents are not kept.
const (
	lostSecret = "it may hold keys, which are not copied"
	lostLarge  = "it is larger than 16 MB"
	lostIndex  = "git's index could not be read"
	lostMany   = "too much was there to keep before the command"
)

// keep keeps a content and returns the state that names it.
func (s *Store) keep(abs, rel string, state State, content []byte) State {
	if s.Secret(abs, rel) {
		state.Lost = lostSecret
		return state
	}
	state.Sum, state.Written = sumOf(content), time.Time{}
	if err := s.contents.put(state.Sum, content); err != nil {
		s.fail(err)
		state.Lost = "it could not be kept: " + disk.Reason(err).Error()
	}
	return state
}

// record adds a node for changes and returns its number. It is of the present turn unless it
// says of which.
func (s *Store) record(n node) int {
	n.ID, n.Up, n.Root, n.At = s.tree.last+1, s.tree.head, s.files.Root(), s.Now()
	if n.Turn == 0 {
		n.Turn, n.Title = s.turn, s.title
	}
	s.tree.add(&n)
	s.write(record{Node: &n})
	return n.ID
}

func (s *Store) write(r record) {
	if err := s.journal.append(r); err != nil {
		s.fail(err)
		return
	}
	s.broken = nil
}

// ready makes the store on disk, if it is not there.
func (s *Store) ready() error {
	if s.lock != nil && s.id != "" {
		return nil
	}
	err := os.MkdirAll(s.Folder, 0o700)
	if err == nil && s.lock == nil {
		lock := flock.New(filepath.Join(s.Folder, lockName), flock.SetPermissions(0o600))
		var free bool
		switch free, err = lock.TryLock(); {
		case err == nil && !free:
			err = errors.New("another program has it open")
			fallthrough
		case err != nil:
			err = errors.Join(disk.Unlocked(err, "XDG_STATE_HOME"), lock.Close())
		default:
			s.lock = lock
		}
	}
	if err == nil && s.id == "" {
		id := strings.ToLower(rand.Text()[:8])
		if err = s.journal.append(record{Head: &header{Version: journalVersion, ID: id}}); err == nil {
			s.id = id
		}
	}
	if err != nil {
		s.fail(err)
	}
	return err
}

// fail notes that something cannot be kept, and reports it once.
func (s *Store) fail(err error) {
	if s.broken == nil {
		s.warn("What files held is not kept, so that /undo will not bring it back: %v", disk.Reason(err))
	}
	s.broken = err
}

func (s *Store) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// Warnings returns what a person should know, each once.
func (s *Store) Warnings() []string {
	if !s.use() {
		return nil
	}
	defer s.mu.Unlock()
	told := s.warnings
	s.warnings = nil
	return told
}

// missingFolders are the folders above a file that are not there.
func (w *files) missingFolders(abs string) []string {
	var missing []string
	for dir := filepath.Dir(abs); len(dir) > len(w.Root()); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			break
		}
		missing = append(missing, w.Rel(dir))
	}
	return missing
}

// Close lets others open the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Temporary && s.lock != nil {
		return errors.Join(os.RemoveAll(s.Folder), s.release())
	}
	return s.release()
}
