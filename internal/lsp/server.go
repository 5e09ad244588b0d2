package lsp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"agent/internal/shell"
	"agent/internal/text/lines"
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
	// complaintBytes is the number of bytes of standard error that are kept.
	complaintBytes = 4 << 10
)

// server is a running server. It handles one request at a time.
type server struct {
	lang    Language
	root    string
	process *shell.Service
	conn    *conn
	says    *shell.HeadWriter
	started time.Time
	// inBytes is set if positions count bytes instead of UTF-16 units.
	inBytes bool
	// asking is a lock. It is full while a request is handled.
	asking chan struct{}

	// files maps the files of the workspace to their stamps. open lists the files that are open in
	// the server, the least recently used first. The holder of asking owns both.
	files map[string]stamp
	open  []*openFile

	mu sync.Mutex
	// working holds the tokens of work in progress, and begun counts all tokens. idle is closed
	// when no work is in progress.
	working map[string]bool
	begun   int
	idle    chan struct{}
	// failure is the latest error that the server reported outside of a response, such as a project
	// that it cannot load.
	failure string
}

type openFile struct {
	path    string
	version int
	text    []byte
}

// stamp distinguishes contents of a file. racy is set if the file was so new that a later content
// may have the same stamp.
type stamp struct {
	size int64
	mod  time.Time
	racy bool
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime(), time.Since(info.ModTime()) < racyTime}
}

// newServer initializes the session with a server process.
func newServer(ctx context.Context, lang Language, program, root string, process *shell.Service, says *shell.HeadWriter) (*server, error) {
	s := &server{
		lang: lang, root: root, process: process, says: says, started: time.Now(), asking: make(chan struct{}, 1),
		working: map[string]bool{}, idle: make(chan struct{}),
	}
	close(s.idle)
	s.conn = newConn(process.Out, process.In, s.answer)
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var options any
	if lang.options != nil {
		options = lang.options(program)
	}
	folder := map[string]any{"uri": uriOf(root), "name": filepath.Base(root)}
	result, err := s.conn.call(ctx, "initialize", map[string]any{
		"processId": nil, // the sandbox may hide this process, and servers end if they cannot see it
		"rootUri":   folder["uri"], "workspaceFolders": []any{folder},
		"capabilities": capabilities, "initializationOptions": options,
	})
	if err != nil {
		return s, err
	}
	var offered struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
		OffsetEncoding string `json:"offsetEncoding"` // of clangd, which had it before the protocol did
	}
	if err := json.Unmarshal(result, &offered); err != nil {
		return s, badAnswer(err)
	}
	s.inBytes = cmp.Or(offered.Capabilities.PositionEncoding, offered.OffsetEncoding) == "utf-8"
	s.conn.notify("initialized", struct{}{})
	s.conn.notify("workspace/didChangeConfiguration", map[string]any{"settings": lang.settings})
	return s, nil
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
		"synchronization": map[string]any{"didSave": true},
		"definition":      map[string]any{"linkSupport": true},
		"references":      map[string]any{},
		"rename":          map[string]any{"prepareSupport": true},
		"hover":           map[string]any{"contentFormat": []string{"plaintext", "markdown"}},
		"callHierarchy":   map[string]any{},
		"diagnostic":      map[string]any{},
	},
}

// answer answers the requests of the server and tracks its progress.
func (s *server) answer(method string, params json.RawMessage) (result any, known bool) {
	switch method {
	case "$/progress":
		s.progress(params)
	case "window/showMessage", "window/logMessage":
		var m struct {
			Type    int    `json:"type"`
			Message string `json:"message"`
		}
		const isError = 1
		if json.Unmarshal(params, &m) == nil && m.Type == isError && (method == "window/showMessage" || strings.Contains(m.Message, "load failed")) {
			s.mu.Lock()
			s.failure = plain(m.Message)
			s.mu.Unlock()
		}
	case "workspace/configuration":
		var asked struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		_ = json.Unmarshal(params, &asked) // if it fails, there are no items
		values := make([]any, len(asked.Items))
		for i, item := range asked.Items {
			values[i] = s.lang.settings[item.Section]
		}
		return values, true
	case "workspace/workspaceFolders":
		return []any{map[string]any{"uri": uriOf(s.root), "name": filepath.Base(s.root)}}, true
	case "workspace/applyEdit":
		return map[string]any{"applied": false, "failureReason": "only renames change files"}, true
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest":
		return nil, true
	}
	return nil, false
}

// progress tracks the work in progress. References are incomplete while a server is still working.
func (s *server) progress(params json.RawMessage) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	const maxTokens = 1000
	if json.Unmarshal(params, &p) != nil || len(p.Token) > maxTokens {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.working)
	switch {
	case p.Value.Kind == "begin" && before < maxTokens:
		s.working[string(p.Token)] = true
		s.begun++
	case p.Value.Kind == "end":
		delete(s.working, string(p.Token))
	}
	switch now := len(s.working); {
	case before == 0 && now > 0:
		s.idle = make(chan struct{})
	case before > 0 && now == 0:
		close(s.idle)
	}
}

