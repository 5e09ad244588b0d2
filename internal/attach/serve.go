package attach

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/text/lines"
)

// Limits for clients.
const (
	// MaxLine is the largest length of a line from a client, in bytes.
	MaxLine = 1 << 20
	// maxClients limits the clients of a session. maxTold limits the lines that wait for one client.
	maxClients, maxTold = 64, 64
	// joinTime is the time within which a client must join. writeTime is the time within which it must read
	// the lines that are sent to it.
	joinTime, writeTime = 5 * time.Second, 30 * time.Second
	// closeTime is the time that Close waits for clients to read the latest lines.
	closeTime = time.Second
)

var (
	errLongLine = errors.New("the line is too long; a line can have at most 1 MiB")
	errNoJoin   = errors.New(`the first line must be a message of the type "join"`)
	errBehind   = errors.New("this client has too many unread lines; join again with the number of the last line that it read")
	errFull     = errors.New("the session has too many clients")
)

// A Client is another terminal that follows the session.
type Client struct {
	// Terminal is set if a user types at the client.
	Terminal bool

	conn *net.UnixConn
	told chan any
	// gone is closed when the client has disconnected.
	gone chan struct{}
	once sync.Once
}

// Send sends a line only to this client. A client that does not read its lines is disconnected.
func (c *Client) Send(line any) {
	select {
	case c.told <- line:
	case <-c.gone:
	default:
		c.leave()
	}
}

// Done returns a channel that is closed when the client has disconnected.
func (c *Client) Done() <-chan struct{} { return c.gone }

func (c *Client) leave() {
	c.once.Do(func() {
		close(c.gone)
		_ = c.conn.Close()
	})
}

// A Server serves a Hub on the socket of a session.
type Server struct {
	hub    *Hub
	handle func(*Client, []byte)
	unseen func()
	path   string

	mu       sync.Mutex
	listener *net.UnixListener
	socket   fs.FileInfo
	clients  map[*Client]bool
	// screens counts the clients in which a user sees the session.
	screens int
	closed  bool
	serving sync.WaitGroup
}

// Serve serves a Hub on the socket of a session until Close. handle is called for each line of a client.
// Calls for the same client never overlap. unseen is called when the last client in which a user saw the
// session has disconnected; it may be nil.
func Serve(folder, id string, hub *Hub, handle func(*Client, []byte), unseen func()) (*Server, error) {
	path, err := pathOf(folder, id)
	if err != nil {
		return nil, err
	}
	s := &Server{hub: hub, handle: handle, unseen: unseen, path: path, clients: map[*Client]bool{}}
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) open() error {
	listener, err := listen(s.path)
	if err != nil {
		return err
	}
	s.listener = listener
	s.socket, _ = os.Lstat(s.path) // without it, the next sweep removes the socket
	s.serving.Go(func() { s.accept(listener) })
	return nil
}

// RestoreSocket creates the socket again if another program has removed it. gone is set if its whole folder was
// removed, which happens at the end of a login session.
func (s *Server) RestoreSocket() (gone bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || fsutil.IsAt(s.path, s.socket) {
		return false, nil
	}
	_, err = os.Lstat(filepath.Dir(s.path))
	gone = errors.Is(err, fs.ErrNotExist)
	_ = s.listener.Close()
	return gone, s.open()
}

// Close ends all connections once they have received the latest lines, and removes the socket.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	err := s.listener.Close()
	if fsutil.IsAt(s.path, s.socket) {
		err = errors.Join(err, os.Remove(s.path))
	}
	s.mu.Unlock()
	s.hub.End()
	left := make(chan struct{})
	go func() { s.serving.Wait(); close(left) }()
	select {
	case <-left:
	case <-time.After(closeTime): // a client that does not read must not block the end of the program
		s.mu.Lock()
		defer s.mu.Unlock()
		for c := range s.clients {
			c.leave()
		}
	}
	return err
}

func (s *Server) accept(listener *net.UnixListener) {
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(100 * time.Millisecond) // too many files are open
			continue
		}
		if checkPeer(conn) != nil {
			_ = conn.Close()
			continue
		}
		c := &Client{conn: conn, told: make(chan any, maxTold), gone: make(chan struct{})}
		s.mu.Lock()
		full := s.closed || len(s.clients) >= maxClients
		if !full {
			s.clients[c] = true
			s.serving.Go(func() { s.serve(c) })
		}
		s.mu.Unlock()
		if full {
			_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
			_ = rawjson.Write(conn, NewErrorLine(errFull))
			_ = conn.Close()
		}
	}
}

