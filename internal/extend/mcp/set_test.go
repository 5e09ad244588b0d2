package mcp_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"agent/internal/extend/mcp"
	"agent/internal/testing/mcptest"
)

// A server starts at its first use only, once for all concurrent uses.
func TestSetStartsAServerOnce(t *testing.T) {
	t.Parallel()
	set := mcp.NewSet([]mcp.Server{mcptest.Server(t, "db"), mcptest.Server(t, "unused", "exit")}, mcp.Host{})
	defer set.Close()
	var got [5]*mcp.Client
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i], _ = set.Client(context.Background(), "db") })
	}
	all.Wait()
	for _, client := range got {
		if client == nil || client != got[0] {
			t.Fatalf("the connections are %v", got)
		}
	}
	_, err := set.Client(context.Background(), "other")
	wants(t, err, `no server "other"`)
}

// Ending a set does not wait for a start. An interrupted start does not count as a crash of the
// server.
func TestSetEndsStarts(t *testing.T) {
	mcp.SetPauses(t)
	set := mcp.NewSet([]mcp.Server{mcptest.Server(t, "db", "mute=initialize")}, mcp.Host{})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	interrupted, interrupt := context.WithCancel(ctx)
	interrupt()
	if _, err := set.Client(interrupted, "db"); err == nil {
		t.Error("it connected")
	}
	started := make(chan error, 1)
	go func() {
		_, err := set.Client(context.Background(), "db")
		started <- err
	}()
	<-ctx.Done()
	cancel()
	set.Close()
	wants(t, <-started, "context canceled")
	_, err := set.Client(context.Background(), "db")
	wants(t, err, "context canceled")
}
