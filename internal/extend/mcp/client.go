// Package mcp is a client for servers of the Model Context Protocol. A server is a program that
// this package starts, or is reached over HTTP. The package connects to a server, lists its tools,
// prompts and resources, calls tools, answers the server's questions, and ends the programs.
//
// A [Set] holds the servers of a conversation. It connects to a server at first use. If a program
// has ended, it starts it again at the next use. A [Client] is one connection:
//
//	client, err := set.Client(ctx, "github")
//	result, err := client.Call(ctx, "search", arguments, nil)
//
// The package returns the data of a server unchanged: it does not clean or shorten names,
// descriptions and results. But each list, line and wait has a limit. The package does not check
// approvals. Package bridge offers the tools to the model.
package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/shell"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Client is a connection to a server. It is safe for concurrent use.
type Client struct {
	server  Server
	host    Host
	bounds  bounds
	log     journal
	wire    *wire // set for a stdio server
	web     *web  // set for a server over HTTP
	session *sdk.ClientSession
	// changing is set from a change of the lists until it is reported.
	changing atomic.Bool
	closing  sync.Once
	done     chan struct{}
	// questions counts the questions of the server since the start of the latest call.
	questions atomic.Int32
	// waits maps each address that the user has to visit to a channel.
	waits sync.Map

	mu    sync.Mutex
	tools []Tool
	// until is the time at which tools expires. The zero time means that tools is not valid.
	until time.Time
	calls map[string]*call
	count int
}

// Connect connects to a server and lists its tools. The error is a *LoginError if a login is
// missing.
func Connect(ctx context.Context, s Server, host Host) (*Client, error) {
	if s.Prepare != nil {
		var err error
		if s, err = s.Prepare(s); err != nil {
			return nil, fmt.Errorf("%s is not started: %w", s.Name, err)
		}
	}
	c := &Client{server: s, host: host, bounds: s.bounds(), calls: map[string]*call{}, done: make(chan struct{})}
	ctx, cancel := context.WithTimeoutCause(ctx, s.startTimeout(), errStart)
	defer cancel()
	connect := c.connectWeb
	if s.kind() == kindStdio {
		connect = c.connectStdio
	}
	err := connect(ctx)
	if err == nil {
		_, err = c.Tools(ctx)
	}
	if err == nil {
		go func() { // clean up after a lost connection
			_ = c.session.Wait()
			c.Close()
		}()
		return c, nil
	}
	if why := causeOf(ctx); why != nil {
		err = why
	}
	err = c.explainStart(err)
	c.Close()
	return nil, err
}

func (c *Client) newSDK() *sdk.Client {
	options := &sdk.ClientOptions{
		Logger: slog.New(slog.NewTextHandler(&c.log, nil)),
		Capabilities: &sdk.ClientCapabilities{
			Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}},
		},
		ElicitationHandler:          c.elicit,
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { c.stale(); c.reportChanged() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { c.reportChanged() },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { c.reportChanged() },
		ProgressNotificationHandler: c.progressed,
		ElicitationCompleteHandler:  c.handleVisited,
		MultiRoundTrip:              &sdk.MultiRoundTripOptions{Disabled: true}, // rounds answers these requests
	}
	client := c.withOld(options)
	client.AddSendingMiddleware(c.rounds)
	client.AddReceivingMiddleware(recovering)
	if c.wire != nil {
		client.AddSendingMiddleware(boundProbe)
	}
	return client
}

// Protocol returns the version of the protocol that both sides use.
func (c *Client) Protocol() string { return c.session.InitializeResult().ProtocolVersion }

// Instructions returns the server's description of how to use it.
func (c *Client) Instructions() string { return c.session.InitializeResult().Instructions }

// Version returns the name and version that the server's program reports.
func (c *Client) Version() string {
	info := c.session.InitializeResult().ServerInfo
	if info == nil {
		return ""
	}
	return info.Name + " " + info.Version
}

// Log returns the last text, at most 64 KiB, that the server wrote outside its answers.
func (c *Client) Log() string { return c.log.String() }

// InvalidLines returns the first three lines from the server that are not messages, and the number of
// all such lines.
func (c *Client) InvalidLines() (first []string, count int) {
	if c.wire == nil {
		return nil, 0
	}
	return c.wire.reader.droppedLines()
}

// Done returns a channel that is closed once the connection is lost or closed, and its program and
// requests have ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// hasEnded reports whether the program of the server has ended. After a broken connection it waits
// a short time for the end.
func (c *Client) hasEnded() bool {
	const patience = 3 * time.Second
	if c.wire == nil || !c.wire.broken.Load() || !c.wire.process.WaitEnd(patience) {
		return false
	}
	<-c.wire.process.LogDone() // wait for the last output of the server
	return true
}

// Close ends the connection, and the program of a stdio server with every process that it started.
func (c *Client) Close() {
	c.closing.Do(func() {
		if c.wire != nil {
			c.wire.process.Close()
		}
		c.closeSession()
		if c.web != nil {
			c.web.close()
		}
		close(c.done)
	})
	<-c.done
}

// closeSession ends the session as the protocol requires, within a time limit.
func (c *Client) closeSession() {
	if c.session == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.session.Close()
	}()
	select {
	case <-done:
	case <-time.After(shell.ServiceEnds):
	}
}

// boundProbe limits the time of a probe, because some programs never answer a probe.
func boundProbe(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if method == probe {
			bounded, cancel := context.WithTimeout(ctx, probeTimeout)
			defer cancel()
			ctx = bounded
		}
		return next(ctx, method, request)
	}
}

// probe is the method of the request that detects servers with the new protocol.
const probe = "server/discover"

// probeTimeout is the time limit of a probe. It is a variable for tests.
var probeTimeout = 5 * time.Second

// The protocol versions that a connection tries: the last one with a handshake, and the first one
// without.
const (
	handshakes = "2025-11-25"
	stateless  = "2026-07-28"
)

// connectStdio starts the program. It begins with the old protocol, because many programs never
// answer an unknown request. A program that supports only the new protocol refuses the old one
// immediately. It is then started again with the new protocol.
func (c *Client) connectStdio(ctx context.Context) error {
	version := handshakes
	if c.server.Protocol >= stateless {
		version = stateless
	}
	err := c.start(ctx, version)
	if version != handshakes || !refusesVersion(err) {
		return err
	}
	c.wire.process.Close()
	again := c.start(ctx, stateless)
	if again != nil && refusal(again) == nil {
		return err // the refusal says more than a missing answer
	}
	return again
}

// refusesVersion reports whether a server refused a request because it does not support the
// protocol version. After any other refusal, another version does not help.
func refusesVersion(err error) bool {
	refused := refusal(err)
	return refused != nil && slices.Contains([]int64{
		jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidRequest, jsonrpc.CodeInvalidParams, sdk.CodeUnsupportedProtocolVersion,
	}, refused.Code)
}

func (c *Client) start(ctx context.Context, version string) error {
	process, err := c.server.start(ctx, &c.log)
	if err != nil {
		return err
	}
	if c.host.Started != nil {
		c.host.Started(c.server)
	}
	c.wire = &wire{process: process, reader: newReader(process.Out, lineBytes), writing: make(chan struct{}, 1)}
	return c.shake(ctx, c.wire, version)
}

// shake begins a session over a transport. It returns when ctx ends. The SDK itself waits longer if
// a server accepts a request but sends no headers.
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
