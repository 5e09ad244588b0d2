package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/todo"
	"agent/internal/traits"
)

// Conversation is what a session drives. Its methods are safe for concurrent use.
type Conversation interface {
	// SessionID names the record.
	SessionID() string
	// Run serves the conversation until ctx ends; Close ends it.
	Run(ctx context.Context) error
	Close()
	Send(message atcmd.Message)
	Unqueue(ctx context.Context) (atcmd.Message, bool)
	Interrupt()
	Answer(id int, decision chat.Decision)

	// Notices are lines for the person, Recorded what was said before.
	Notices() []string
	Recorded() []*history.Content
	// Traits are those of a tool.
	Traits(tool string) traits.Traits
	Todos() todo.List
	// Options are the choices that an editor shows, the approval modes first.
	Options() []Option
	SetOption(ctx context.Context, id, value string) error
	Commands() []Command
	// Command runs a slash command; submit is what it sends to the model.
	Command(ctx context.Context, line string) (lines []string, submit string, err error)
	// Root is the workspace.
	Root() string
	// Consent is what waits for the person's answer before the first prompt, nil for
	// nothing.
	Consent() *Consent
}

// Consent is a question about what a repository wants run, connected to or allowed.
type Consent struct {
	Title string
	Lines []string
	// Agree keeps a yes to exactly that.
	Agree func() error
}

// Agent makes conversations and knows the record of past ones.
type Agent interface {
	// Version is that of the program.
	Version() string
	// Images reports whether the model of new sessions takes images.
	Images() bool
	// Open makes a conversation in a folder: a new one, or the recorded one of an id.
	// Servers are MCP servers that the editor brings, in the JSON of mcp.json, "" for none.
	// The events go to emit; its calls pass the gates too. An error is a *SignInError, a *HeldError or ErrNoSession
	// where one of these is the reason.
	Open(ctx context.Context, folder, id, servers string, emit func(chat.Event), gates ...gate.Gate) (Conversation, error)
	// List returns the recorded sessions of a folder, or all for "", latest first.
	List(folder string) ([]Listed, error)
	Delete(id string) error
}

// maxSessions is how many sessions may be open at once.
const maxSessions = 16

// Server is one connection with an editor.
type Server struct {
	agent Agent
	conn  *conn
	log   *slog.Logger

	// Set by the first initialize.
	initialized                     bool
	notices, compactions, readsText bool

	mu       sync.Mutex
	sessions map[string]*session
	opening  int
	// working counts the requests that are not answered yet.
	working int
	running sync.WaitGroup
}

// Serve speaks with an editor until its input ends or ctx does. The error is the first
// that reading or writing met.
func Serve(ctx context.Context, agent Agent, in io.Reader, out io.Writer, log *slog.Logger) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &Server{agent: agent, log: log, sessions: map[string]*session{}}
	s.conn = newConn(out, func(err error) { cancel(err) })
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
	all := make([]*session, 0, len(s.sessions))
	for _, open := range s.sessions {
		all = append(all, open)
	}
	s.mu.Unlock()
	for _, open := range all {
		open.close()
	}
}

// handle serves a message, on the goroutine that reads. What takes longer continues beside.
func (s *Server) handle(ctx context.Context, m message) {
	defer s.survive(m)
	var p sessionParams
	if m.Method != "initialize" && len(m.Params) > 0 && json.Unmarshal(m.Params, &p) != nil {
		s.answer(m, nil, failf(codeParams, "the parameters of %s have another form", m.Method))
		return
	}
	if len(m.ID) > 0 && !s.begin(m) {
		return
	}
	switch m.Method {
	case "initialize":
		s.initialize(m)
	case "authenticate":
		s.answer(m, nil, nil) // the key is looked for with each new session
	case "session/new":
		s.beside(ctx, m, func() { s.open(ctx, m, p, "") })
	case "session/load", "session/resume":
		s.load(ctx, m, p)
	case "session/list":
		s.beside(ctx, m, func() { s.list(m, p) })
	case "session/delete":
		s.beside(ctx, m, func() { s.delete(m, p) })
	case "$/cancel_request":
		// The requests that can take long end with session/cancel.
	case "session/prompt", "session/cancel", "session/set_mode", "session/set_config_option", "session/close":
		open := s.session(p.SessionID)
		if open == nil {
			s.answer(m, nil, failf(codeNotFound, "no session %q is open", p.SessionID))
			return
		}
		open.post(func() { open.serve(m, p) })
	default:
		s.answer(m, nil, failf(codeMethod, "there is no method %q", m.Method))
	}
}

// begin counts a request that needs an answer, or refuses it when too many wait.
func (s *Server) begin(m message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working >= maxUnanswered {
		go s.conn.respond(m.ID, nil, failf(codeInternal, "%d requests wait for an answer; no more are taken", maxUnanswered))
		return false
	}
	s.working++
	return true
}

// answer answers a request; a notification is not answered.
func (s *Server) answer(m message, result any, err *wireError) {
	if len(m.ID) == 0 {
		return
	}
	s.mu.Lock()
	s.working = max(0, s.working-1)
	s.mu.Unlock()
	s.conn.respond(m.ID, result, err)
}

