package lsp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/sandbox"
	"agent/internal/shell"

	"go.lsp.dev/jsonrpc2"
	"golang.org/x/sync/semaphore"
)

// The time limits of a server.
const (
	startTime = 30 * time.Second
	askTime   = 60 * time.Second
	loadTime  = 20 * time.Second
	// racyTime is the age below which a file may change without a change of its modification time.
	racyTime = 2 * time.Second
)

const (
	// maxOpen is the greatest number of files that are open in a server.
	maxOpen = 64
	// maxFileBytes is the size of the largest file that is sent to a server.
	maxFileBytes = 8 << 20
	// complaintBytes is the number of bytes of standard error that are kept, and complaintLength the
	// number of characters of a text of a server in an error.
	complaintBytes, complaintLength = 4 << 10, 300
)

// server is the process of a language server, from its start to its end. It handles one request at a
// time.
type server struct {
	key
	lang Language
	// ctx ends when the pool ends the server, also while the server starts.
	ctx    context.Context
	cancel context.CancelFunc
	// ready is closed when the start has succeeded or failed with err, and done when the server has
	// ended.
	ready, done chan struct{}
	err         error

	// The holder of the lock of the pool owns these. started is set if the server has started.
	started     bool
	since, used time.Time
	asked       int
	idle        *time.Timer

	process *shell.Service
	pipes   *pipes
	conn    jsonrpc2.Conn
	says    *shell.HeadWriter
	// inBytes is set if positions count bytes instead of UTF-16 units.
	inBytes bool
	// asking is a lock. It is held while a request is handled.
	asking *semaphore.Weighted

	// files maps the files of the workspace to their stamps. open lists the files that are open in
	// the server, the least recently used first. version counts the contents that were sent. The
	// holder of asking owns them.
	files   map[string]stamp
	open    []openFile
	version int

	mu sync.Mutex
	// working holds the tokens of work in progress, and begun counts all tokens. changed is closed
	// when working changes.
	working map[string]bool
	begun   int
	changed chan struct{}
	// failure is the latest error that the server reported outside of a response, such as a project
	// that it cannot load.
	failure string
}

type openFile struct {
	path string
	text []byte
}

// stamp distinguishes contents of a file. racy is set if the file was so new that a later content
// may have the same stamp.
type stamp struct {
	size, mod int64
	racy      bool
}

func newServer(id key, lang Language) *server {
	s := &server{
		key: id, lang: lang, ready: make(chan struct{}), done: make(chan struct{}), since: time.Now(), says: &shell.HeadWriter{Most: complaintBytes},
		asking: semaphore.NewWeighted(1), working: map[string]bool{}, changed: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// launch starts the server in the sandbox of read-only commands.
func (s *server) launch(f *Folder, program string) error {
	cache := filepath.Join(f.Cache, "language-servers", s.lang.Program)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return fmt.Errorf("no cache for %s: %w", s.lang.Program, err)
	}
	cache = fsutil.ResolveLinks(cache)
	confined := f.Confined()
	confined.Policy.Temp = cache // the only folder that the server may write
	environ := sandbox.WithSafePath(f.Environ(), f.Root)
	for _, variable := range append(s.lang.environ, "TMPDIR="+cache, "XDG_CACHE_HOME="+cache) {
		environ = append(environ, strings.ReplaceAll(variable, "$CACHE", cache))
	}
	process, err := shell.StartService(s.ctx, shell.ServiceCommand{
		Path: program, Args: s.lang.Args, Dir: f.Root, Env: environ, Confined: confined, Profile: sandbox.ProfileReadOnly,
	}, s.says)
	if err != nil {
		return fmt.Errorf("can't start %s: %w", s.lang.Program, err)
	}
	if f.Started != nil {
		f.Started(strings.Join(append([]string{s.lang.Program}, s.lang.Args...), " "), confined)
	}
	s.process, s.pipes = process, &pipes{process: process}
	s.conn = jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(s.pipes))
	s.conn.Go(context.Background(), s.handle)
	if err := s.initialize(program); err != nil {
		process.Close()
		return s.explain(err)
	}
	return nil
}

