package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The limits of a connection.
const (
	// maxMessage is the size of the largest message that is read, in bytes.
	maxMessage = 32 << 20
	// maxHeader limits the number of bytes before a message. Some servers print banners there.
	maxHeader = 64 << 10
	// maxUnsent is the number of messages that may wait for the server to read them.
	maxUnsent = 256
)

// The error codes of the protocol.
const (
	codeNoMethod        = -32601
	codeContentModified = -32801
	codeServerCancelled = -32802
)

// conn is the connection to a server. It is safe for concurrent use.
type conn struct {
	unsent chan []byte
	// answer returns the result of a request of the server. It is also called for notifications,
	// and must not block.
	answer func(method string, params json.RawMessage) (result any, known bool)

	mu       sync.Mutex
	sent     int64
	awaiting map[int64]chan *jsonrpc.Response
	// ended is closed after the connection has ended. why is then its reason.
	ended chan struct{}
	why   error
}

// newConn starts to read and to write. Reading ends with r, and writing ends with the connection.
func newConn(r io.Reader, w io.Writer, answer func(method string, params json.RawMessage) (any, bool)) *conn {
	c := &conn{
		unsent: make(chan []byte, maxUnsent), answer: answer,
		awaiting: map[int64]chan *jsonrpc.Response{}, ended: make(chan struct{}),
	}
	go c.read(bufio.NewReaderSize(r, maxHeader))
	go c.write(w)
	return c
}

// fail ends the connection. Only the first call sets the reason.
func (c *conn) fail(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = why
		close(c.ended)
	}
}

func (c *conn) write(w io.Writer) {
	for {
		select {
		case message := <-c.unsent:
			if _, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(message), message); err != nil {
				c.fail(err)
				return
			}
		case <-c.ended:
			return
		}
	}
}

func (c *conn) read(r *bufio.Reader) {
	for {
		body, err := readMessage(r)
		if err != nil {
			c.fail(err)
			return
		}
		message, err := jsonrpc.DecodeMessage(body)
		if err != nil {
			continue // the request has timed out
		}
		switch m := message.(type) {
		case *jsonrpc.Response:
			c.deliver(m)
		case *jsonrpc.Request:
			result, known := c.answer(m.Method, m.Params)
			if m.IsCall() {
				c.respond(m.ID, result, known)
			}
		}
	}
}

// readMessage reads a message with its header. It skips lines that are not a header.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length, skipped := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err // also for a line that is longer than the buffer
		}
		if skipped += len(line); skipped > maxHeader {
			return nil, errors.New("it printed invalid output")
		}
		name, value, isHeader := strings.Cut(strings.TrimSpace(string(line)), ":")
		switch {
		case isHeader && strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return nil, fmt.Errorf("it sent a message of %.20s bytes; the limit is %d", strings.TrimSpace(value), maxMessage)
			}
		case name == "" && length >= 0:
			var body bytes.Buffer // the buffer grows with the received bytes, so a false header can't fill the memory
			_, err := io.CopyN(&body, r, int64(length))
			return body.Bytes(), err
		}
	}
}

// deliver passes a response to its call. A second response to a call is dropped.
func (c *conn) deliver(m *jsonrpc.Response) {
	id, _ := m.ID.Raw().(int64)
	c.mu.Lock()
	waiting := c.awaiting[id]
	delete(c.awaiting, id)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- m
	}
}

func (c *conn) respond(id jsonrpc.ID, result any, known bool) {
	response := &jsonrpc.Response{ID: id}
	if !known {
		response.Error = &jsonrpc.Error{Code: codeNoMethod, Message: "not supported"}
	} else if encoded, err := json.Marshal(result); err == nil {
		response.Result = encoded
	}
	c.push(response)
}

// push queues a message. A server that does not read its messages ends the connection.
func (c *conn) push(m jsonrpc.Message) {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return // a message of plain values can always be encoded
	}
	select {
	case c.unsent <- text:
	default:
		c.fail(errors.New("it does not read its messages"))
	}
}

// notify sends a notification.
func (c *conn) notify(method string, params any) {
	if encoded, err := json.Marshal(params); err == nil {
		c.push(&jsonrpc.Request{Method: method, Params: encoded})
	}
}

// call sends a request and waits for its result.
func (c *conn) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	response := make(chan *jsonrpc.Response, 1)
	c.mu.Lock()
	c.sent++
	number := c.sent
	c.awaiting[number] = response
	c.mu.Unlock()
	id, _ := jsonrpc.MakeID(float64(number)) // jsonrpc accepts every number as an ID
	c.push(&jsonrpc.Request{ID: id, Method: method, Params: encoded})
	select {
	case m := <-response:
		return m.Result, m.Error
	case <-c.ended:
		return nil, c.why
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.awaiting, number)
		c.mu.Unlock()
		c.notify("$/cancelRequest", map[string]int64{"id": number})
		return nil, ctx.Err()
	}
}

// isPassing reports whether an error means that the same request may succeed later.
func isPassing(err error) bool {
	wire, is := errors.AsType[*jsonrpc.Error](err)
	return is && (wire.Code == codeContentModified || wire.Code == codeServerCancelled)
}
