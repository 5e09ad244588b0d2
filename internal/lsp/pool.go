package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// The limits of the running servers of a process.
const (
	maxServers = 3
	maxMemory  = 4 << 30
	idleTime   = 10 * time.Minute
	// maxFailures is the number of unexpected ends after which a server is not started again.
	maxFailures = 3
)

// A Pool holds the servers of a process, one for each folder and language. The zero value is ready
// to use. It is safe for concurrent use.
type Pool struct {
	mu      sync.Mutex
	open    []*Folder
	running []*entry
	// crashes counts the unexpected ends of servers, until the last conversation in a folder ends.
	crashes map[key]int
}

type key struct{ root, language string }

type entry struct {
	key
	lang Language
	// ctx ends when the pool ends the server, also while the server starts.
	ctx    context.Context
	cancel context.CancelFunc
	// ready is closed once server and err are set, and done when the server has ended.
	ready, done chan struct{}
	server      *server
	err         error

	used  time.Time
	asked int
	idle  *time.Timer
}

// Config describes the workspace of a conversation.
type Config struct {
	// Root is the path of the workspace with links resolved.
	Root string
	// Environ returns the environment of commands.
	Environ func() []string
	// Confined returns the sandbox of commands.
	Confined func() sandbox.Confinement
	// Cache is the folder for the caches of servers.
	Cache string
	// Files returns the absolute paths of the files that keep accepts.
	Files func(ctx context.Context, keep func(path string) bool) ([]string, error)
	// Started is called after a server has started. line is its command. Started may be nil.
	Started func(line string, confined sandbox.Confinement)
}

// A Folder sends requests to the servers of a workspace.
type Folder struct {
	Config
	pool *Pool
}

// Open returns the view of a conversation. It starts no server.
func (p *Pool) Open(c Config) *Folder {
	f := &Folder{Config: c, pool: p}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, f)
	return f
}

// Find returns the program of a language, or an error that explains why it is missing.
func (f *Folder) Find(lang Language) (program string, err error) {
	return Find(lang, f.Root, f.Environ())
}

// Find returns the program of a language in PATH. It ignores programs in the workspace.
func Find(lang Language, root string, environ []string) (program string, err error) {
	path := sandbox.SafePath(sandbox.Variable(environ, "PATH"), root)
	if program, err = sandbox.LookPath(lang.Program, path); err != nil {
		return "", fmt.Errorf("%s is not in PATH; install %s", lang.Program, lang.Package)
	}
	if sandbox.IsInside(program, []string{root}) {
		return "", fmt.Errorf("%s is inside the workspace, so agent does not run it", lang.Program)
	}
	return program, nil
}

// A Status describes a running or crashed server.
type Status struct {
	Language, Program string
	Since             time.Time
	Questions         int
	// Memory is the memory of its processes in bytes, 0 if unknown.
	Memory int64
	// Crashes counts the unexpected ends of a server that is not running.
	Crashes int
}

// Servers returns the running and the crashed servers of the folder.
func (f *Folder) Servers() []Status {
	f.pool.mu.Lock()
	defer f.pool.mu.Unlock()
	sizes := memory()
	var all []Status
	for _, e := range f.pool.running {
		if s := e.running(); s != nil && e.root == f.Root {
			all = append(all, Status{e.lang.Name, e.lang.Program, s.started, e.asked, sizes(s.process.PID()), 0})
		}
	}
	for _, lang := range languages {
		if n := f.pool.crashes[key{f.Root, lang.Name}]; n > 0 && !slices.ContainsFunc(all, func(st Status) bool { return st.Language == lang.Name }) {
			all = append(all, Status{Language: lang.Name, Program: lang.Program, Crashes: n})
		}
	}
	return all
}

// running returns the server of an entry, or nil if it has not started.
func (e *entry) running() *server {
	select {
	case <-e.ready:
		return e.server
	default:
		return nil
	}
}