// serve reads the lines of a client until it disconnects.
func (s *Server) serve(c *Client) {
	var writing sync.WaitGroup
	defer func() {
		c.leave()
		writing.Wait()
		s.mu.Lock()
		delete(s.clients, c)
		s.mu.Unlock()
	}()
	in := bufio.NewReader(c.conn)
	_ = c.conn.SetReadDeadline(time.Now().Add(joinTime))
	join, err := readJoin(in)
	if err != nil {
		_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
		_ = rawjson.Write(c.conn, NewErrorLine(err))
		return
	}
	_ = c.conn.SetReadDeadline(time.Time{})
	c.Terminal = join.Terminal
	if join.Terminal && !join.Watch {
		s.count(1)
		defer s.count(-1)
	}
	writing.Go(func() { s.write(c, join); c.leave() })
	for {
		line, whole, err := lines.Read(in, nil, MaxLine)
		line = bytes.TrimSpace(line)
		switch {
		case !whole:
			c.Send(NewErrorLine(errLongLine))
		case err != nil: // an incomplete line is ignored
		case len(line) > 0:
			s.handle(c, line)
		}
		if err != nil {
			return
		}
	}
}

func (s *Server) count(screens int) {
	s.mu.Lock()
	s.screens += screens
	last := screens < 0 && s.screens == 0
	s.mu.Unlock()
	if last && s.unseen != nil {
		s.unseen()
	}
}

// HasViewer reports whether a user sees the session in a client. Boards do not count.
func (s *Server) HasViewer() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screens > 0
}

func readJoin(in *bufio.Reader) (join JoinRequest, err error) {
	line, whole, err := lines.Read(in, nil, MaxLine)
	if !whole || err != nil || json.Unmarshal(line, &join) != nil || join.Type != "join" {
		return join, errNoJoin
	}
	return join, nil
}

// write sends the lines of the Hub, and the lines only for this client, until the client disconnects or is
// too slow.
func (s *Server) write(c *Client, join JoinRequest) {
	joined, after := s.hub.join(join)
	out := bufio.NewWriterSize(c.conn, 32<<10)
	send := func(line any) error {
		_ = c.conn.SetWriteDeadline(time.Now().Add(writeTime))
		return errors.Join(rawjson.Write(out, line), out.Flush())
	}
	if send(joined) != nil {
		return
	}
	for {
		batch, last, behind, more := s.hub.next(after, join.Watch)
		if behind {
			_ = send(NewErrorLine(errBehind))
			return
		}
		if writeAll(c.conn, out, batch) != nil {
			return
		}
		if after = last; len(batch) > 0 && more != nil {
			select {
			case line := <-c.told:
				if send(line) != nil {
					return
				}
			default:
			}
			continue
		}
		if more == nil {
			return
		}
		select {
		case line := <-c.told:
			if send(line) != nil {
				return
			}
		case <-more:
		case <-c.gone:
			return
		}
	}
}

func writeAll(conn net.Conn, out *bufio.Writer, batch [][]byte) error {
	_ = conn.SetWriteDeadline(time.Now().Add(writeTime))
	for _, line := range batch {
		_, _ = out.Write(line)
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}

// A Conn is the connection of a client to a session. One goroutine may read while others send.
type Conn struct {
	conn *net.UnixConn
	in   *bufio.Reader
	mu   sync.Mutex
}

// Dial connects to the socket at path, which must belong to a process of the same user.
func Dial(path string) (*Conn, error) {
	if err := private(filepath.Dir(path)); err != nil {
		return nil, err
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := checkPeer(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Conn{conn: conn, in: bufio.NewReader(conn)}, nil
}

// Join joins the session. After that, ReadLine returns the lines. Join waits as long as SetTimeout permits.
func (c *Conn) Join(join JoinRequest) (joined JoinReply, err error) {
	join.Type = "join"
	if err := c.Send(join); err != nil {
		return joined, err
	}
	line, err := c.ReadLine()
	if err != nil {
		return joined, err
	}
	var problem ErrorLine
	if err := json.Unmarshal(line, &joined); err != nil || joined.Type != "joined" {
		_ = json.Unmarshal(line, &problem)
		return joined, errors.New("the session did not accept the connection: " + problem.Error)
	}
	return joined, nil
}

// SetTimeout limits the time of all later reads and writes. 0 means no limit.
func (c *Conn) SetTimeout(d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = c.conn.SetDeadline(until)
}

// maxReceived limits a line from a session, in bytes.
const maxReceived = 64 << 20

// ReadLine returns the next line. The error is io.EOF once the session has ended.
func (c *Conn) ReadLine() ([]byte, error) {
	line, whole, err := lines.Read(c.in, nil, maxReceived)
	if !whole || err == nil && len(line) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err // an incomplete line is ignored
	}
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

// Send sends a line.
func (c *Conn) Send(line any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return rawjson.Write(c.conn, line)
}

// Close ends the connection.
func (c *Conn) Close() error { return c.conn.Close() }