// settle waits until the server has no work in progress. loading is true if the wait reached its
// limit. begun is the number of work items that have begun.
func (s *server) settle(ctx context.Context) (loading bool, begun int) {
	limit := time.NewTimer(loadTime)
	defer limit.Stop()
	for {
		s.mu.Lock()
		idle, working, begun := s.idle, len(s.working), s.begun
		s.mu.Unlock()
		if working == 0 {
			return false, begun
		}
		select {
		case <-idle:
		case <-limit.C:
			return true, begun
		case <-s.conn.ended:
			return false, begun
		case <-ctx.Done():
			return true, begun
		}
	}
}

// ask calls question with the current content of the files. It repeats the call if the server has
// begun or ended loading in the meantime, or if files have changed. notes explain why the answer
// may be incomplete or outdated.
func (s *server) ask(ctx context.Context, list func(context.Context) ([]string, error), t SymbolPosition, question func(context.Context) error) (notes []string, err error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	files, err := list(ctx)
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
		asked, cancel := context.WithTimeout(ctx, askTime)
		err := question(asked)
		late := asked.Err() != nil && ctx.Err() == nil
		cancel()
		if late {
			return nil, fmt.Errorf("%s has not answered in %s", s.lang.Program, askTime)
		}
		if err != nil && !isPassing(err) {
			return nil, s.explain(err)
		}
		_, now := s.settle(ctx)
		changed := s.sync(files, t.Path)
		switch {
		case (now > begun && !loading || changed || err != nil) && try < tries:
			continue
		case err != nil:
			return nil, s.explain(err)
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

// explain adds the last output of the server to an error.
func (s *server) explain(err error) error {
	select {
	case <-s.conn.ended:
	default:
		return fmt.Errorf("%s: %s", s.lang.Program, plain(err.Error()))
	}
	how := err.Error()
	if s.process.WaitEnd(time.Second) {
		<-s.process.LogDone()
		how = s.process.EndText()
	}
	if printed := plain(string(s.says.Kept)); printed != "" {
		how += ": " + printed
	}
	return fmt.Errorf("%s ended: %s", s.lang.Program, how)
}

// plain returns the beginning of a server's text on one line, without control characters.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	const most = 300
	return lines.Cut(strings.Join(strings.Fields(text), " "), most)
}

// The kinds of changes of the protocol.
const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

// sync notifies the server of the files that have changed since the last call, and opens the file
// of a request. It reports whether the server had outdated content.
func (s *server) sync(files []string, path string) (changed bool) {
	first := s.files == nil
	now := make(map[string]stamp, len(files))
	var events []map[string]any
	event := func(path string, kind int) {
		events = append(events, map[string]any{"uri": uriOf(path), "type": kind})
	}
	for _, file := range files {
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		is := stampOf(info)
		now[file] = is
		switch was, known := s.files[file]; {
		case !known:
			event(file, fileCreated)
			changed = true
		case was.size != is.size || !was.mod.Equal(is.mod):
			event(file, fileChanged)
			changed = true
		case was.racy:
			event(file, fileChanged)
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
		s.conn.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": events})
	}
	s.open = slices.DeleteFunc(s.open, func(o *openFile) bool {
		if o.path == path {
			return false
		}
		_, there := now[o.path]
		keep := there && s.update(o)
		if !keep {
			s.close(o)
		}
		return !keep
	})
	return s.show(path) || changed && !first
}

// show opens the file of a request, or sends its current content. It reports whether the content in
// the server was different.
func (s *server) show(path string) (changed bool) {
	at := slices.IndexFunc(s.open, func(o *openFile) bool { return o.path == path })
	if at >= 0 {
		o := s.open[at]
		s.open = append(slices.Delete(s.open, at, at+1), o)
		before := o.version
		s.update(o)
		return o.version != before
	}
	text, err := readFile(path)
	if err != nil {
		return false // the server then reports that the file does not exist
	}
	if len(s.open) >= maxOpen {
		s.close(s.open[0])
		s.open = slices.Delete(s.open, 0, 1)
	}
	o := &openFile{path: path, version: 1, text: text}
	s.open = append(s.open, o)
	s.conn.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uriOf(path), "languageId": s.lang.files[strings.ToLower(filepath.Ext(path))], "version": o.version, "text": string(text),
	}})
	return false
}

// update sends the current content of an open file if the content in the server differs. It reports
// whether the file can be read.
func (s *server) update(o *openFile) bool {
	text, err := readFile(o.path)
	if err != nil {
		return false
	}
	if !bytes.Equal(text, o.text) {
		o.version++
		o.text = text
		s.conn.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": uriOf(o.path), "version": o.version},
			"contentChanges": []any{map[string]any{"text": string(text)}},
		})
	}
	return true
}

func (s *server) close(o *openFile) {
	s.conn.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(o.path)}})
}

var errTooLarge = errors.New("it is too large for a language server")

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFileBytes {
		return nil, errTooLarge
	}
	return os.ReadFile(path)
}
