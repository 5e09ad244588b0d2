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

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/workspace"

	"github.com/gofrs/flock"
)

// Limits of a store.
const (
	// largest is the size of the largest file that is stored, in bytes. Tools edit no larger files.
	largest = 16 << 20
	// largestJournal limits the journals and workspace descriptions that are read, in bytes.
	largestJournal = 256 << 20
	// maxSessionBytes is the total size of the contents of a session, in bytes. The oldest contents are
	// dropped first.
	maxSessionBytes = 256 << 20
	// longestTitle limits the title of a turn, in characters.
	longestTitle = 60
)

// Options configures a store.
type Options struct {
	// Folder is the folder of the store. It is created when the first content is stored.
	Folder    string
	Workspace *workspace.Workspace
	// Secret reports whether a file may be a secret file. The contents of such files are not
	// stored.
	Secret func(abs, rel string) bool
	Now    func() time.Time
	// Home is the home folder. Config is the folder for the configuration of programs. Git reads
	// both. They may be empty.
	Home, Config string
	// Temporary makes Close delete the store.
	Temporary bool
}

// Mark identifies a point in the history of the files, to which [Store.PlanRestore] can return. It
// is valid as long as the store exists, in every program that opens it. The zero Mark identifies no
// point.
type Mark string

// Store stores earlier contents of files. It is safe for concurrent use: a tool may change a file
// while a user views the plan of an undo. A nil Store stores nothing.
type Store struct {
	Options
	files files

	mu sync.Mutex
	loaded
	contents contents
	lock     *flock.Flock
	turn     int
	title    string
	// warnings lists warnings that the user has not seen yet.
	warnings []string
	// broken is the error of the last write, nil if the write succeeded.
	broken  error
	scanned scanned
	// listTime limits the listing of the workspace.
	listTime time.Duration
}

// loaded is the journal and the state that results from its records.
type loaded struct {
	id      string
	tree    tree
	journal journal
	// besides lists the programs that ran in the background of turns.
	besides []beside
}

// Open opens the store of a session and reads its journal. It returns an error if the journal
// cannot be read.
func Open(o Options) (*Store, error) {
	s := &Store{Options: o, files: files{o.Workspace}, listTime: listTime}
	s.contents.root = s.files.workspace.Root()
	if err := s.load(o.Folder); err != nil {
		return nil, err
	}
	return s, nil
}

// load switches to the store in a folder. After an error nothing is changed.
func (s *Store) load(folder string) error {
	read := loaded{tree: newTree(), journal: journal{path: filepath.Join(folder, "journal")}}
	damaged, err := read.journal.read(read.replay)
	if err != nil {
		return fmt.Errorf("can't read the undo store (%s): %w", read.journal.path, err)
	}
	_ = s.release()
	s.Folder, s.loaded = folder, read
	s.contents.objects = objects{folder: filepath.Join(folder, "objects"), most: maxSessionBytes, size: -1}
	if damaged > 0 {
		s.warn("can't read %s of the undo store. /undo may be unable to revert earlier changes", humanize.Count(damaged, "line"))
	}
	if s.tree.half.open() {
		goesOn, back := s.tree.half.commands()
		s.warn("agent ended while restoring files. To finish, type /%s. To revert, type /%s.", goesOn, back)
	}
	for _, n := range s.tree.nodes {
		s.turn = max(s.turn, n.Turn)
	}
	for _, b := range s.besides {
		s.turn = max(s.turn, b.Turn)
	}
	told := ""
	for _, b := range s.tree.began {
		s.turn = max(s.turn, b.Turn)
		if b.Title == told {
			continue
		}
		told = b.Title
		s.warn("agent ended during a command of “%s”. agent treats all changes since then as changes by this command, and /undo reverts them.", b.Title)
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
		r.Began.head = s.tree.head
		s.tree.began = append(s.tree.began, r.Began)
	case r.Ended:
		s.tree.end(r.Of)
	case r.Beside != nil:
		s.besides = append(s.besides, *r.Beside)
	}
	return nil
}

