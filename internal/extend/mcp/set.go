package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Set holds the servers of a conversation. It is safe for concurrent use.
type Set struct {
	host  Host
	slots map[string]*slot
	// life is the context of the set. Close cancels it.
	life context.Context
	end  context.CancelFunc
}

// slot is a server of a set, connected or not.
type slot struct {
	server Server
	// busy is a lock that is held while the connection is made or closed.
	busy chan struct{}

	mu     sync.Mutex
	client *Client
	// ends holds the times within pauseWhile when its program ended or failed to start.
	ends []time.Time
}

var (
	// pauses lists the pauses before a program that ended is started again. Within pauseWhile, the
	// program is started again at most once per element.
	pauses     = []time.Duration{500 * time.Millisecond, 2 * time.Second, 8 * time.Second}
	pauseWhile = 10 * time.Minute
)

// NewSet returns a set of servers. None is connected yet.
func NewSet(servers []Server, host Host) *Set {
	s := &Set{host: host, slots: map[string]*slot{}}
	s.life, s.end = context.WithCancel(context.Background())
	for _, server := range servers {
		s.slots[server.Name] = &slot{server: server, busy: make(chan struct{}, 1)}
	}
	return s
}

// Client returns the connection to a server. It connects if necessary.
func (s *Set) Client(ctx context.Context, name string) (*Client, error) {
	at := s.slots[name]
	if at == nil {
		return nil, fmt.Errorf("no server %q", name)
	}
	if client := at.connection(); client != nil {
		return client, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	select {
	case at.busy <- struct{}{}:
		defer func() { <-at.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if client := at.connection(); client != nil {
		return client, nil
	}
	if err := at.pause(ctx); err != nil {
		return nil, err
	}
	client, err := Connect(ctx, at.server, s.host)
	if err != nil {
		at.countFailure(err)
		return nil, err
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	at.client, at.server.Protocol = client, client.Protocol()
	return client, nil
}

// Connected returns the connection to a server, or nil if there is none.
func (s *Set) Connected(name string) *Client {
	if at := s.slots[name]; at != nil {
		return at.connection()
	}
	return nil
}

// Close closes all connections concurrently and ends the programs of the servers.
func (s *Set) Close() {
	s.end()
	var wait sync.WaitGroup
	for _, at := range s.slots {
		wait.Go(func() {
			at.busy <- struct{}{}
			defer func() { <-at.busy }()
			if client := at.connection(); client != nil {
				client.Close()
			}
		})
	}
	wait.Wait()
}

// connection returns the connection, or nil if there is none or it was lost.
func (at *slot) connection() *Client {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.client == nil {
		return nil
	}
	select {
	case <-at.client.Done():
		at.client = nil
		at.ends = append(at.ends, time.Now())
		return nil
	default:
		return at.client
	}
}

// countFailure counts a failed connection as a failure of the program. It does not count a
// cancellation or a missing login.
func (at *slot) countFailure(err error) {
	var login *LoginError
	if err == context.Canceled || err == context.DeadlineExceeded || errors.As(err, &login) {
		return
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	at.ends = append(at.ends, time.Now())
}

// pause waits before a program is started again. It returns an error if the program has ended too
// often.
func (at *slot) pause(ctx context.Context) error {
	at.mu.Lock()
	at.ends = slices.DeleteFunc(at.ends, func(t time.Time) bool { return time.Since(t) > pauseWhile })
	ends := at.ends
	at.mu.Unlock()
	if len(ends) == 0 || at.server.kind() != kindStdio {
		return nil
	}
	if len(ends) > len(pauses) {
		return fmt.Errorf("%s ended %d times within %s and is not restarted before %s",
			at.server.Name, len(ends), pauseWhile, ends[0].Add(pauseWhile).Format(time.TimeOnly))
	}
	select {
	case <-time.After(time.Until(ends[len(ends)-1].Add(pauses[len(ends)-1]))):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
