package mcp

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/sandbox"
	"agent/internal/shell"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// wire is the connection between the SDK and the program of a server. Closing it ends the
// program.
type wire struct {
	process *shell.Service
	reader  *reader
	// writing is a lock. It is full while a message is written.
	writing chan struct{}
	// broken is set when messages can no longer be read or written.
	broken atomic.Bool
}

// Connect implements sdk.Transport.
func (w *wire) Connect(context.Context) (sdk.Connection, error) { return w, nil }

// Read returns the next message. It returns io.EOF when the program has ended or the wire is
// closed.
func (w *wire) Read(context.Context) (jsonrpc.Message, error) {
	message, err := w.reader.next()
	if err != nil {
		w.broken.Store(true)
		return nil, io.EOF
	}
	return message, nil
}

func (w *wire) Write(ctx context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("can't write a message as JSON: %w", err)
	}
	select {
	case w.writing <- struct{}{}:
		defer func() { <-w.writing }()
	case <-ctx.Done():
		return ctx.Err()
	case <-w.process.Done():
		return io.ErrClosedPipe
	}
	// If the server does not read, the write stops when ctx ends. The wire is unusable after a
	// partial message.
	in := w.process.In
	stop := context.AfterFunc(ctx, func() { _ = in.SetWriteDeadline(time.Now()) })
	n, err := in.Write(append(text, '\n'))
	if !stop() {
		_ = in.SetWriteDeadline(time.Time{})
	}
	if err != nil && (n > 0 || ctx.Err() == nil) {
		w.broken.Store(true)
		go w.process.Close()
	}
	return err
}

// Close ends the program.
func (w *wire) Close() error {
	w.process.Close()
	return nil
}

// SessionID returns "", because a program has one session.
func (w *wire) SessionID() string { return "" }

// start starts the program of a stdio server. Its standard error is written to log.
func (s Server) start(ctx context.Context, log io.Writer) (*shell.Service, error) {
	path, err := s.program()
	if err != nil {
		return nil, err
	}
	return shell.StartService(ctx, shell.ServiceCommand{Path: path, Args: s.Args, Dir: s.Dir, Env: s.Env, Confined: s.Confined, Profile: s.Profile}, log)
}

// program returns the path of the program. It looks up a bare name in the PATH of Env.
func (s Server) program() (string, error) {
	if strings.ContainsRune(s.Command, filepath.Separator) {
		return fsutil.ResolveIn(s.Dir, s.Command), nil
	}
	program, err := sandbox.LookPath(s.Command, sandbox.Variable(s.Env, "PATH"))
	if err != nil {
		return "", fmt.Errorf("the program %s is not installed, or not in PATH", s.Command)
	}
	return program, nil
}
