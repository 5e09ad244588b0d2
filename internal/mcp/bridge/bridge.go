// Package bridge brings what servers offer to a model and a person: their tools as a
// source of tools that stays as it is for a session, results within bounds, prompts and
// resources. Definitions come from the catalogue, so that no server is connected before
// it is used; one that is not known yet is asked in the background.
package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/mcp"
	"agent/internal/mcp/catalogue"
	"agent/internal/nearest"
	"agent/internal/setup/servers"
	"agent/internal/words"
)

// Server is a configured server.
type Server struct {
	*servers.Server
	// Unused is why it is not used, empty if it is.
	Unused string
}

// From says where the server is configured, in a word or two.
func (s Server) From() string {
	switch s.Origin {
	case servers.Flag:
		return "--mcp-config"
	case servers.Editor:
		return "the editor"
	case servers.Project:
		return ".mcp.json"
	}
	return "yours"
}

// Connection is a connection to a server.
type Connection interface {
	Tools(ctx context.Context) ([]mcp.Tool, error)
	Prompts(ctx context.Context) ([]mcp.Prompt, error)
	Resources(ctx context.Context) ([]mcp.Resource, error)
	Call(ctx context.Context, tool string, arguments json.RawMessage, progress func(mcp.Progress)) (mcp.Result, error)
	Prompt(ctx context.Context, name string, arguments map[string]string) (mcp.Result, error)
	Read(ctx context.Context, uri string) (mcp.Result, error)
	Protocol() string
	Version() string
	Instructions() string
}

// Config is what a bridge is made of. Its functions are safe for parallel use.
type Config struct {
	Servers []Server
	// Connect returns the connection to a server, which it makes where there is none.
	Connect func(ctx context.Context, server string) (Connection, error)
	Store   catalogue.Store
	// Window is the size of the model's window in tokens.
	Window func() int
	// Choice says whose tools are offered directly, ResultTokens bounds a result.
	Choice       func() catalogue.Choice
	ResultTokens func() int
	// Kept is called with what is offered from now on; nil keeps nothing.
	Kept func([]Offered)
}

// Bridge is what servers offer in a conversation. It is safe for parallel use.
type Bridge struct {
	Config

	// listing ends the background work.
	end     context.CancelFunc
	ctx     context.Context
	working sync.WaitGroup

	mu     sync.Mutex
	states []*state
	// offered is what the model is offered; until it is frozen it follows what is known.
	offered []Offered
	frozen  bool
	// revision counts the changes of what can be called, stamp those of what is offered.
	revision, stamp uint64
	// settled is closed when no server is waited for.
	settled chan struct{}
	// news are lines for the model about what is offered since the array was frozen.
	news []string
}

// state is what is known of a server now.
type state struct {
	Server
	known catalogue.Known
	// pending is set while it is asked for the first time.
	pending bool
}

// New makes a bridge that knows what the store does. Start asks the others.
func New(config Config) *Bridge {
	b := &Bridge{Config: config, settled: make(chan struct{}), revision: 1}
	for _, s := range config.Servers {
		st := &state{Server: s}
		if s.Unused == "" {
			st.load(config.Store)
		}
		b.states = append(b.states, st)
	}
	b.ctx, b.end = context.WithCancel(context.Background())
	b.settle()
	return b
}

// load reads what is known of a server that is used. One that was never asked is asked.
func (st *state) load(from catalogue.Store) {
	st.known, _ = from.Load(st.Name, st.Fields)
	st.pending = !st.known.Asked()
}

// Start asks the servers that are not known, in the background.
func (b *Bridge) Start() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, st := range b.states {
		if st.pending {
			b.working.Go(func() { _ = b.ask(b.ctx, st) })
		}
	}
}

// Use says whether a server is used from now on; unused is why it is not.
func (b *Bridge) Use(server, unused string) {
	st := b.state(server)
	if st == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if (st.Unused == "") == (unused == "") {
		st.Unused = unused
		return
	}
	st.Unused = unused
	if unused == "" && !st.known.Asked() && b.ctx.Err() == nil {
		if st.load(b.Store); st.pending {
			b.settled = make(chan struct{})
			b.working.Go(func() { _ = b.ask(b.ctx, st) })
		}
	}
	if unused == "" && st.known.Asked() && b.frozen {
		b.tell(st, catalogue.Known{})
	}
	b.changed()
}

// Close ends what is done in the background and waits for it.
func (b *Bridge) Close() {
	b.end()
	b.working.Wait()
}

// Changed says that a server has other tools, prompts or resources than before.
func (b *Bridge) Changed(server string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if st := b.state(server); st != nil && st.Unused == "" && b.ctx.Err() == nil {
		b.working.Go(func() { _ = b.ask(b.ctx, st) })
	}
}

// patience bounds what a server may take to list what it offers besides its tools.
const patience = 10 * time.Second

// ask connects to a server and notes what it offers.
func (b *Bridge) ask(ctx context.Context, st *state) error {
	connection, err := b.Connect(ctx, st.Name)
	var listing catalogue.Listing
	if err == nil {
		listing, err = List(ctx, connection)
	}
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		st.pending, st.known.Failed = false, err.Error()
		if ctx.Err() == nil {
			b.save(st)
		}
		b.changed()
		return err
	}
	b.learn(st, catalogue.Take(st.Name, listing, st.Uses))
	return nil
}

