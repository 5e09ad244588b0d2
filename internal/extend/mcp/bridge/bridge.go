// Package bridge offers the tools, prompts and resources of MCP servers to the model and the user.
//
// A Bridge gets the definitions of tools from the catalog, so that it connects to a server only at
// first use. In the background it connects to servers that are not in the catalog yet. WaitReady
// freezes the list of offered tools, which then stays the same for the session. The list contains
// mcp_find, mcp_call and mcp_read, which reach all servers. It also contains the tools of the
// servers that fit into every request. Source returns the tools to the tool runner. Results of
// calls are limited.
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

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/extend/setup/servers"
)

// Server is a configured server.
type Server struct {
	Configured *servers.Server
	// Unused is the reason why the server is not used, empty if it is used.
	Unused string
}

// Source describes in a word or two where the server is configured.
func (s Server) Source() string {
	switch s.Configured.Origin {
	case servers.OriginFlag:
		return "--mcp-config"
	case servers.OriginEditor:
		return "the editor"
	case servers.OriginProject:
		return ".mcp.json"
	case servers.OriginPlugin:
		return "a plugin"
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

// Config configures a Bridge. Its functions are safe for concurrent use.
type Config struct {
	Servers []Server
	// Connect returns the connection to a server. It connects if necessary.
	Connect func(ctx context.Context, server string) (Connection, error)
	Store   catalogue.Store
	// Window is the size of the model's context window in tokens.
	Window func() int
	// Choice returns the rule by which tools are offered directly.
	Choice func() catalogue.OfferRule
	// ResultTokens limits a result, in tokens.
	ResultTokens func() int
	// OnFreeze is called with the offered tools whenever they are frozen, so that they can be
	// recorded. It may be nil.
	OnFreeze func([]OfferedTool)
}

// Bridge offers the tools of the servers of a conversation. It is safe for concurrent use.
type Bridge struct {
	Config

	// end ends the background work.
	end     context.CancelFunc
	ctx     context.Context
	working sync.WaitGroup

	mu     sync.Mutex
	states []*state
	// offered lists the tools that the model is offered.
	offered []OfferedTool
	// frozen is set after which changes of servers no longer change offered.
	frozen bool
	// revision counts the changes of the tools that can be called.
	revision uint64
	// offerRevision counts the changes of offered.
	offerRevision uint64
	// settled is closed when no first connection to a server is pending.
	settled chan struct{}
	// news maps servers to the tools that were added and removed since the model last received the
	// list of tools.
	news map[string]*news
	// added holds the names of the tools whose definitions the model has received. room is the
	// number of tokens that further definitions may use.
	added map[string]bool
	room  int
}

// news holds the names of tools, in the form for the model, that were added and removed.
type news struct{ came, went []string }

// state is the state of a server.
type state struct {
	Server
	known catalogue.ServerInfo
	// pending is set until the first connection to the server has ended.
	pending bool
}

// New returns a bridge with the stored data of the servers. Start connects to the other servers.
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

// load reads the stored data of a server. A server without stored data becomes pending.
func (st *state) load(from catalogue.Store) {
	st.known, _ = from.Load(st.Configured.Name, st.Configured.Fields)
	st.pending = !st.known.WasConnected()
}

// Start connects, in the background, to the servers without stored data.
func (b *Bridge) Start() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, st := range b.states {
		if st.pending {
			b.working.Go(func() { _ = b.ask(b.ctx, st) })
		}
	}
}

// SetUnused sets whether a server is used from now on. unused is the reason not to use it, or empty to
// use it.
func (b *Bridge) SetUnused(server, unused string) {
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
	if unused == "" && !st.known.WasConnected() && b.ctx.Err() == nil {
		if st.load(b.Store); st.pending {
			b.settled = make(chan struct{})
			b.working.Go(func() { _ = b.ask(b.ctx, st) })
		}
	}
	if unused == "" && st.known.WasConnected() && b.frozen {
		b.noteNews(st, catalogue.ServerInfo{})
	}
	b.noteChange()
}

// Close stops the background work and waits until it has ended.
func (b *Bridge) Close() {
	b.end()
	b.working.Wait()
}

// OnServerChanged reads the lists of a server again. It is called after tools, prompts or resources of the
// server have changed.
func (b *Bridge) OnServerChanged(server string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if st := b.state(server); st != nil && st.Unused == "" && b.ctx.Err() == nil {
		b.working.Go(func() { _ = b.ask(b.ctx, st) })
	}
}

// patience is the time limit for listing the prompts and resources of a server.
const patience = 10 * time.Second

// ask connects to a server and reads its tools, prompts and resources.
func (b *Bridge) ask(ctx context.Context, st *state) error {
	connection, err := b.Connect(ctx, st.Configured.Name)
	var listing catalogue.Listing
	if err == nil {
		listing, err = FetchListing(ctx, connection)
	}
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		st.pending, st.known.Failed = false, err.Error()
		if ctx.Err() == nil {
			b.save(st)
		}
		b.noteChange()
		return err
	}
	b.learn(st, catalogue.CleanListing(st.Configured.Name, listing, st.Configured.UsesTool))
	return nil
}

