package history

import (
	"sync"

	"agent/internal/base/arguments"
)

// callArgs contains the parsed arguments of a call. Density needs a call's path on every turn, so the
// parameters are parsed only once.
type callArgs struct {
	once   sync.Once
	parsed arguments.Arguments
}

// NewCall returns a call with parsed arguments.
func NewCall(id, name string, given arguments.Arguments) *ToolCall {
	c := &ToolCall{ID: id, Name: name, Parameters: given.Raw()}
	c.args.once.Do(func() { c.args.parsed = given })
	return c
}

// Arguments returns the parsed parameters.
func (c *ToolCall) Arguments() arguments.Arguments {
	c.args.once.Do(func() { c.args.parsed = arguments.Parse(c.Parameters) })
	return c.args.parsed
}

// Arg returns the value of the top-level parameter key, decoded. It returns false if the parameters are
// not an object, the key is absent, or its JSON is longer than 8 KiB. It is meant for paths, commands
// and patterns, not file contents. The value is shared and must not be changed.
func (c *ToolCall) Arg(key string) (any, bool) { return c.Arguments().CachedArg(key) }