// survive answers a request whose handling panicked; the connection continues.
func (s *Server) survive(m message) {
	if value := recover(); value != nil {
		s.log.Error("a request of the editor panicked", "method", m.Method, "panic", value, "stack", string(debug.Stack()))
		s.answer(m, nil, failf(codeInternal, "internal error in %s; the log of the program says more", m.Method))
	}
}

func (s *Server) beside(ctx context.Context, m message, work func()) {
	if ctx.Err() != nil {
		return
	}
	s.running.Go(func() {
		defer s.survive(m)
		work()
	})
}

func (s *Server) session(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

func (s *Server) initialize(m message) {
	if s.initialized {
		s.answer(m, nil, failf(codeRequest, "initialize was called before"))
		return
	}
	s.initialized = true
	var p initializeParams
	if json.Unmarshal(m.Params, &p) != nil {
		s.answer(m, nil, failf(codeParams, "the parameters of initialize have another form"))
		return
	}
	given := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	s.notices, s.compactions = given(p.ClientCapabilities.Session.Notices), given(p.ClientCapabilities.Session.Compaction)
	s.readsText = p.ClientCapabilities.FS.ReadTextFile
	none := map[string]any{}
	auth := map[string]any{"id": "agent-env", "name": "Key from the environment or agent login", "description": "Set OPENAI_API_KEY or OPENAI_BASE_URL, or run: agent login"}
	if p.ClientCapabilities.Auth.Terminal {
		auth = map[string]any{"id": "login", "name": "agent login", "type": "terminal", "args": []string{"login"}}
	}
	s.answer(m, map[string]any{
		"protocolVersion": 1,
		"agentInfo":       map[string]any{"name": "agent", "title": "agent", "version": s.agent.Version()},
		"agentCapabilities": map[string]any{
			"loadSession":         true,
			"promptCapabilities":  map[string]any{"image": s.agent.Images(), "audio": false, "embeddedContext": true},
			"mcpCapabilities":     map[string]any{"http": true, "sse": true},
			"sessionCapabilities": map[string]any{"list": none, "resume": none, "close": none, "delete": none},
		},
		"authMethods": []any{auth},
	}, nil)
}

// folder checks the folder of a session.
func folder(cwd string) *wireError {
	if !filepath.IsAbs(cwd) {
		return failf(codeParams, "cwd must be an absolute path, not %q", cwd)
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		return failf(codeParams, "cwd %q is no folder", cwd)
	}
	return nil
}

// open makes a session and answers with what an editor needs of it. The id is that of a
// recorded session that continues, "" for a new one.
func (s *Server) open(ctx context.Context, m message, p sessionParams, id string) {
	if wrong := folder(p.Cwd); wrong != nil {
		s.answer(m, nil, wrong)
		return
	}
	servers, err := serversOf(p.MCPServers)
	if err != nil {
		s.answer(m, nil, failf(codeParams, "%v", err))
		return
	}
	s.mu.Lock()
	full := len(s.sessions)+s.opening >= maxSessions
	if !full {
		s.opening++
	}
	s.mu.Unlock()
	if full {
		s.answer(m, nil, failf(codeInternal, "%d sessions are open; close one first", maxSessions))
		return
	}
	opened := newSession(s)
	err = opened.begin(ctx, p.Cwd, id, servers)
	s.mu.Lock()
	s.opening--
	if err == nil {
		s.sessions[opened.id] = opened
	}
	s.mu.Unlock()
	if err != nil {
		s.answer(m, nil, openError(err))
		return
	}
	opened.welcome(m, id != "")
}

// load opens a recorded session. One that is open here already is closed first, so that
// an editor that lost its view can load it again.
func (s *Server) load(ctx context.Context, m message, p sessionParams) {
	if p.SessionID == "" {
		s.answer(m, nil, failf(codeParams, "sessionId is missing"))
		return
	}
	open := s.session(p.SessionID)
	if open != nil {
		s.forget(open)
	}
	s.beside(ctx, m, func() {
		if open != nil {
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

// pageSize is how many sessions are listed at once.
const pageSize = 50

func (s *Server) list(m message, p sessionParams) {
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		s.answer(m, nil, failf(codeParams, "cwd must be an absolute path, not %q", p.Cwd))
		return
	}
	all, err := s.agent.List(p.Cwd)
	if err != nil {
		s.answer(m, nil, failf(codeInternal, "%v", err))
		return
	}
	for i, one := range all {
		if p.Cursor != "" && one.ID == p.Cursor {
			all = all[i+1:]
			break
		}
	}
	result := map[string]any{}
	if len(all) > pageSize {
		all = all[:pageSize]
		result["nextCursor"] = all[pageSize-1].ID
	}
	sessions := []map[string]any{}
	for _, one := range all {
		sessions = append(sessions, map[string]any{"sessionId": one.ID, "cwd": one.Workspace, "title": one.Title, "updatedAt": one.Updated})
	}
	result["sessions"] = sessions
	s.answer(m, result, nil)
}

func (s *Server) delete(m message, p sessionParams) {
	if open := s.session(p.SessionID); open != nil {
		s.forget(open)
		open.close()
	}
	switch err := s.agent.Delete(p.SessionID); {
	case errors.Is(err, ErrNoSession):
		s.answer(m, nil, failf(codeNotFound, "%v", err))
	case err != nil:
		s.answer(m, nil, failf(codeInternal, "%v", err))
	default:
		s.answer(m, nil, nil)
	}
}
