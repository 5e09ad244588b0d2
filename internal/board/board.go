// Package board tracks the running sessions of the user: their states and their open questions.
//
// A Board connects to the socket of each session and keeps a Row for it. For a session without a socket,
// such as on Windows, it makes a Row from the lock of the session's record. The Board never reads
// conversations.
package board

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"agent/internal/attach"
	"agent/internal/chat"
	"agent/internal/session"
	"agent/internal/streamjson"
)

// joinTime is the time within which a session must answer. A stopped process does not answer.
const joinTime = 500 * time.Millisecond

// joinsAtOnce limits the concurrent joins, so that many sessions do not delay each other beyond joinTime.
const joinsAtOnce = 32

// Sources holds the folders in which sessions are found.
type Sources struct {
	// Sockets lists the folders of sockets. Sessions is the folder of all records.
	Sockets  []string
	Sessions string
	// WaitsSince returns the time since which a session without a socket has waited for an answer.
	WaitsSince func(id string) time.Time
}

// A Row is a running session.
type Row struct {
	streamjson.SessionState
	// Questions holds the open questions, oldest first.
	Questions []chat.Approval
	// Socket is the path of the session's socket, or "" for none.
	Socket string
}

// A Board keeps the rows of the running sessions. It is safe for concurrent use.
type Board struct {
	sources Sources
	changed chan struct{}

	mu    sync.Mutex
	links map[string]*link
	// locked holds the rows of sessions without a socket.
	locked []Row
	closed bool
}

// New returns a Board without rows.
func New(sources Sources) *Board {
	return &Board{sources: sources, changed: make(chan struct{}, 1), links: map[string]*link{}}
}

// Changes returns a channel that receives a value after the rows have changed.
func (b *Board) Changes() <-chan struct{} { return b.changed }

func (b *Board) change() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// Find connects to the sessions that were started since the last call, and waits for their states.
func (b *Board) Find() {
	var joining errgroup.Group
	joining.SetLimit(joinsAtOnce)
	for _, path := range attach.List(b.sources.Sockets) {
		b.mu.Lock()
		known := b.closed || b.links[path] != nil
		one := &link{path: path, asked: map[int]chat.Approval{}}
		if !known {
			b.links[path] = one
		}
		b.mu.Unlock()
		if known {
			continue
		}
		joining.Go(func() error {
			if err := one.join(b); err != nil {
				b.forget(one)
				b.sweep(path)
			}
			return nil
		})
	}
	_ = joining.Wait() // the functions return no errors
}

// FindLocked finds running sessions without a socket. It opens every record, so it should be called rarely.
func (b *Board) FindLocked() {
	paths, _ := fs.Glob(os.DirFS(b.sources.Sessions), "*/*.jsonl") // the pattern is valid
	var rows []Row
	reached := map[string]bool{}
	for _, row := range b.Rows() {
		reached[row.ID] = row.Socket != ""
	}
	for _, path := range paths {
		path = filepath.Join(b.sources.Sessions, path)
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if reached[id] {
			continue
		}
		held := session.LockHolder(path)
		if held == nil {
			continue
		}
		info, err := session.Inspect(path)
		if err != nil || reached[info.ID] {
			continue
		}
		row := Row{SessionState: streamjson.SessionState{
			Type: streamjson.StateLine, ID: info.ID, PID: held.PID, Folder: info.Workspace, Title: info.Title, State: "running", Since: held.Since,
			Branch: info.Branch, Model: info.Model,
		}}
		if since := b.sources.WaitsSince(info.ID); !since.IsZero() {
			row.SessionState.State, row.Since, row.Kind = "blocked", since, "permission"
		}
		rows = append(rows, row)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.locked = rows
	b.change()
}

// sweep removes the socket of a killed program, if the record of its session is not locked.
func (b *Board) sweep(path string) {
	if !attach.IsDead(path) {
		return
	}
	id := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	records, _ := fs.Glob(os.DirFS(b.sources.Sessions), "*/"+id+".jsonl")
	for _, record := range records {
		if session.LockHolder(filepath.Join(b.sources.Sessions, record)) != nil {
			return
		}
	}
	if attach.IsDead(path) {
		_ = os.Remove(path) // another board may have removed it
	}
}

// Rows returns the rows. Sessions that wait for the user come first, the longest wait first. Failed,
// finished, working and idle sessions follow.
func (b *Board) Rows() []Row {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows := slices.Clone(b.locked)
	for _, one := range b.links {
		if one.joined {
			rows = append(rows, one.row())
		}
	}
	rank := []string{"blocked", "failed", "done", "working", "running", "idle"}
	slices.SortFunc(rows, func(x, y Row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(rank, x.SessionState.State), slices.Index(rank, y.SessionState.State)),
			x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
	})
	return rows
}

