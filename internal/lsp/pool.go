package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/sandbox"
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
	running map[key]*server
	// crashes counts the unexpected ends of servers, until the last conversation in a folder ends.
	crashes map[key]int
}

type key struct{ root, language string }

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
	for _, lang := range Languages {
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
	for _, lang := range Languages {
		id := key{f.Root, lang.Name}
		if s := f.pool.running[id]; s != nil && s.started {
			line := fmt.Sprintf("%s (%s), running for %s, %s", lang.Program, lang.Name, humanize.Duration(time.Since(s.since)), humanize.Count(s.asked, "question"))
			if size := memory(s.process.PID()); size > 0 {
				line += ", " + humanize.Bytes(size)
			}
			lines = append(lines, line)
		} else if n := f.pool.crashes[id]; n > 0 {
			next := "The next call of the tool symbol starts it again"
			if n >= maxFailures {
				next = "To use it again, start a new session"
			}
			lines = append(lines, fmt.Sprintf("%s (%s), not running: it crashed %s. %s", lang.Program, lang.Name, humanize.Count(n, "time"), next))
		}
	}
	return lines
}

var errClosed = errors.New("the conversation has ended")

// server returns the server of a language. If there is none, it starts one.
func (f *Folder) server(lang Language) (*server, error) {
	program, err := Find(lang, f.Root, f.Environ())
	if err != nil {
		return nil, err
	}
	p, id := f.pool, key{f.Root, lang.Name}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.running[id]
	switch {
	case s != nil:
	case !slices.Contains(p.open, f):
		return nil, errClosed
	case p.crashes[id] >= maxFailures:
		return nil, fmt.Errorf("%s crashed %d times; agent does not restart it in this session", lang.Program, p.crashes[id])
	default:
		s = newServer(id, lang)
		s.idle = time.AfterFunc(idleTime, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.drop(s)
		})
		if p.running == nil {
			p.running, p.crashes = map[key]*server{}, map[key]int{}
		}
		p.running[id] = s
		go f.run(s, program)
	}
	s.used = time.Now()
	s.asked++
	s.idle.Reset(idleTime)
	p.spare(s)
	return s, nil
}

// run starts a server and waits for its end. It does not use the context of a request or of a
// conversation, because others may wait for the server.
func (f *Folder) run(s *server, program string) {
	defer close(s.done)
	p := f.pool
	if s.err = s.launch(f, program); s.err != nil {
		defer close(s.ready) // a request after this one starts another server
		if s.ctx.Err() != nil {
			s.err = errClosed
		}
	} else {
		defer s.process.Close()
		p.mu.Lock()
		s.started = true
		p.mu.Unlock()
		close(s.ready)
		select {
		case <-s.conn.Done():
		case <-s.process.Done():
		case <-s.ctx.Done():
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.ctx.Err() == nil {
		p.crashes[s.key]++
	}
	p.drop(s)
}

// drop ends a server. The caller holds the lock.
func (p *Pool) drop(s *server) {
	if p.running[s.key] == s {
		delete(p.running, s.key)
	}
	s.idle.Stop()
	s.cancel()
}

// spare ends servers, the least recently used first, until their number and their memory are within
// the limits. It never ends the server but. The caller holds the lock.
func (p *Pool) spare(but *server) {
	for {
		var sum int64
		var oldest *server
		for _, s := range p.running {
			if s.started {
				sum += memory(s.process.PID())
				if s != but && (oldest == nil || s.used.Before(oldest.used)) {
					oldest = s
				}
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
	var ending []*server
	if !slices.ContainsFunc(p.open, func(o *Folder) bool { return o.Root == f.Root }) {
		for _, s := range p.running {
			if s.root == f.Root {
				p.drop(s)
				ending = append(ending, s)
			}
		}
		maps.DeleteFunc(p.crashes, func(k key, _ int) bool { return k.root == f.Root })
	}
	p.mu.Unlock()
	for _, s := range ending {
		<-s.done
	}
}
