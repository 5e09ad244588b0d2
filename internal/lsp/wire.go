package lsp

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"agent/internal/shell"
)

// The limits of a connection.
const (
	// maxReceived is the number of bytes that a server may send during a question, and between two.
	maxReceived = 64 << 20
	// writeTime is the time after which the connection to a server that does not read ends.
	writeTime = 10 * time.Second
)

// pipes are the standard input and output of a server.
type pipes struct {
	process  *shell.Service
	received atomic.Int64
}

// Read implements io.Reader. A server that sends too much ends its connection.
func (p *pipes) Read(b []byte) (int, error) {
	n, err := p.process.Out.Read(b)
	if p.received.Add(int64(n)) > maxReceived {
		err = fmt.Errorf("it sent more than %d bytes", maxReceived)
	}
	return n, err
}

// Write implements io.Writer.
func (p *pipes) Write(b []byte) (int, error) {
	_ = p.process.In.SetWriteDeadline(time.Now().Add(writeTime)) // without deadlines, the end of the server ends the write
	return p.process.In.Write(b)
}

// Close ends the connection after a failed write.
func (p *pipes) Close() error {
	return errors.Join(p.process.In.Close(), p.process.Out.SetReadDeadline(time.Now()))
}