// FetchListing returns everything that a server offers. It ignores failures to list prompts and resources.
func FetchListing(ctx context.Context, c Connection) (catalogue.Listing, error) {
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

// learn replaces the data of a server, and records new tools for the model.
func (b *Bridge) learn(st *state, known catalogue.ServerInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := st.known
	st.known, st.pending = known.WithChangesSince(before), false
	b.save(st)
	if b.frozen {
		b.noteNews(st, before)
	}
	b.noteChange()
}

// save stores the data of a server. It ignores failures, because the data can be read from the
// server again.
func (b *Bridge) save(st *state) {
	_ = b.Store.Save(st.Configured.Name, st.Configured.Fields, st.known)
}

// noteNews records for the model which tools of a server were added and removed.
func (b *Bridge) noteNews(st *state, before catalogue.ServerInfo) {
	if b.news == nil {
		b.news = map[string]*news{}
	}
	old := b.news[st.Configured.Name]
	if old == nil {
		old = &news{}
	}
	now := &news{}
	for _, t := range st.known.Tools {
		if _, had := before.Tool(t.Name); !had && !slices.Contains(old.went, t.Shown) {
			now.came = append(now.came, t.Shown)
		}
	}
	// If a server changes its list repeatedly, the additions that still exist are merged into one
	// message.
	for _, name := range old.came {
		if _, has := st.known.Tool(name); has && !slices.Contains(now.came, name) {
			now.came = append(now.came, name)
		}
	}
	gone := slices.Clone(old.went)
	for _, t := range before.Tools {
		gone = append(gone, t.Shown)
	}
	for _, name := range gone {
		if !slices.ContainsFunc(st.known.Tools, func(t catalogue.Tool) bool { return t.Shown == name }) &&
			!slices.Contains(old.came, name) && !slices.Contains(now.went, name) {
			now.went = append(now.went, name)
		}
	}
	b.news[st.Configured.Name] = now
}

// Update is a message for the model about the tools of a server. Added holds the definitions of new
// tools that the model may call directly. Removed holds the direct names of removed tools.
type Update struct {
	Line    string
	Added   []OfferedTool
	Removed []string
}

// Updates returns a message for each server whose tools changed since the last call.
func (b *Bridge) Updates() (all []Update) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, st := range b.states {
		server := st.Configured.Name
		of := b.news[server]
		if of == nil {
			continue
		}
		if len(of.came) > 0 {
			line := fmt.Sprintf("%s now also offers: %s. Call them with mcp_call.", server, someOf(of.came))
			all = append(all, Update{Line: line, Added: b.addable(st, of.came)})
		}
		if len(of.went) > 0 {
			n := Update{Line: fmt.Sprintf("%s no longer offers: %s.", server, someOf(of.went))}
			for _, shown := range of.went {
				if name := catalogue.DirectName(server, shown); b.added[name] || b.offers(name) {
					n.Removed = append(n.Removed, name)
				}
			}
			all = append(all, n)
		}
	}
	b.news = nil
	return all
}

