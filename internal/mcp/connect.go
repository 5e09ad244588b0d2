package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The versions of the protocol that a connection begins with: the last one that shakes
// hands, and the first that does not.
const (
	handshakes = "2025-11-25"
	stateless  = "2026-07-28"
)

// connectStdio starts the program. It is first spoken to as servers have been for
// long: many never answer a request that they do not know. Those that know only the new
// protocol refuse the old one at once, and are started once more.
func (c *Client) connectStdio(ctx context.Context) error {
	version := handshakes
	if c.server.Protocol >= stateless {
		version = stateless
	}
	err := c.start(ctx, version)
	if err != nil && refusal(err) != nil && version == handshakes {
		c.wire.process.close()
		err = c.start(ctx, stateless)
	}
	return err
}

func (c *Client) start(ctx context.Context, version string) error {
	process, err := startProcess(ctx, c.server, &c.log)
	if err != nil {
		return err
	}
	c.wire = &wire{process: process, reader: newReader(process.out, lineBytes), writing: make(chan struct{}, 1)}
	return c.shake(ctx, c.wire, version)
}

// shake begins a session over a transport. It does not wait longer than ctx, which the
// SDK does where a server accepts a request and gives no headers.
func (c *Client) shake(ctx context.Context, over sdk.Transport, version string) error {
	type made struct {
		session *sdk.ClientSession
		err     error
	}
	result := make(chan made, 1)
	go func() {
		session, err := c.newSDK().Connect(ctx, over, &sdk.ClientSessionOptions{ProtocolVersion: version})
		result <- made{session, err}
	}()
	select {
	case m := <-result:
		c.session = m.session
		return m.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
