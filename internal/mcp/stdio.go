package mcp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// wire carries messages between this program and that of a server. The SDK speaks
// through a view of it, see connect: one that it gives up can be followed by another.
type wire struct {
	process  *process
	reader   *reader
	messages chan jsonrpc.Message
	// writing is held while a message is written.
	writing chan struct{}
	// broken is closed when no message comes any more, given when none is wanted.
	broken, given chan struct{}
	// deaf is set when a message could not be written.
	deaf atomic.Bool
	once sync.Once
}

func newWire(p *process) *wire {
	w := &wire{
		process: p, reader: newReader(p.out, lineBytes), messages: make(chan jsonrpc.Message), writing: make(chan struct{}, 1), broken: make(chan struct{}), given: make(chan struct{}),
	}
	go w.read()
	return w
}

func (w *wire) read() {
	defer close(w.broken)
	defer w.process.out.Close()
	defer closeLater(w.process.out, w.process.ended)()
	for {
		message, err := w.reader.next()
		if err != nil {
			return
		}
		select {
		case w.messages <- message:
		case <-w.given:
			return
		}
	}
}

// broke reports whether the server closed one of its sides.
func (w *wire) broke() bool {
	select {
	case <-w.broken:
		return true
	default:
		return w.deaf.Load()
	}
}

// close ends the program and the reading of it.
func (w *wire) close() {
	w.process.close()
	w.once.Do(func() { close(w.given) })
	<-w.broken
}

// Connect makes the wire a transport of the SDK.
func (w *wire) Connect(context.Context) (sdk.Connection, error) {
	return &view{wire: w, closed: make(chan struct{})}, nil
}

// view is a connection of the SDK. Its end is not that of the program.
type view struct {
	wire   *wire
	once   sync.Once
	closed chan struct{}
}

func (v *view) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-v.closed:
		return nil, io.EOF
	case <-v.wire.broken:
		return nil, io.EOF
	case message := <-v.wire.messages:
		return message, nil
	}
}

func (v *view) Write(ctx context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("a message cannot be written as JSON: %w", err)
	}
	select {
	case v.wire.writing <- struct{}{}:
		defer func() { <-v.wire.writing }()
	case <-ctx.Done():
		return ctx.Err()
	case <-v.closed:
		return io.ErrClosedPipe
	}
	// A server that does not read is not waited for longer than the caller waits. What
	// was written of the message until then makes the wire useless.
	in := v.wire.process.in
	stop := context.AfterFunc(ctx, func() { _ = in.SetWriteDeadline(time.Now()) })
	n, err := in.Write(append(text, '\n'))
	if !stop() {
		_ = in.SetWriteDeadline(time.Time{})
	}
	if err != nil && (n > 0 || ctx.Err() == nil) {
		v.wire.deaf.Store(true)
		go v.wire.close()
	}
	return err
}

func (v *view) Close() error {
	v.once.Do(func() { close(v.closed) })
	return nil
}

// SessionID is empty: a program has one session.
func (v *view) SessionID() string { return "" }
