package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"agent/internal/shell"

	"go.lsp.dev/jsonrpc2"
)

// The limits of a connection.
const (
	// maxMessage is the size of the largest message that is read, in bytes.
	maxMessage = 32 << 20
	// maxHeader limits the number of bytes before a message. Some servers print banners there.
	maxHeader = 64 << 10
	// writeTime is the time after which the connection to a server that does not read ends.
	writeTime = 10 * time.Second
)

// The error codes of the protocol.
const (
	codeContentModified = -32801
	codeServerCancelled = -32802
)

// pipes are the standard input and output of a server.
type pipes struct{ *shell.Service }

func (p pipes) Read(b []byte) (int, error) { return p.Out.Read(b) }

func (p pipes) Write(b []byte) (int, error) {
	_ = p.In.SetWriteDeadline(time.Now().Add(writeTime)) // without deadlines, the end of the server ends the write
	return p.In.Write(b)
}

// Close ends the connection after a failed write.
func (p pipes) Close() error { return errors.Join(p.In.Close(), p.Out.SetReadDeadline(time.Now())) }

// stream limits the messages of a server, whose length the library would trust.
type stream struct {
	jsonrpc2.Stream
	in *bufio.Reader
}

func newStream(p pipes) stream {
	return stream{jsonrpc2.NewHeaderStream(p), bufio.NewReaderSize(p, maxHeader)}
}

// Read reads a message with its header. It skips lines that are not a header.
func (s stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	length, skipped := -1, 0
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			return nil, 0, err // also for a line that is longer than the buffer
		}
		if skipped += len(line); skipped > maxHeader {
			return nil, 0, errors.New("it printed invalid output")
		}
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), ":")
		switch {
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return nil, 0, fmt.Errorf("it sent a message of %.20s bytes; the limit is %d", strings.TrimSpace(value), maxMessage)
			}
		case name == "" && length >= 0:
			body, err := io.ReadAll(io.LimitReader(s.in, int64(length))) // grows with the received bytes
			if err != nil {
				return nil, 0, err
			}
			message, err := jsonrpc2.DecodeMessage(body)
			return message, 0, err
		}
	}
}

// isPassing reports whether an error means that the same request may succeed later.
func isPassing(err error) bool {
	wire, is := errors.AsType[*jsonrpc2.Error](err)
	return is && (wire.Code == codeContentModified || wire.Code == codeServerCancelled)
}