// server returns the running server of a language. It starts the server if necessary.
func (f *Folder) server(ctx context.Context, lang Language) (*server, error) {
	e, err := f.entry(lang)
	if err != nil {
		return nil, err
	}
	select {
	case <-e.ready:
		return e.server, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// entry returns the entry of a language. Without one, it starts a server.
func (f *Folder) entry(lang Language) (*entry, error) {
	p, id := f.pool, key{f.Root, lang.Name}
	p.mu.Lock()
	defer p.mu.Unlock()
	find := func() int { return slices.IndexFunc(p.running, func(e *entry) bool { return e.key == id }) }
	at := find()
	if at >= 0 && p.running[at].hasEnded() {
		p.drop(p.running[at], true)
		at = find()
	}
	switch {
	case at >= 0:
	case !slices.Contains(p.open, f):
		return nil, errClosed
	case p.crashes[id] >= maxFailures:
		return nil, fmt.Errorf("%s crashed %d times; agent does not restart it in this session", lang.Program, p.crashes[id])
	default:
		e := &entry{key: id, lang: lang, ready: make(chan struct{}), done: make(chan struct{})}
		e.ctx, e.cancel = context.WithCancel(context.Background())
		e.idle = time.AfterFunc(idleTime, func() { p.end(e, false) })
		at = len(p.running)
		p.running = append(p.running, e)
		go f.run(e)
	}
	e := p.running[at]
	e.used = time.Now()
	e.asked++
	e.idle.Reset(idleTime)
	p.spare(e)
	return e, nil
}

var errClosed = errors.New("the conversation has ended")

// run starts the server of an entry and waits for its end. It does not use the context of a request
// or of a conversation, because others may wait for the server.
func (f *Folder) run(e *entry) {
	defer close(e.done)
	e.server, e.err = f.launch(e.ctx, e.lang)
	if e.err != nil {
		if e.ctx.Err() != nil {
			e.err = errClosed
		}
		f.pool.end(e, true) // a request after this one starts another server
		close(e.ready)
		return
	}
	close(e.ready)
	select {
	case <-e.server.conn.ended:
	case <-e.server.process.Done():
	case <-e.ctx.Done():
	}
	f.pool.end(e, true)
	e.server.process.Close()
}

// hasEnded reports whether the server of an entry no longer answers.
func (e *entry) hasEnded() bool {
	s := e.running()
	if s == nil {
		return false
	}
	select {
	case <-s.conn.ended:
		return true
	default:
		return false
	}
}

// launch starts a server in the sandbox of read-only commands.
func (f *Folder) launch(ctx context.Context, lang Language) (*server, error) {
	program, err := f.Find(lang)
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(f.Cache, "language-servers", lang.Program)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("no cache for %s: %w", lang.Program, err)
	}
	cache = fsutil.ResolveLinks(cache)
	confined := f.Confined()
	confined.Policy.Temp = cache // the only folder that the server may write
	environ := sandbox.WithSafePath(f.Environ(), f.Root)
	for _, variable := range append(lang.environ, "TMPDIR="+cache, "XDG_CACHE_HOME="+cache) {
		environ = append(environ, strings.ReplaceAll(variable, "$CACHE", cache))
	}
	says := &shell.HeadWriter{Most: complaintBytes}
	process, err := shell.StartService(ctx, shell.ServiceCommand{
		Path: program, Args: lang.Args, Dir: f.Root, Env: environ, Confined: confined, Profile: sandbox.ProfileReadOnly,
	}, says)
	if err != nil {
		return nil, fmt.Errorf("can't start %s: %w", lang.Program, err)
	}
	if f.Started != nil {
		f.Started(strings.Join(append([]string{lang.Program}, lang.Args...), " "), confined)
	}
	s, err := newServer(ctx, lang, program, f.Root, process, says)
	if err != nil {
		err = s.explain(err)
		process.Close()
		return nil, err
	}
	return s, nil
}

// end calls drop with the lock.
func (p *Pool) end(e *entry, crashed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(e, crashed)
}

// drop removes an entry and ends its server. crashed is set if the server has ended by itself. Only
// the first call for an entry counts. The caller holds the lock.
func (p *Pool) drop(e *entry, crashed bool) {
	at := slices.Index(p.running, e)
	if at < 0 {
		return
	}
	p.running = slices.Delete(p.running, at, at+1)
	if crashed {
		if p.crashes == nil {
			p.crashes = map[key]int{}
		}
		p.crashes[e.key]++
	}
	e.idle.Stop()
	e.cancel()
}

// spare ends servers, the least recently used first, until their number and their memory are within
// the limits. It never ends the server of the entry but. The caller holds the lock.
func (p *Pool) spare(but *entry) {
	sizes := memory()
	slices.SortStableFunc(p.running, func(a, b *entry) int { return a.used.Compare(b.used) })
	for {
		var sum int64
		oldest := -1
		for i, e := range p.running {
			if s := e.running(); s != nil {
				sum += sizes(s.process.PID())
			}
			if oldest < 0 && e != but && e.running() != nil {
				oldest = i
			}
		}
		if oldest < 0 || len(p.running) <= maxServers && sum <= maxMemory {
			return
		}
		p.drop(p.running[oldest], false)
	}
}

// Close ends the view of a conversation. The last one in a folder ends the servers of the folder.
func (f *Folder) Close() {
	p := f.pool
	p.mu.Lock()
	p.open = slices.DeleteFunc(p.open, func(o *Folder) bool { return o == f })
	var ending []*entry
	if !slices.ContainsFunc(p.open, func(o *Folder) bool { return o.Root == f.Root }) {
		for _, e := range slices.Clone(p.running) {
			if e.root == f.Root {
				p.drop(e, false)
				ending = append(ending, e)
			}
		}
		maps.DeleteFunc(p.crashes, func(k key, _ int) bool { return k.root == f.Root })
	}
	p.mu.Unlock()
	for _, e := range ending {
		<-e.done
	}
}

// A SymbolPosition is the name that a request is about. It consists of the file, and the offset of the name
// in the content.
type SymbolPosition struct {
	Path    string
	Content []byte
	At      int
	// Mentions are files that the server opens before the request. Only the first 63 are used.
	Mentions []string
}

// An Answer holds the places that a server returned.
type Answer struct {
	Places []Location
	// Total counts all places of the answer. Places contains at most 5000 of them.
	Total int
	// Edits are the edits of a rename, by file.
	Edits map[string][]Edit
	// Text is the description of a name in the server's words.
	Text string
	// Notes explain why the answer may be incomplete or outdated.
	Notes []string
}

// ErrNoServer is the error for a file in a language without a server.
var ErrNoServer = errors.New("no language server supports this kind of file")

// Definition returns the places where a name is declared.
func (f *Folder) Definition(ctx context.Context, t SymbolPosition) (Answer, error) {
	return f.places(ctx, t, false, "textDocument/definition", nil)
}

// References returns the places where a name is used or declared.
func (f *Folder) References(ctx context.Context, t SymbolPosition) (Answer, error) {
	return f.places(ctx, t, true, "textDocument/references", map[string]any{"context": map[string]bool{"includeDeclaration": true}})
}

func (f *Folder) places(ctx context.Context, t SymbolPosition, uses bool, method string, more map[string]any) (a Answer, err error) {
	a.Notes, err = f.ask(ctx, t, uses, func(ctx context.Context, s *server, at map[string]any) error {
		maps.Copy(at, more)
		result, err := s.conn.call(ctx, method, at)
		if err == nil {
			a.Places, a.Total, err = placesOf(result, s.inBytes)
		}
		return err
	})
	slices.SortStableFunc(a.Places, func(x, y Location) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), cmp.Compare(x.at.Start.Line, y.at.Start.Line), cmp.Compare(x.at.Start.Character, y.at.Start.Character))
	})
	return a, err
}

