package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/app"
	"agent/internal/base/fsutil"
	"agent/internal/provider"
	recorded "agent/internal/session"
)

// Agent creates the conversations of an editor.
type Agent struct {
	Process *app.Process
	// Make creates a conversation in a folder. It continues the session with the id; with "" it begins a
	// new session.
	Make func(ctx context.Context, folder, id string, front app.Options) (*app.Conversation, error)
	// Login returns the arguments with which the program logs a user in, in a terminal. needed is the
	// reason why a login is needed, or nil if none is.
	Login func() (args []string, needed error)
}

// maxSessions limits the sessions that are open at the same time.
const maxSessions = 16

// Server is one connection with an editor.
type Server struct {
	agent Agent
	conn  *conn
	log   *slog.Logger

	// The first initialize request sets these fields.
	initialized                     bool
	notices, compactions, readsText bool

	mu       sync.Mutex
	sessions map[string]*session
	opening  int
	// working is the number of unanswered requests.
	working int
	running sync.WaitGroup
}

// Serve serves an editor until its input or ctx ends. It returns the first error of reading or writing.
func Serve(ctx context.Context, agent Agent, in io.Reader, out io.Writer, log *slog.Logger) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &Server{agent: agent, log: log, sessions: map[string]*session{}}
	s.conn = &conn{out: out, failed: func(err error) { cancel(err) }, awaiting: map[string]chan message{}}
	ended := make(chan error, 1)
	go func() { ended <- s.conn.read(in, func(m message) { s.handle(ctx, m) }) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.closeAll()
	cancel(nil)
	s.running.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (s *Server) closeAll() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.sessions))
	s.mu.Unlock()
	for _, open := range all {
		open.close()
	}
}

// handle handles a message on the reading goroutine. Longer work continues on another goroutine.
func (s *Server) handle(ctx context.Context, m message) {
	defer s.answerPanic(m)
	var p sessionParams
	if m.Method != "initialize" && len(m.Params) > 0 && json.Unmarshal(m.Params, &p) != nil {
		s.answer(m)(nil, failf(codeParams, "invalid parameters of %s", m.Method))
		return
	}
	if len(m.ID) > 0 && !s.begin(m) {
		return
	}
	switch m.Method {
	case "initialize":
		s.answer(m)(s.initialize(m))
	case "authenticate":
		s.answer(m)(nil, s.authenticate(m))
	case "session/new":
		if err := s.ready(p); err != nil {
			s.answer(m)(nil, err)
			return
		}
		s.beside(ctx, m, func() { s.open(ctx, m, p, "") })
	case "session/load", "session/resume":
		s.load(ctx, m, p)
	case "session/list":
		s.beside(ctx, m, func() { s.answer(m)(s.list(p)) })
	case "session/delete":
		s.beside(ctx, m, func() { s.answer(m)(nil, s.delete(p.SessionID)) })
	case "$/cancel_request":
		// session/cancel ends the requests that can take long.
	default:
		serve, open := aboutSession[m.Method], s.session(p.SessionID)
		switch {
		case serve == nil:
			s.answer(m)(nil, failf(codeMethod, "unknown method %q", m.Method))
		case open == nil:
			s.answer(m)(nil, failf(codeNotFound, "no session %q is open", p.SessionID))
		default:
			open.post(func() {
				defer s.answerPanic(m)
				serve(open, m, p)
			})
		}
	}
}

// begin counts a request. It returns false, and answers with an error, if too many requests are unanswered.
func (s *Server) begin(m message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working >= maxUnanswered {
		go s.conn.respond(m.ID, nil, failf(codeInternal, "too many requests: %d are waiting for an answer", maxUnanswered))
		return false
	}
	s.working++
	return true
}

// answer returns a function that answers a request. For a notification, the function does nothing.
func (s *Server) answer(m message) func(result any, err error) {
	return func(result any, err error) {
		if len(m.ID) == 0 {
			return
		}
		s.mu.Lock()
		s.working = max(0, s.working-1)
		s.mu.Unlock()
		s.conn.respond(m.ID, result, wireErrorOf(err))
	}
}

