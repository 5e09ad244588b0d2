package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"agent/internal/text/lines"
)

// lineBytes is the greatest length of a message line, in bytes.
const lineBytes = 16 << 20

// reader reads the messages of a stdio server. Many servers also write other lines, such as banners
// and logs, which must not end the connection. The reader drops these lines, and keeps the first
// few for diagnosis.
type reader struct {
	lines *bufio.Reader
	most  int

	mu      sync.Mutex
	dropped []string
	count   int
}

func newReader(r io.Reader, most int) *reader {
	const buffer = 64 << 10
	return &reader{lines: bufio.NewReaderSize(r, buffer), most: most}
}

// next returns the next message. The error is that of the underlying reader.
func (r *reader) next() (jsonrpc.Message, error) {
	for {
		line, whole, err := lines.Read(r.lines, nil, r.most)
		// Programs on other systems may add a byte order mark or a carriage return.
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		switch {
		case len(line) == 0:
		case !whole, line[0] != '{', !json.Valid(line):
			r.drop(line)
		default:
			message, bad := jsonrpc.DecodeMessage(line)
			if bad != nil {
				r.drop(line)
				message = unreadable(line, bad)
			}
			if message != nil {
				keepExact(message)
				return message, nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// unreadable returns an error response for a response that cannot be parsed, so that its request
// ends. It returns nil if the line is not a response.
func unreadable(line []byte, bad error) jsonrpc.Message {
	var answer struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Method  any    `json:"method"`
	}
	if json.Unmarshal(line, &answer) != nil || answer.Version != "2.0" || answer.ID == nil || answer.Method != nil {
		return nil
	}
	id, err := jsonrpc.MakeID(answer.ID)
	if err != nil {
		return nil
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "can't read the server's answer: " + bad.Error()}}
}

const (
	droppedLines = 3
	droppedBytes = 200
)

func (r *reader) drop(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count++; r.count <= droppedLines {
		r.dropped = append(r.dropped, strings.ToValidUTF8(string(line[:min(len(line), droppedBytes)]), "�"))
	}
}

// droppedLines returns the first dropped lines, and the number of all dropped lines.
func (r *reader) droppedLines() (first []string, count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.dropped), r.count
}
