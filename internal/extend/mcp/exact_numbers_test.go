package mcp

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Numbers of a structured result that floating point would round stay as the server wrote them, and
// so does its other metadata (setup.md 5.5).
func TestExactNumbers(t *testing.T) {
	t.Parallel()
	for structured, want := range map[string]string{
		`{"id": 9007199254740993, "b": [-123456789012345678901234567890], "a": 1.10}`: `{"a":1.10,"b":[-123456789012345678901234567890],"id":9007199254740993}`,
		`{"n": 12, "text": "9007199254740993"}`:                                       `{"n":12,"text":"9007199254740993"}`,
		`[0.1234567890123456789]`:                                                     `[0.1234567890123456789]`,
	} {
		line := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"_meta":{"k":"v"},"structuredContent":` + structured + "}}\n"
		message, err := newReader(strings.NewReader(line), lineBytes).next()
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		var result sdk.CallToolResult
		if err := json.Unmarshal(message.(*jsonrpc.Response).Result, &result); err != nil {
			t.Fatal(err)
		}
		if got := resultOf(&result); string(got.Structured) != want || got.Text() != "x" || result.Meta["k"] != "v" {
			t.Errorf("%s: %s, %v", structured, got.Structured, result.Meta)
		}
	}
}
