package lsp

import (
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
	"agent/internal/base/humanize"
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
	running map[key]*entry
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

	since, used time.Time
	asked       int
	idle        *time.Timer
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

// Installed returns the languages whose server can be started.
func (f *Folder) Installed() (all []Language) {
	environ := f.Environ()
	for _, lang := range languages {
		if _, err := Find(lang, f.Root, environ); err == nil {
			all = append(all, lang)
		}
	}
	return all
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

// Servers describes the running and the crashed servers of the folder, a line each.
func (f *Folder) Servers() (lines []string) {
	f.pool.mu.Lock()
	defer f.pool.mu.Unlock()
	for _, lang := range languages {
		id := key{f.Root, lang.Name}
		if e := f.pool.running[id]; e.started() {
			line := fmt.Sprintf("%s (%s), running for %s, %s", lang.Program, lang.Name, humanize.Duration(time.Since(e.since)), humanize.Count(e.asked, "question"))
			if size := memory(e.server.process.PID()); size > 0 {
				line += ", " + humanize.Bytes(size)
			}
			lines = append(lines, line)
		} else if n := f.pool.crashes[id]; n > 0 {
			lines = append(lines, fmt.Sprintf("%s (%s), not running after %s", lang.Program, lang.Name, humanize.Count(n, "crash")))
		}
	}
	return lines
}

// started reports whether the server of an entry has started.
func (e *entry) started() bool {
	if e == nil {
		return false
	}
	select {
	case <-e.ready:
		return e.server != nil
	default:
		return false
	}
}

var errClosed = errors.New("the conversation has ended")

// entry returns the entry of a language. Without one, it starts a server.
func (f *Folder) entry(lang Language) (*entry, error) {
	program, err := Find(lang, f.Root, f.Environ())
	if err != nil {
		return nil, err
	}
	p, id := f.pool, key{f.Root, lang.Name}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.running[id]
	switch {
	case e != nil:
	case !slices.Contains(p.open, f):
		return nil, errClosed
	case p.crashes[id] >= maxFailures:
		return nil, fmt.Errorf("%s crashed %d times; agent does not restart it in this session", lang.Program, p.crashes[id])
	default:
		e = &entry{key: id, lang: lang, since: time.Now(), ready: make(chan struct{}), done: make(chan struct{})}
		e.ctx, e.cancel = context.WithCancel(context.Background())
		e.idle = time.AfterFunc(idleTime, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.drop(e)
		})
		if p.running == nil {
			p.running, p.crashes = map[key]*entry{}, map[key]int{}
		}
		p.running[id] = e
		go f.run(e, program)
	}
	e.used = time.Now()
	e.asked++
	e.idle.Reset(idleTime)
	p.spare(e)
	return e, nil
}

// run starts the server of an entry and waits for its end. It does not use the context of a request
// or of a conversation, because others may wait for the server.
func (f *Folder) run(e *entry, program string) {
	defer close(e.done)
	if e.server, e.err = f.launch(e.ctx, e.lang, program); e.err != nil {
		defer close(e.ready) // a request after this one starts another server
		if e.ctx.Err() != nil {
			e.err = errClosed
		}
	} else {
		defer e.server.process.Close()
		close(e.ready)
		select {
		case <-e.server.conn.Done():
		case <-e.server.process.Done():
		case <-e.ctx.Done():
		}
	}
	f.pool.mu.Lock()
	defer f.pool.mu.Unlock()
	if e.ctx.Err() == nil {
		f.pool.crashes[e.key]++
	}
	f.pool.drop(e)
}

// launch starts a server in the sandbox of read-only commands.
func (f *Folder) launch(ctx context.Context, lang Language, program string) (*server, error) {
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
		process.Close()
		return nil, s.explain(err)
	}
	return s, nil
}

// drop ends the server of an entry. The caller holds the lock.
func (p *Pool) drop(e *entry) {
	if p.running[e.key] == e {
		delete(p.running, e.key)
	}
	e.idle.Stop()
	e.cancel()
}

// spare ends servers, the least recently used first, until their number and their memory are within
// the limits. It never ends the server of the entry but. The caller holds the lock.
func (p *Pool) spare(but *entry) {
	for {
		var sum int64
		var oldest *entry
		for _, e := range p.running {
			if !e.started() {
				continue
			}
			sum += memory(e.server.process.PID())
			if e != but && (oldest == nil || e.used.Before(oldest.used)) {
				oldest = e
			}
		}
		if oldest == nil || len(p.running) <= maxServers && sum <= maxMemory {
			return
		}
		p.drop(oldest)
	}
}

// Close ends the view of a conversation. The last one in a folder ends the servers of the folder.
func (f *Folder) Close() {
	p := f.pool
	p.mu.Lock()
	p.open = slices.DeleteFunc(p.open, func(o *Folder) bool { return o == f })
	var ending []*entry
	if !slices.ContainsFunc(p.open, func(o *Folder) bool { return o.Root == f.Root }) {
		for _, e := range p.running {
			if e.root == f.Root {
				p.drop(e)
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