// Callers returns the calls of a function. Each place contains the name of the calling function.
func (f *Folder) Callers(ctx context.Context, t SymbolPosition) (a Answer, err error) {
	a.Notes, err = f.ask(ctx, t, true, func(ctx context.Context, s *server, at map[string]any) error {
		items, err := list(s.conn.call(ctx, "textDocument/prepareCallHierarchy", at))
		if err != nil {
			return err
		}
		a.Places = nil
		for _, item := range items {
			calls, err := list(s.conn.call(ctx, "callHierarchy/incomingCalls", map[string]any{"item": item}))
			if err != nil {
				return err
			}
			if err := a.addCalls(calls, s.inBytes); err != nil {
				return err
			}
		}
		return nil
	})
	a.Total = len(a.Places)
	return a, err
}

// Rename returns the edits that rename a name to name.
func (f *Folder) Rename(ctx context.Context, t SymbolPosition, name string) (a Answer, err error) {
	a.Notes, err = f.ask(ctx, t, true, func(ctx context.Context, s *server, at map[string]any) error {
		at["newName"] = name
		result, err := s.conn.call(ctx, "textDocument/rename", at)
		if err == nil {
			a.Edits, err = editsOf(result, s.inBytes)
		}
		return err
	})
	return a, err
}

// Describe returns the type and the documentation of a name.
func (f *Folder) Describe(ctx context.Context, t SymbolPosition) (a Answer, err error) {
	a.Notes, err = f.ask(ctx, t, false, func(ctx context.Context, s *server, at map[string]any) error {
		result, err := s.conn.call(ctx, "textDocument/hover", at)
		if err == nil {
			a.Text, err = hoverOf(result)
		}
		return err
	})
	return a, err
}

// A questionFunc asks a server about the target that the request parameters at identify.
type questionFunc func(ctx context.Context, s *server, at map[string]any) error

// ask calls question with the server of a target, and with the request parameters that identify the
// target. For the uses of a name, it asks twice if a second answer can contain uses that the first
// one lacks.
func (f *Folder) ask(ctx context.Context, t SymbolPosition, uses bool, question questionFunc) (notes []string, err error) {
	lang, known := LanguageOf(t.Path)
	if !known {
		return nil, ErrNoServer
	}
	s, err := f.server(ctx, lang)
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context) ([]string, error) { return f.Files(ctx, lang.concerns) }
	notes, err = s.ask(ctx, list, t, func(ctx context.Context) error {
		at := map[string]any{"textDocument": map[string]any{"uri": uriOf(t.Path)}, "position": positionOf(t.Content, t.At, s.inBytes)}
		err := question(ctx, s, at)
		if err == nil && uses && lang.grows {
			err = question(ctx, s, at)
		}
		return err
	})
	f.pool.mu.Lock()
	f.pool.spare(nil)
	f.pool.mu.Unlock()
	return notes, err
}