// answerPanic answers a request whose handler panicked. The connection continues.
func (s *Server) answerPanic(m message) {
	if value := recover(); value != nil {
		s.log.Error("a request of the editor panicked", "method", m.Method, "panic", value, "stack", string(debug.Stack()))
		s.answer(m)(nil, failf(codeInternal, "internal error in %s; see the log of agent", m.Method))
	}
}

func (s *Server) beside(ctx context.Context, m message, work func()) {
	if ctx.Err() != nil {
		return
	}
	s.running.Go(func() {
		defer s.answerPanic(m)
		work()
	})
}

func (s *Server) session(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

func (s *Server) initialize(m message) (any, error) {
	if s.initialized {
		return nil, failf(codeRequest, "initialize was already called")
	}
	s.initialized = true
	var p initializeParams
	if json.Unmarshal(m.Params, &p) != nil {
		return nil, failf(codeParams, "invalid parameters of initialize")
	}
	given := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	s.notices, s.compactions = given(p.ClientCapabilities.Session.Notices), given(p.ClientCapabilities.Session.Compaction)
	s.readsText = p.ClientCapabilities.FS.ReadTextFile
	none := map[string]any{}
	login, _ := s.agent.Login()
	command := "agent " + strings.Join(login, " ")
	auth := map[string]any{"id": methodEnv, "name": "Key from the environment or agent login", "description": "Set OPENAI_API_KEY or OPENAI_BASE_URL, or run: " + command}
	if p.ClientCapabilities.Auth.Terminal {
		auth = map[string]any{"id": methodLogin, "name": command, "type": "terminal", "args": login}
	}
	return map[string]any{
		"protocolVersion": 1,
		"agentInfo":       map[string]any{"name": "agent", "title": "agent", "version": s.agent.Process.Version},
		"agentCapabilities": map[string]any{
			"loadSession": true,
			// Whether the model accepts images is known only when it is used.
			"promptCapabilities":  map[string]any{"image": true, "audio": false, "embeddedContext": true},
			"mcpCapabilities":     map[string]any{"http": true, "sse": true},
			"sessionCapabilities": map[string]any{"list": none, "resume": none, "close": none, "delete": none},
		},
		"authMethods": []any{auth},
	}, nil
}

// The ids of the login methods.
const (
	methodEnv   = "agent-env"
	methodLogin = "login"
)

// authenticate returns nil if a new session would have an API key or a login. Users log in in a terminal.
// The protocol does not require a call for a method of kind terminal, but some editors call it afterwards.
func (s *Server) authenticate(m message) error {
	var p struct {
		MethodID string `json:"methodId"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.MethodID != methodEnv && p.MethodID != methodLogin {
		return failf(codeParams, "unknown login method %q", p.MethodID)
	}
	if login, needed := s.agent.Login(); needed != nil {
		return failf(codeSignIn, "%v. In a terminal, run: agent %s", needed, strings.Join(login, " "))
	}
	return nil
}

// ready returns nil if a session may be opened with these parameters.
func (s *Server) ready(p sessionParams) error {
	if !filepath.IsAbs(p.Cwd) {
		return failf(codeParams, "cwd must be an absolute path, not %q", p.Cwd)
	}
	if info, err := os.Stat(p.Cwd); err != nil || !info.IsDir() {
		return failf(codeParams, "cwd %q is not a folder", p.Cwd)
	}
	if !s.initialized {
		return failf(codeRequest, "can't open a session before initialize")
	}
	return nil
}

// checkPlace returns an error if a recorded session would continue in another folder, because its files are
// not there. A session whose folder is gone may continue anywhere.
func (s *Server) checkPlace(id, cwd string) error {
	info, found, err := s.find(id)
	if err != nil || !found {
		return err // opening the session reports that it does not exist
	}
	place := info.Workspace
	if _, err := os.Stat(place); err == nil && fsutil.ResolveLinks(cwd) != fsutil.ResolveLinks(place) {
		return failf(codeParams, "can't load session %s with cwd %[3]s: it belongs to %[2]s", id, place, cwd)
	}
	return nil
}

// open creates a session and answers the request. id names a recorded session to continue. With "", a new
// session begins.
func (s *Server) open(ctx context.Context, m message, p sessionParams, id string) {
	opened, err := s.makeSession(ctx, p, id)
	if err != nil {
		s.answer(m)(nil, err)
		return
	}
	opened.welcome(m, id != "")
}

func (s *Server) makeSession(ctx context.Context, p sessionParams, id string) (*session, error) {
	servers, err := serversOf(p.MCPServers)
	if err != nil {
		return nil, failf(codeParams, "%v", err)
	}
	s.mu.Lock()
	full := len(s.sessions)+s.opening >= maxSessions
	if !full {
		s.opening++
	}
	s.mu.Unlock()
	if full {
		return nil, failf(codeInternal, "%d sessions are open; close one first", maxSessions)
	}
	opened, err := openSession(ctx, s, p.Cwd, id, servers)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	if err != nil {
		return nil, failf(openCode(err), "%v", err)
	}
	s.sessions[opened.id] = opened
	return opened, nil
}

// openCode returns the protocol's error code for an error of opening a session.
func openCode(err error) int {
	if errors.Is(err, provider.ErrNoEndpoint) {
		return codeSignIn
	}
	if _, held := errors.AsType[*recorded.LockedError](err); held {
		return codeHeld
	}
	if _, missing := errors.AsType[*recorded.NotFoundError](err); missing {
		return codeNotFound
	}
	return codeParams
}

// load opens a recorded session. If it is already open here, it is closed first, so that an editor that
// lost its view can load it again.
func (s *Server) load(ctx context.Context, m message, p sessionParams) {
	err := s.ready(p)
	if err == nil && p.SessionID == "" {
		err = failf(codeParams, "sessionId is missing")
	}
	if err != nil {
		s.answer(m)(nil, err)
		return
	}
	s.beside(ctx, m, func() {
		if err := s.checkPlace(p.SessionID, p.Cwd); err != nil {
			s.answer(m)(nil, err)
			return
		}
		if open := s.session(p.SessionID); open != nil {
			s.forget(open)
			open.close()
		}
		s.open(ctx, m, p, p.SessionID)
	})
}

func (s *Server) forget(open *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[open.id] == open {
		delete(s.sessions, open.id)
	}
}

// pageSize is the number of sessions in one answer.
const pageSize = 50

func (s *Server) list(p sessionParams) (any, error) {
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		return nil, failf(codeParams, "cwd must be an absolute path, not %q", p.Cwd)
	}
	all, err := s.recordedSessions(p.Cwd)
	if err != nil {
		return nil, err
	}
	if at := indexOf(all, p.Cursor); p.Cursor != "" {
		all = all[at+1:]
	}
	result := map[string]any{}
	if len(all) > pageSize {
		all = all[:pageSize]
		result["nextCursor"] = all[pageSize-1].ID
	}
	sessions := []map[string]any{}
	for _, one := range all {
		sessions = append(sessions, map[string]any{"sessionId": one.ID, "cwd": one.Workspace, "title": one.Title, "updatedAt": one.Used.UTC().Format(time.RFC3339)})
	}
	result["sessions"] = sessions
	return result, nil
}

// recordedSessions lists the recorded sessions of a folder, or all sessions if folder is "", latest first.
func (s *Server) recordedSessions(folder string) ([]recorded.Info, error) {
	f, err := s.agent.Process.Folders()
	if err != nil {
		return nil, err
	}
	return recorded.List(f.Sessions(), folder)
}

// find returns the recorded session with an id, from any folder.
func (s *Server) find(id string) (info recorded.Info, found bool, err error) {
	all, err := s.recordedSessions("")
	if at := indexOf(all, id); at >= 0 {
		return all[at], true, nil
	}
	return info, false, err
}

func indexOf(all []recorded.Info, id string) int {
	return slices.IndexFunc(all, func(info recorded.Info) bool { return info.ID == id })
}

func (s *Server) delete(id string) error {
	if open := s.session(id); open != nil {
		s.forget(open)
		open.close()
	}
	info, found, err := s.find(id)
	if err != nil {
		return err
	}
	if !found {
		return failf(codeNotFound, "no session has this ID")
	}
	f, err := s.agent.Process.Folders()
	if err != nil {
		return err
	}
	return f.DeleteSession(info)
}