// use locks the store. It returns false for a nil store, which stores nothing.
func (s *Store) use() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	return true
}

// BeginTurn begins a turn. All changes until the next call are undone together. title is the
// message that started the turn.
func (s *Store) BeginTurn(title string) {
	if !s.use() {
		return
	}
	defer s.mu.Unlock()
	s.turn++
	s.title = humanize.Line(secret.Redact(humanize.FirstLine(strings.TrimSpace(title))), longestTitle)
}

// Mark returns a mark for the present state of the files. It is zero if the store cannot be
// written.
func (s *Store) Mark() Mark {
	if !s.use() {
		return ""
	}
	defer s.mu.Unlock()
	if s.ready() != nil {
		return ""
	}
	s.finishInterrupted(context.Background())
	return s.markOf(s.tree.head)
}

func (s *Store) markOf(id int) Mark { return Mark(s.id + "-" + strconv.Itoa(id)) }

// node returns the ID of the node of a mark.
func (s *Store) node(m Mark) (int, error) {
	id, number, _ := strings.Cut(string(m), "-")
	n, err := strconv.Atoi(number)
	if err != nil || id != s.id || n != 0 && s.tree.nodes[n] == nil {
		return 0, errors.New("the earlier content of the files is no longer stored")
	}
	return n, nil
}

// IsUndone reports whether a change was undone. It returns false for an unknown change.
func (s *Store) IsUndone(m Mark) bool {
	if !s.use() {
		return false
	}
	defer s.mu.Unlock()
	id, err := s.node(m)
	if err != nil {
		return false
	}
	for _, n := range s.tree.up(s.tree.head) {
		if n.ID == id {
			return false
		}
	}
	return true
}

// Reasons why a content is not stored.
const (
	lostSecret = "it may hold secrets"
	lostLarge  = "it is larger than 16 MB"
	lostIndex  = "can't read git's index"
	lostMany   = "there were too many files to copy before the command"
)

// keep stores a content and returns the state with its sum, or with the reason why it was
// not stored.
func (s *Store) keep(abs, rel string, state FileState, content []byte) FileState {
	if s.Secret(abs, rel) {
		state.NotKept = lostSecret
		return state
	}
	state.Sum, state.Written = sumOf(content), time.Time{}
	if err := s.contents.put(state.Sum, content); err != nil {
		s.fail(err)
		state.NotKept = "can't store it: " + fsutil.Reason(err).Error()
	}
	return state
}

// record adds a node to the journal and returns its ID. A node without a turn belongs to the
// present turn.
func (s *Store) record(n node) int {
	n.ID, n.Up, n.Root, n.At = s.tree.last+1, s.tree.head, s.files.workspace.Root(), s.Now()
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

// ready creates the store on disk if it does not exist, and locks it.
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
			err = errors.New("another program has the undo store open")
			fallthrough
		case err != nil:
			err = errors.Join(fsutil.ExplainLockError(err, "XDG_STATE_HOME"), lock.Close())
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

// fail records that a content cannot be stored, and adds a warning the first time.
func (s *Store) fail(err error) {
	if s.broken == nil {
		s.warn("Can't store the content of files, so /undo can't restore it: %v", fsutil.Reason(err))
	}
	s.broken = err
}

func (s *Store) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// Warnings returns the warnings that a user has not seen yet.
func (s *Store) Warnings() []string {
	if !s.use() {
		return nil
	}
	defer s.mu.Unlock()
	told := s.warnings
	s.warnings = nil
	return told
}

// missingFolders returns the folders above a file that do not exist.
func (w *files) missingFolders(abs string) []string {
	var missing []string
	for dir := filepath.Dir(abs); len(dir) > len(w.workspace.Root()); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			break
		}
		missing = append(missing, w.workspace.Rel(dir))
	}
	return missing
}

// Close releases the lock, so that other programs can open the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Temporary && s.lock != nil {
		return errors.Join(os.RemoveAll(s.Folder), s.release())
	}
	return s.release()
}