// errUnreachable means that a board cannot send input to a session.
var errUnreachable = errors.New("can't reach the session. Answer in the terminal where it runs")

// Send sends a line to a session.
func (b *Board) Send(id string, line any) error {
	b.mu.Lock()
	var conn *attach.Conn
	for _, one := range b.links {
		if one.joined && one.state.ID == id {
			conn = one.conn
		}
	}
	b.mu.Unlock()
	if conn == nil {
		return errUnreachable
	}
	return conn.Send(line)
}

// Closed reports whether the Board is closed.
func (b *Board) Closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// Close ends all connections.
func (b *Board) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, one := range b.links {
		if one.conn != nil {
			_ = one.conn.Close()
		}
	}
}

func (b *Board) forget(one *link) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.links[one.path] == one {
		delete(b.links, one.path)
	}
	b.change()
}

// A link is the connection to one session. The Board's lock guards it.
type link struct {
	path   string
	conn   *attach.Conn
	joined bool
	state  streamjson.SessionState
	asked  map[int]chat.Approval
	follow streamjson.Decoder
	// problem is the latest error that the session reported.
	problem string
}

func (l *link) row() Row {
	row := Row{SessionState: l.state, Socket: l.path}
	for _, asked := range l.asked {
		row.Questions = append(row.Questions, asked)
	}
	slices.SortFunc(row.Questions, func(x, y chat.Approval) int { return x.ID - y.ID })
	return row
}

// join connects to the session, and then follows it in a goroutine.
func (l *link) join(b *Board) error {
	conn, err := attach.Dial(l.path)
	if err != nil {
		return err
	}
	conn.SetTimeout(joinTime)
	joined, err := conn.Join(attach.JoinRequest{Watch: true, Terminal: true})
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	conn.SetTimeout(0)
	b.mu.Lock()
	l.conn = conn
	for _, line := range append(joined.Open, joined.State) {
		l.take(line)
	}
	l.joined = l.state.ID != ""
	closed := b.closed
	b.mu.Unlock()
	if closed {
		return conn.Close()
	}
	b.change()
	go func() {
		defer b.forget(l)
		defer conn.Close()
		for {
			line, err := conn.ReadLine()
			if err != nil {
				return
			}
			b.mu.Lock()
			l.take(line)
			b.mu.Unlock()
			b.change()
		}
	}()
	return nil
}

func (l *link) take(line []byte) {
	var head struct{ Type, Error string }
	if json.Unmarshal(line, &head) != nil {
		return
	}
	switch head.Type {
	case streamjson.StateLine:
		var state streamjson.SessionState
		if json.Unmarshal(line, &state) == nil {
			l.state = state
		}
	case "error":
		l.problem = head.Error
	default:
		switch event, _ := l.follow.Decode(line); event := event.(type) {
		case chat.ApprovalRequested:
			l.asked[event.Approval.ID] = event.Approval
		case chat.ApprovalSettled:
			delete(l.asked, event.ID)
		}
	}
}

// TakeError returns the latest error that a session reported to the Board, and clears it.
func (b *Board) TakeError() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.links {
		if problem := one.problem; problem != "" {
			one.problem = ""
			return problem
		}
	}
	return ""
}