// initialize begins the session.
func (s *server) initialize(program string) error {
	ctx, cancel := context.WithTimeout(s.ctx, startTime)
	defer cancel()
	var options any
	if s.lang.options != nil {
		options = s.lang.options(program)
	}
	var offered struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
		OffsetEncoding string `json:"offsetEncoding"` // of clangd, which had it before the protocol did
	}
	err := s.call(ctx, "initialize", map[string]any{
		"processId": nil, // the sandbox may hide this process, and servers end if they cannot see it
		"rootUri":   uriOf(s.root), "workspaceFolders": []any{map[string]any{"uri": uriOf(s.root), "name": filepath.Base(s.root)}},
		"capabilities": capabilities, "initializationOptions": options,
	}, &offered)
	s.inBytes = cmp.Or(offered.Capabilities.PositionEncoding, offered.OffsetEncoding) == "utf-8"
	s.notify("initialized", struct{}{})
	s.notify("workspace/didChangeConfiguration", map[string]any{"settings": s.lang.settings})
	return err
}

var capabilities = map[string]any{
	"general":        map[string]any{"positionEncodings": []string{"utf-8", "utf-16"}},
	"offsetEncoding": []string{"utf-8", "utf-16"},
	"window":         map[string]any{"workDoneProgress": true},
	"workspace": map[string]any{
		"configuration": true, "workspaceFolders": true,
		"workspaceEdit":         map[string]any{"documentChanges": true},
		"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
	},
	"textDocument": map[string]any{
		"hover":         map[string]any{"contentFormat": []string{"plaintext", "markdown"}},
		"callHierarchy": map[string]any{},
		"diagnostic":    map[string]any{},
	},
}

// errEnded is wrapped by the error of a request whose connection failed. The process then ends.
var errEnded = errors.New("the connection ended")

// call sends a request and decodes its result.
func (s *server) call(ctx context.Context, method string, params, result any) error {
	var raw json.RawMessage
	id, err := s.conn.Call(ctx, method, params, &raw)
	switch _, answered := errors.AsType[*jsonrpc2.Error](err); {
	case err == nil:
		return json.Unmarshal(raw, result)
	case ctx.Err() != nil:
		number, _ := id.Number() // all IDs of calls are numbers
		s.notify("$/cancelRequest", map[string]any{"id": number})
	case !answered:
		return fmt.Errorf("%w: %w", errEnded, err)
	}
	return err
}

// notify sends a notification. A failure ends the connection.
func (s *server) notify(method string, params any) {
	_ = s.conn.Notify(context.Background(), method, params)
}

// handle answers the requests of the server and tracks its progress.
func (s *server) handle(ctx context.Context, request *jsonrpc2.Request) (result any, _ error) {
	if request.IsCall() {
		jsonrpc2.Async(ctx) // writing the answer must not delay the reading
	}
	var p struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
		Items   []struct {
			Section string `json:"section"`
		} `json:"items"`
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	_ = json.Unmarshal(request.Params(), &p) // parameters of other requests may have other types
	switch method := request.Method(); method {
	case "$/progress":
		s.progress(string(p.Token), p.Value.Kind)
	case "window/showMessage", "window/logMessage":
		const isError = 1
		if p.Type == isError && (method == "window/showMessage" || strings.Contains(p.Message, "load failed")) {
			s.mu.Lock()
			s.failure = humanize.Line(p.Message, complaintLength)
			s.mu.Unlock()
		}
	case "workspace/configuration":
		values := make([]any, len(p.Items))
		for i, item := range p.Items {
			values[i] = s.lang.settings[item.Section]
		}
		return values, nil
	}
	return nil, nil // requests to register or to show something need no result
}

