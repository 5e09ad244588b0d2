package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"agent/internal/base/rawjson"
	"agent/internal/text/lines"
)

// Limits of the connection.
const (
	// maxMessage is the largest length of a line, in bytes.
	maxMessage = 16 << 20
	// maxUnanswered is the number of requests that may wait for an answer.
	maxUnanswered = 256
)

// The error codes of the protocol.
const (
	codeParse       = -32700
	codeRequest     = -32600
	codeMethod      = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeSignIn      = -32000
	codeHeld        = -32001
	codeNotFound    = -32002
	nullID          = "null"
	requestIDPrefix = "agent-"
)

// wireError is an error in the format of the protocol.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *wireError) Error() string { return e.Message }

func failf(code int, format string, args ...any) *wireError {
	return &wireError{code, fmt.Sprintf(format, args...)}
}

// wireErrorOf converts an error to the format of the protocol. It returns nil for nil.
func wireErrorOf(err error) *wireError {
	wire, is := errors.AsType[*wireError](err)
	if err != nil && !is {
		wire = failf(codeInternal, "%v", err)
	}
	return wire
}

// message is any received message: a request has an ID and a method, a notification only a
// method, a response only an ID.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
}

// conn is a connection. Sending is safe for concurrent use.
type conn struct {
	out   io.Writer
	outMu sync.Mutex
	// failed is called once, after the first write error.
	failed func(error)

	mu       sync.Mutex
	sent     int
	awaiting map[string]chan message
}

// read calls handle with each message until in ends. It answers an invalid line with an error, and
// continues.
func (c *conn) read(in io.Reader, handle func(message)) error {
	buffered := bufio.NewReaderSize(in, 1<<16)
	for {
		line, whole, err := lines.Read(buffered, nil, maxMessage)
		line = bytes.TrimSpace(line)
		switch {
		case !whole:
			c.respond(nil, nil, failf(codeRequest, "a message can have at most 16 MiB"))
		case len(line) > 0:
			c.parse(line, handle)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// parse parses a line that contains a message or a list of messages.
func (c *conn) parse(line []byte, handle func(message)) {
	var all []json.RawMessage
	if line[0] == '[' {
		_ = json.Unmarshal(line, &all) // after invalid JSON, all is empty
	} else if json.Valid(line) {
		all = append(all, line)
	}
	if len(all) == 0 {
		c.respond(nil, nil, failf(codeParse, "a line is not valid JSON"))
		return
	}
	for _, one := range all {
		var m message
		switch err := json.Unmarshal(one, &m); {
		case err != nil || m.Method == "" && m.Result == nil && m.Error == nil:
			c.respond(m.ID, nil, failf(codeRequest, "not a JSON-RPC 2.0 message"))
		case m.Method == "":
			c.deliver(m)
		default:
			handle(m)
		}
	}
}

// deliver passes a response to the caller that waits for it. It drops any other response.
func (c *conn) deliver(m message) {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	answer := c.awaiting[id]
	delete(c.awaiting, id)
	c.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// outgoing is any message to the editor.
type outgoing struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

// respond answers a request. The ID is nil for a message that could not be parsed.
func (c *conn) respond(id json.RawMessage, result any, err *wireError) {
	if len(id) == 0 {
		id = json.RawMessage(nullID)
	}
	if result == nil && err == nil {
		result = struct{}{}
	}
	c.write(outgoing{ID: id, Result: result, Error: err})
}

// notify sends a message without an answer.
func (c *conn) notify(method string, params any) { c.write(outgoing{Method: method, Params: params}) }

// request sends a request. Its response arrives on the channel answer. A caller that no longer needs the
// response calls withdraw, which closes the channel.
func (c *conn) request(method string, params any) (answer <-chan message, withdraw func()) {
	response := make(chan message, 1)
	c.mu.Lock()
	c.sent++
	id := requestIDPrefix + strconv.Itoa(c.sent)
	c.awaiting[id] = response
	c.mu.Unlock()
	c.write(outgoing{ID: json.RawMessage(strconv.Quote(id)), Method: method, Params: params})
	return response, func() {
		c.mu.Lock()
		_, waits := c.awaiting[id]
		delete(c.awaiting, id)
		c.mu.Unlock()
		if waits {
			close(response)
			c.notify("$/cancel_request", map[string]string{"requestId": id})
		}
	}
}

// ask sends a request and waits for its response until ctx ends.
func (c *conn) ask(ctx context.Context, method string, params any) (m message, answered bool) {
	answer, withdraw := c.request(method, params)
	defer context.AfterFunc(ctx, withdraw)()
	m, answered = <-answer
	return m, answered
}

// write sends one message as one line, in one write.
func (c *conn) write(m outgoing) {
	m.JSONRPC = "2.0"
	line, err := rawjson.Marshal(m)
	if err != nil {
		line, _ = rawjson.Marshal(outgoing{JSONRPC: m.JSONRPC, ID: json.RawMessage(nullID), Error: failf(codeInternal, "%v", err)})
	}
	c.outMu.Lock()
	defer c.outMu.Unlock()
	if c.failed == nil {
		return
	}
	if _, err := c.out.Write(append(bytes.TrimRight(line, "\n"), '\n')); err != nil {
		failed := c.failed
		c.failed = nil
		go failed(err)
	}
}
