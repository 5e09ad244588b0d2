package history

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// decodeCanonical reads an entry in exactly the form MarshalJSON writes, in one
// pass. Nearly every line of a session log has it, and a long session is to open
// at once. It reports false for any other form, right or wrong; then the general
// decoder has its say, which also keeps unknown fields and names what is wrong.
func decodeCanonical(data []byte) (*Content, bool) {
	c := canonical{rest: data}
	c.expect(`{"speaker":`)
	entry := &Content{Speaker: Speaker(c.text()), Blocks: []Block{}}
	c.failed = c.failed || entry.Speaker != Human && entry.Speaker != AI && entry.Speaker != Tool
	c.expect(`,"blocks":[`)
	for !c.failed && !c.skip("]") {
		if len(entry.Blocks) > 0 {
			c.expect(",")
		}
		entry.Blocks = append(entry.Blocks, c.block())
	}
	if c.skip(`,"metadata":`) {
		c.decode(&entry.Metadata)
	}
	c.expect("}")
	return entry, !c.failed && len(c.rest) == 0
}

// canonical reads from the front of rest. After the first thing that is not as
// expected, failed is set and nothing it returns means anything.
type canonical struct {
	rest   []byte
	failed bool
}

func (c *canonical) block() Block {
	switch {
	case c.skip(`{"type":"text","text":`):
		b := &Text{Text: c.text()}
		if c.skip(`,"includedFile":`) {
			b.IncludedFile = c.text()
		}
		c.expect("}")
		return b
	case c.skip(`{"type":"thinking","thought":`):
		b := &Thinking{Thought: c.text()}
		c.expect("}")
		return b
	case c.skip(`{"type":"tool_call","id":`):
		return c.call()
	case c.skip(`{"type":"tool_response","callId":`):
		return c.response()
	case c.skip(`{"type":"media","mimeType":`):
		b := &Media{MimeType: c.text()}
		c.expect(`,"data":`)
		b.Data = c.text()
		c.expect("}")
		return b
	}
	c.failed = true
	return nil
}

func (c *canonical) call() *ToolCall {
	b := &ToolCall{ID: c.text()}
	c.expect(`,"name":`)
	b.Name = c.text()
	c.expect(`,"parameters":`)
	b.Parameters = c.value()
	c.expect("}")
	return b
}

func (c *canonical) response() *ToolResponse {
	b := &ToolResponse{CallID: c.text()}
	c.expect(`,"toolName":`)
	b.ToolName = c.text()
	c.expect(`,"result":`)
	if len(c.rest) > 0 && c.rest[0] == '"' {
		b.Result = TextResult(c.text())
	} else {
		b.Result = Result{raw: c.value()}
	}
	if c.skip(`,"error":`) {
		b.Error = c.text()
	}
	if c.skip(`,"exitCode":`) {
		c.decode(&b.ExitCode)
	}
	c.expect("}")
	return b
}

// skip drops prefix if it comes next.
func (c *canonical) skip(prefix string) bool {
	if c.failed || len(c.rest) < len(prefix) || string(c.rest[:len(prefix)]) != prefix {
		return false
	}
	c.rest = c.rest[len(prefix):]
	return true
}

func (c *canonical) expect(prefix string) {
	if !c.skip(prefix) {
		c.failed = true
	}
}

// text reads a string.
func (c *canonical) text() string {
	end, escaped := stringEnd(c.rest)
	if c.failed || end == 0 {
		c.failed = true
		return ""
	}
	literal := c.rest[:end]
	c.rest = c.rest[end:]
	inner := literal[1 : end-1]
	// The general decoder repairs text that is not UTF-8.
	c.failed = !utf8.Valid(inner)
	if !escaped {
		return string(inner)
	}
	if s, ok := unescape(inner); ok {
		return s
	}
	var s string
	c.failed = c.failed || json.Unmarshal(literal, &s) != nil
	return s
}

// unescape resolves the escapes of ordinary text; it reports false for \u and for
// what is no escape.
func unescape(inner []byte) (string, bool) {
	plain := make([]byte, 0, len(inner))
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return string(append(plain, inner...)), true
		}
		plain = append(plain, inner[:i]...)
		switch escape := inner[i+1]; escape {
		case '"', '\\', '/':
			plain = append(plain, escape)
		case 'n':
			plain = append(plain, '\n')
		case 't':
			plain = append(plain, '\t')
		case 'r':
			plain = append(plain, '\r')
		default:
			return "", false
		}
		inner = inner[i+2:]
	}
}

// stringEnd returns the length of the string literal at the start of data, 0 when
// there is none.
func stringEnd(data []byte) (end int, escaped bool) {
	if len(data) == 0 || data[0] != '"' {
		return 0, false
	}
	for i := 1; i < len(data); i++ {
		switch b := data[i]; {
		case b == '"':
			return i + 1, escaped
		case b == '\\':
			escaped = true
			i++
		case b < ' ':
			return 0, false
		}
	}
	return 0, false
}

// value reads any JSON value, compacted.
func (c *canonical) value() json.RawMessage {
	end := valueEnd(c.rest)
	var compact bytes.Buffer
	if c.failed || json.Compact(&compact, c.rest[:end]) != nil {
		c.failed = true
		return nil
	}
	c.rest = c.rest[end:]
	return compact.Bytes()
}

// valueEnd returns where the value at the start of data ends, if it is one.
func valueEnd(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end, _ := stringEnd(data[i:])
			if end == 0 {
				return i
			}
			i += end - 1
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return i
			}
			if data[i] != ',' {
				depth--
			}
		}
	}
	return len(data)
}

// decode reads any JSON value into what into points to.
func (c *canonical) decode(into any) {
	raw := c.value()
	if c.failed {
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	c.failed = decoder.Decode(into) != nil
}