// List asks a server for all that it offers. Prompts and resources that it does not list
// are no error.
func List(ctx context.Context, c Connection) (catalogue.Listing, error) {
	l := catalogue.Listing{Protocol: c.Protocol(), Version: c.Version(), Instructions: c.Instructions()}
	var err error
	if l.Tools, err = c.Tools(ctx); err != nil {
		return l, err
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	l.Prompts, _ = c.Prompts(ctx)
	l.Resources, _ = c.Resources(ctx)
	return l, nil
}

// learn notes what a server offers now.
func (b *Bridge) learn(st *state, known catalogue.Known) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := st.known
	st.known, st.pending = known.Since(before), false
	b.save(st)
	if b.frozen {
		b.tell(st, before)
	}
	b.changed()
}

// save keeps what is known of a server. A cache that cannot be written is no failure of
// anything: the server is asked again.
func (b *Bridge) save(st *state) { _ = b.Store.Save(st.Name, st.Fields, st.known) }

// tell notes for the model what a server offers that it did not offer before.
func (b *Bridge) tell(st *state, before catalogue.Known) {
	var names []string
	for _, t := range st.known.Tools {
		if _, had := before.Tool(t.Name); !had {
			names = append(names, t.Shown)
		}
	}
	if len(names) > 0 {
		b.news = append(b.news, fmt.Sprintf("%s now also offers: %s. Call them with mcp_call.", st.Name, someOf(names)))
	}
}

// News returns what the model has not been told yet of what servers offer, and forgets it.
func (b *Bridge) News() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := b.news
	b.news = nil
	return news
}

// maxNames bounds a list of names, in bytes.
const maxNames = 1 << 10

// someOf are names within a bound.
func someOf(names []string) string {
	size := 0
	for i, name := range names {
		if size += len(name) + 2; size > maxNames {
			return strings.Join(names[:i], ", ") + fmt.Sprintf(" and %d more", len(names)-i)
		}
	}
	return strings.Join(names, ", ")
}

// changed counts a change. The lock is held.
func (b *Bridge) changed() {
	b.revision++
	if !b.frozen {
		b.offered = b.choose()
		b.stamp++
	}
	b.settle()
}

// settle lets those go on that wait for servers, if all have been asked.
func (b *Bridge) settle() {
	if slices.ContainsFunc(b.states, func(st *state) bool { return st.pending }) {
		return
	}
	select {
	case <-b.settled:
	default:
		close(b.settled)
	}
}

// Pending are the servers that are asked for the first time now.
func (b *Bridge) Pending() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for _, st := range b.states {
		if st.pending {
			names = append(names, st.Name)
		}
	}
	return names
}

// Ready waits until all servers have been asked or the time is over, and freezes what is
// offered. It returns the servers that are late.
func (b *Bridge) Ready(ctx context.Context, wait time.Duration) (late []string) {
	if b.Frozen() {
		return nil
	}
	if !b.settles(ctx, wait) {
		return nil
	}
	late = b.Pending()
	b.freeze()
	return late
}

// Frozen reports whether what is offered stays as it is.
func (b *Bridge) Frozen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.frozen
}

// state returns what is known of a server, nil where there is none.
func (b *Bridge) state(name string) *state {
	if i := slices.IndexFunc(b.states, func(st *state) bool { return st.Name == name }); i >= 0 {
		return b.states[i]
	}
	return nil
}

// errStarting is why a server cannot be called yet.
var errStarting = errors.New("is still starting; call it again later")

// startPatience bounds the wait for servers that start.
const startPatience = 30 * time.Second

// settles waits until all servers have been asked or the time is over. It reports false
// when ctx ends before.
func (b *Bridge) settles(ctx context.Context, wait time.Duration) bool {
	b.mu.Lock()
	settled := b.settled
	b.mu.Unlock()
	select {
	case <-settled:
	case <-time.After(wait):
	case <-ctx.Done():
		return false
	}
	return true
}

// usable returns a server that can be called, and a copy of what is known of it; else why
// it cannot. It waits for one that starts.
func (b *Bridge) usable(ctx context.Context, name string) (*state, catalogue.Known, error) {
	st := b.state(name)
	if st == nil {
		var names []string
		for _, st := range b.states {
			if st.Unused == "" {
				names = append(names, st.Name)
			}
		}
		return nil, catalogue.Known{}, fmt.Errorf("there is no server %q%s; there are: %s", words.Line(name, 60), nearest.Question(name, names), someOf(names))
	}
	b.mu.Lock()
	pending := st.pending
	b.mu.Unlock()
	if pending {
		b.settles(ctx, startPatience)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case st.Unused != "":
		return nil, catalogue.Known{}, fmt.Errorf("%s is not used: %s", name, st.Unused)
	case st.pending:
		return nil, catalogue.Known{}, fmt.Errorf("%s %w", name, errStarting)
	case !st.known.Asked():
		return nil, catalogue.Known{}, fmt.Errorf("%s cannot be used: %s", name, st.known.Failed)
	}
	return st, st.known, nil
}
