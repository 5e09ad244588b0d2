package history

import (
	"encoding/json"
	"sync"
)

// maxIndexedArg is the length of the longest argument that callArgs keeps, in bytes, so that the
// index of a write_file call does not hold its content a second time.
const maxIndexedArg = 8 << 10

// callArgs is the memoised index of a call's short arguments. Density asks for a call's path on
// every turn; the parameters are parsed only once.
type callArgs struct {
	once   sync.Once
	values map[string]any
}

// Arg returns the top-level parameter key, decoded. It returns false if the parameters are not an
// object, the key is absent, or its JSON is longer than 8 KiB: it serves paths, commands and
// patterns, not file contents. The value is shared and must not be changed.
func (c *ToolCall) Arg(key string) (any, bool) {
	c.args.once.Do(func() { c.args.values = indexArgs(c.Parameters) })
	v, ok := c.args.values[key]
	return v, ok
}

// StringArg returns the top-level parameter key if it is a string (and short,
// see Arg), else "".
func (c *ToolCall) StringArg(key string) string {
	v, _ := c.Arg(key)
	s, _ := v.(string)
	return s
}

func indexArgs(parameters json.RawMessage) map[string]any {
	if len(parameters) <= maxIndexedArg {
		var all map[string]any
		if json.Unmarshal(parameters, &all) != nil {
			return nil
		}
		return all
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(parameters, &all) != nil {
		return nil
	}
	short := make(map[string]any, len(all))
	for key, value := range all {
		var decoded any
		if len(value) <= maxIndexedArg && json.Unmarshal(value, &decoded) == nil {
			short[key] = decoded
		}
	}
	return short
}
