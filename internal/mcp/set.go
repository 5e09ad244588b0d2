package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Set holds the servers of a conversation. Its methods are safe for concurrent use.
type Set struct {
	host  Host
	names []string
	slots map[string]*slot
}

// slot is a server of a set, connected or not.
type slot struct {
	server Server
	// busy is held while the server is connected or ended.
	busy chan struct{}

	mu       sync.Mutex
	client   *Client
	failed   error
	restarts []time.Time
	lost     time.Time
}

// A server that ended is started again so often within a while, after these pauses.
var (
	pauses     = []time.Duration{500 * time.Millisecond, 2 * time.Second, 8 * time.Second}
	pauseWhile = 10 * time.Minute
)

// NewSet makes a set of servers, none of which is connected.
func NewSet(servers []Server, host Host) *Set {
	s := &Set{host: host, slots: map[string]*slot{}}
	for _, server := range servers {
		s.names = append(s.names, server.Name)
		s.slots[server.Name] = &slot{server: server, busy: make(chan struct{}, 1)}
	}
	return s
}

// Names are the servers in the order in which they were given.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Client returns the connection to a server, which it makes when there is none or when it
// was lost.
func (s *Set) Client(ctx context.Context, name string) (*Client, error) {
	at := s.slots[name]
	if at == nil {
		return nil, fmt.Errorf("there is no server %q", name)
	}
	if client := at.connected(); client != nil {
		return client, nil
	}
	select {
	case at.busy <- struct{}{}:
		defer func() { <-at.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if client := at.connected(); client != nil {
		return client, nil
	}
	if err := at.pause(ctx); err != nil {
		return nil, err
	}
	client, err := Connect(ctx, at.server, s.host)
	at.took(client, err)
	return client, err
}

// Connected returns the connection to a server if there is one, and why the last try
// failed.
func (s *Set) Connected(name string) (*Client, error) {
	at := s.slots[name]
	if at == nil {
		return nil, fmt.Errorf("there is no server %q", name)
	}
	client := at.connected()
	at.mu.Lock()
	defer at.mu.Unlock()
	return client, at.failed
}

// Close ends all connections and what was started for them, all at once. The set can
// be used again, which begins anew.
func (s *Set) Close() {
	var wait sync.WaitGroup
	for _, at := range s.slots {
		wait.Go(func() {
			at.busy <- struct{}{}
			defer func() { <-at.busy }()
			at.mu.Lock()
			client := at.client
			at.client, at.restarts, at.lost, at.failed = nil, nil, time.Time{}, nil
			at.mu.Unlock()
			if client != nil {
				client.Close()
			}
		})
	}
	wait.Wait()
}

// connected is the connection if it still holds.
func (at *slot) connected() *Client {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.client == nil {
		return nil
	}
	select {
	case <-at.client.Done():
		at.client, at.lost = nil, time.Now()
		return nil
	default:
		return at.client
	}
}

// pause waits before a server is started again. It is an error when that has happened
// too often.
func (at *slot) pause(ctx context.Context) error {
	at.mu.Lock()
	if at.lost.IsZero() {
		at.mu.Unlock()
		return nil
	}
	at.restarts = slices.DeleteFunc(at.restarts, func(t time.Time) bool { return time.Since(t) > pauseWhile })
	if len(at.restarts) == len(pauses) {
		defer at.mu.Unlock()
		return fmt.Errorf("%s ended %d times within %s and is not started again before %s",
			at.server.Name, len(pauses)+1, pauseWhile, at.restarts[0].Add(pauseWhile).Format(time.TimeOnly))
	}
	rest := time.Until(at.lost.Add(pauses[len(at.restarts)]))
	at.restarts = append(at.restarts, time.Now())
	at.mu.Unlock()
	select {
	case <-time.After(rest):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// took notes what came of a connection.
func (at *slot) took(client *Client, err error) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.client, at.failed = client, err
	if err != nil {
		at.lost = time.Now()
		return
	}
	at.server.Protocol = client.Protocol()
}