// addable returns the definitions of new tools of a server if all of them fit into the remaining
// tokens. Otherwise it returns none, and the model calls the tools with mcp_call.
func (b *Bridge) addable(st *state, shown []string) (added []OfferedTool) {
	if b.Choice() == catalogue.OfferSearch {
		return nil
	}
	need := 0
	for _, t := range st.known.Tools {
		name := catalogue.DirectName(st.Configured.Name, t.Shown)
		switch {
		case !slices.Contains(shown, t.Shown):
		case t.Long:
			return nil
		default:
			if !b.added[name] && !b.offers(name) { // a tool that is not offered needs tokens for its definition
				need += t.Tokens()
			}
			added = append(added, OfferedTool{name, t.Description, t.Schema})
		}
	}
	if need > b.room {
		return nil
	}
	b.room -= need
	for _, t := range added {
		b.added[t.Name] = true
	}
	return added
}

// offers reports whether every request contains the definition of a tool. The caller holds the
// lock.
func (b *Bridge) offers(name string) bool {
	return slices.ContainsFunc(b.offered, func(o OfferedTool) bool { return o.Name == name })
}

// maxNames is the greatest length of a list of names, in bytes.
const maxNames = 1 << 10

// someOf joins names to a list of limited length.
func someOf(names []string) string {
	size := 0
	for i, name := range names {
		if size += len(name) + 2; size > maxNames {
			return strings.Join(names[:i], ", ") + fmt.Sprintf(" and %d more", len(names)-i)
		}
	}
	return strings.Join(names, ", ")
}

// noteChange updates the revision and the offer after a change of the servers' data. The caller
// holds the lock.
func (b *Bridge) noteChange() {
	b.revision++
	if !b.frozen {
		b.offered = b.choose()
		b.offerRevision++
	}
	b.settle()
}

// settle closes settled if no server is pending.
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

// Pending returns the servers whose first connection has not ended.
func (b *Bridge) Pending() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for _, st := range b.states {
		if st.pending {
			names = append(names, st.Configured.Name)
		}
	}
	return names
}

// WaitReady waits until no server is pending, at most for the duration wait, and freezes the
// offered tools. It returns the servers that are still pending.
func (b *Bridge) WaitReady(ctx context.Context, wait time.Duration) (late []string) {
	if b.IsFrozen() {
		return nil
	}
	if !b.settles(ctx, wait) {
		return nil
	}
	late = b.Pending()
	b.freeze()
	return late
}

// IsFrozen reports whether the offered tools are frozen.
func (b *Bridge) IsFrozen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.frozen
}

// state returns the state of a server, or nil if there is no such server.
func (b *Bridge) state(name string) *state {
	if i := slices.IndexFunc(b.states, func(st *state) bool { return st.Configured.Name == name }); i >= 0 {
		return b.states[i]
	}
	return nil
}

// errStarting is the error for a server that is still pending.
var errStarting = errors.New("is still starting; call it again later")

// startPatience is the greatest time to wait for servers that are starting.
const startPatience = 30 * time.Second

// settles waits until no server is pending, at most for the duration wait. It returns false if ctx
// ends first.
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

// usable returns a server that can be called, with its data. It waits for a pending server. The
// error is the reason why a server cannot be called.
func (b *Bridge) usable(ctx context.Context, name string) (*state, catalogue.ServerInfo, error) {
	st := b.state(name)
	if st == nil {
		var names []string
		for _, st := range b.states {
			if st.Unused == "" {
				names = append(names, st.Configured.Name)
			}
		}
		return nil, catalogue.ServerInfo{}, fmt.Errorf("unknown server %q%s; servers: %s", humanize.Line(name, 60), suggest.Question(name, names), someOf(names))
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
		return nil, catalogue.ServerInfo{}, fmt.Errorf("%s is not used: %s", name, st.Unused)
	case st.pending:
		return nil, catalogue.ServerInfo{}, fmt.Errorf("%s %w", name, errStarting)
	case !st.known.WasConnected():
		return nil, catalogue.ServerInfo{}, fmt.Errorf("%s cannot be used: %s", name, st.known.Failed)
	}
	return st, st.known, nil
}
