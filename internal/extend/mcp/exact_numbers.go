package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"agent/internal/base/rawjson"
)

// exactMember is the member of a result's metadata that stores the structured content as a string.
const exactMember = "agent/structuredContent"

// exactDigits is the least number of digits of a number that the SDK may round, because it decodes
// numbers as floating point.
const exactDigits = 16

// exactReader changes an answer over HTTP so that the SDK does not round its numbers. A line of the
// answer is a message, an event with a message, or something else.
type exactReader struct {
	from *bufio.Reader
	line []byte
}

// Read implements io.Reader.
func (r *exactReader) Read(p []byte) (int, error) {
	for len(r.line) == 0 {
		part, err := r.from.ReadSlice('\n')
		line := bytes.Clone(part)
		for errors.Is(err, bufio.ErrBufferFull) && len(line) < lineBytes {
			part, err = r.from.ReadSlice('\n')
			line = append(line, part...)
		}
		if r.line = exactLine(line); len(r.line) == 0 && err != nil {
			return 0, err
		}
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

// exactLine changes the message in a line so that the SDK does not round its numbers.
func exactLine(line []byte) []byte {
	if !mayLose(line) {
		return line
	}
	text, event := bytes.CutPrefix(line, []byte("data:"))
	message, err := jsonrpc.DecodeMessage(bytes.TrimSpace(text))
	if err != nil {
		return line
	}
	keepExact(message)
	text, err = jsonrpc.EncodeMessage(message)
	if err != nil {
		return line
	}
	if event {
		text = append([]byte("data: "), text...)
	}
	return append(text, '\n')
}

// mayLose reports whether the SDK may round numbers in the structured content of a message.
func mayLose(text []byte) bool {
	return bytes.Contains(text, []byte(`"structuredContent"`)) && hasLongNumber(text)
}

// keepExact copies the structured content of a result, as the server sent it, to the metadata.
func keepExact(message jsonrpc.Message) {
	response, is := message.(*jsonrpc.Response)
	if !is || !mayLose(response.Result) {
		return
	}
	var result, meta map[string]json.RawMessage
	if json.Unmarshal(response.Result, &result) != nil {
		return
	}
	if json.Unmarshal(result["_meta"], &meta) != nil || meta == nil {
		meta = map[string]json.RawMessage{}
	}
	var err error
	if meta[exactMember], err = rawjson.Marshal(string(result["structuredContent"])); err != nil {
		return
	}
	if result["_meta"], err = rawjson.Marshal(meta); err != nil {
		return
	}
	if text, err := rawjson.Marshal(result); err == nil {
		response.Result = text
	}
}

// hasLongNumber reports whether a text contains at least exactDigits consecutive digits.
func hasLongNumber(text []byte) bool {
	digits := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			digits = 0
		} else if digits++; digits == exactDigits {
			return true
		}
	}
	return false
}

// structuredOf returns the structured content of a result, with sorted keys.
func structuredOf(r *sdk.CallToolResult) json.RawMessage {
	value := r.StructuredContent
	if exact, kept := r.Meta[exactMember].(string); kept {
		if numbers, err := rawjson.Decode([]byte(exact)); err == nil {
			value = numbers
		}
	}
	return rawOf(value)
}