// progress tracks the work in progress. References are incomplete while a server is still working.
func (s *server) progress(token, kind string) {
	const maxTokens = 1000
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case kind == "begin" && len(s.working) < maxTokens && len(token) < maxTokens:
		s.working[token] = true
		s.begun++
	case kind == "end":
		delete(s.working, token)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// settle waits until the server has no work in progress. loading is true if the wait reached its
// limit. begun is the number of work items that have begun.
func (s *server) settle(ctx context.Context) (loading bool, begun int) {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	for {
		s.mu.Lock()
		changed, working, begun := s.changed, len(s.working), s.begun
		s.mu.Unlock()
		if working == 0 {
			return false, begun
		}
		select {
		case <-changed:
		case <-s.conn.Done():
			return false, begun
		case <-ctx.Done():
			return true, begun
		}
	}
}

// ask calls question with the current content of the files. It repeats the call if the server has
// begun or ended loading in the meantime, or if files have changed. notes explain why the answer
// may be incomplete or outdated.
func (s *server) ask(ctx context.Context, f *Folder, t SymbolPosition, question func(context.Context) error) (notes []string, err error) {
	if err := s.asking.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.asking.Release(1)
	s.pipes.received.Store(0)
	files, err := f.Files(ctx, s.lang.Concerns)
	if err != nil {
		return nil, err
	}
	for _, file := range t.Mentions[:min(len(t.Mentions), maxOpen-1)] {
		s.show(file)
	}
	s.sync(files, t.Path)
	const tries = 3
	for try := 1; ; try++ {
		loading, begun := s.settle(ctx)
		asked, cancel := context.WithTimeoutCause(ctx, askTime, fmt.Errorf("it has not answered in %s", askTime))
		err := question(asked)
		if asked.Err() != nil {
			err = context.Cause(asked)
		}
		cancel()
		_, now := s.settle(ctx)
		changed := s.sync(files, t.Path)
		switch {
		case (now > begun && !loading || changed) && try < tries:
			continue
		case err != nil:
			return nil, err
		case loading:
			notes = append(notes, s.lang.Program+" is still loading, so the answer may be incomplete")
		case changed:
			notes = append(notes, "files changed meanwhile, so the answer may be outdated")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failure != "" {
			notes = append(notes, "the answer may be incomplete, because "+s.lang.Program+" reported: "+s.failure)
		}
		return notes, nil
	}
}

// explain returns an error that names the server. After an end of the process, the error also says
// how it ended, and contains its last output.
func (s *server) explain(err error) error {
	select {
	case <-s.process.Done():
		<-s.process.LogDone()
		return fmt.Errorf("%s ended: %s: %s", s.lang.Program, s.process.EndText(), humanize.Line(cmp.Or(string(s.says.Kept), err.Error()), complaintLength))
	default:
		return fmt.Errorf("%s: %s", s.lang.Program, humanize.Line(err.Error(), complaintLength))
	}
}

// sync notifies the server of the files that have changed since the last call, and opens the file
// of a request. It reports whether the server had outdated content.
func (s *server) sync(files []string, path string) (changed bool) {
	const fileCreated, fileChanged, fileDeleted = 1, 2, 3
	first := s.files == nil
	now := make(map[string]stamp, len(files))
	var events []any
	event := func(path string, kind int) {
		events = append(events, map[string]any{"uri": uriOf(path), "type": kind})
	}
	for _, file := range files {
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		is := stamp{info.Size(), info.ModTime().UnixNano(), time.Since(info.ModTime()) < racyTime}
		now[file] = is
		if was, known := s.files[file]; !known {
			event(file, fileCreated)
			changed = !first
		} else if differs := was.size != is.size || was.mod != is.mod; differs || was.racy {
			event(file, fileChanged)
			changed = changed || differs
		}
	}
	for file := range s.files {
		if _, there := now[file]; !there {
			event(file, fileDeleted)
			changed = true
		}
	}
	s.files = now
	if len(events) > 0 && !first {
		s.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": events})
	}
	for _, o := range slices.Clone(s.open) {
		changed = s.show(o.path) || changed
	}
	return s.show(path) || changed
}

// show opens a file, or sends its current content. It closes a file that cannot be read. It reports
// whether the content in the server was different.
func (s *server) show(path string) (changed bool) {
	text, err := fsutil.ReadUpTo(path, maxFileBytes)
	s.version++
	document := map[string]any{"uri": uriOf(path), "version": s.version}
	if at := slices.IndexFunc(s.open, func(o openFile) bool { return o.path == path }); at >= 0 {
		changed = err != nil || !bytes.Equal(text, s.open[at].text)
		if err != nil {
			s.close(at)
			return true
		}
		s.open = slices.Delete(s.open, at, at+1)
		if changed {
			s.notify("textDocument/didChange", map[string]any{"textDocument": document, "contentChanges": []any{map[string]any{"text": string(text)}}})
		}
	} else if err == nil {
		document["languageId"], document["text"] = s.lang.files[strings.ToLower(filepath.Ext(path))], string(text)
		s.notify("textDocument/didOpen", map[string]any{"textDocument": document})
	} else {
		return false // the server then reports that the file does not exist
	}
	if s.open = append(s.open, openFile{path, text}); len(s.open) > maxOpen {
		s.close(0)
	}
	return changed
}

// close closes the open file with an index.
func (s *server) close(at int) {
	s.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(s.open[at].path)}})
	s.open = slices.Delete(s.open, at, at+1)
}
