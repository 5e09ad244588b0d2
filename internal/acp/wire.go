package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"agent/internal/rawjson"
	"agent/internal/text/lines"
)

// Bounds of the wire.
const (
	// maxMessage is the longest line, in bytes.
	maxMessage = 16 << 20
	// maxUnanswered is how many requests may wait for an answer.
	maxUnanswered = 256
)

// The codes of errors.
const (
	codeParse       = -32700
	codeRequest     = -32600
	codeMethod      = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeSignIn      = -32000
	codeHeld        = -32001
	codeNotFound    = -32002
	jsonrpcVersion  = "2.0"
	nullID          = "null"
	requestIDPrefix = "agent-"
)

// wireError is an error as the protocol has it.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *wireError) Error() string { return e.Message }

func failf(code int, format string, args ...any) *wireError {
	return &wireError{code, fmt.Sprintf(format, args...)}
}

// message is any message: a request has an ID and a method, a notification a method, a
// response an ID.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
}

// conn is one connection. Sending is safe for concurrent use.
type conn struct {
	out   io.Writer
	outMu sync.Mutex
	// failed is called once when nothing can be written any more.
	failed func(error)

	mu       sync.Mutex
	sent     int
	awaiting map[string]chan message
}

func newConn(out io.Writer, failed func(error)) *conn {
	return &conn{out: out, failed: failed, awaiting: map[string]chan message{}}
}

// read calls handle with each message of in until it ends. What is no message is
// answered with an error, and the connection continues.
func (c *conn) read(in io.Reader, handle func(message)) error {
	buffered := bufio.NewReaderSize(in, 1<<16)
	for {
		line, whole, err := lines.Read(buffered, nil, maxMessage)
		line = bytes.TrimSpace(line)
		switch {
		case !whole:
			c.respond(nil, nil, failf(codeRequest, "a message may be 16 MiB"))
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

// parse reads a line: a message, or a list of them.
func (c *conn) parse(line []byte, handle func(message)) {
	var all []json.RawMessage
	if line[0] == '[' {
		if json.Unmarshal(line, &all) != nil || len(all) == 0 {
			c.respond(nil, nil, failf(codeParse, "a line that is no JSON"))
			return
		}
	} else {
		all = []json.RawMessage{line}
	}
	for _, one := range all {
		if !json.Valid(one) {
			c.respond(nil, nil, failf(codeParse, "a line that is no JSON"))
			return
		}
		var m message
		switch err := json.Unmarshal(one, &m); {
		case err != nil || m.Method == "" && m.Result == nil && m.Error == nil:
			c.respond(m.ID, nil, failf(codeRequest, "no message of JSON-RPC 2.0"))
		case m.Method == "":
			c.deliver(m)
		default:
			handle(m)
		}
	}
}

// deliver gives a response to the request that waits for it; one that nobody waits for is
// dropped.
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

// respond answers a request; a nil ID is that of a message that could not be read.
func (c *conn) respond(id json.RawMessage, result any, err *wireError) {
	if len(id) == 0 {
		id = json.RawMessage(nullID)
	}
	if err != nil {
		c.write(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *wireError      `json:"error"`
		}{jsonrpcVersion, id, err})
		return
	}
	if result == nil {
		result = struct{}{}
	}
	c.write(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{jsonrpcVersion, id, result})
}

// notify sends a message that nobody answers.
func (c *conn) notify(method string, params any) {
	c.write(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{jsonrpcVersion, method, params})
}

// request sends a request and calls answered with the response, on a goroutine of its
// own. Withdraw says that no answer is needed any more; answered is not called then.
func (c *conn) request(method string, params any, answered func(message)) (withdraw func()) {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.sent++
	id := requestIDPrefix + strconv.Itoa(c.sent)
	c.awaiting[id] = answer
	c.mu.Unlock()
	c.write(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      string `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{jsonrpcVersion, id, method, params})
	go func() {
		if m, ok := <-answer; ok {
			answered(m)
		}
	}()
	return func() {
		c.mu.Lock()
		_, waits := c.awaiting[id]
		delete(c.awaiting, id)
		c.mu.Unlock()
		if waits {
			close(answer)
			c.notify("$/cancel_request", map[string]string{"requestId": id})
		}
	}
}

// write sends one message as one line, in one write.
func (c *conn) write(v any) {
	line, err := rawjson.Marshal(v)
	if err != nil {
		line, _ = rawjson.Marshal(map[string]any{"jsonrpc": jsonrpcVersion, "id": nil, "error": failf(codeInternal, "%v", err)})
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
