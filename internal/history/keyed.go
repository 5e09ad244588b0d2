package history

import "strings"

// Key is what the results of the entry are the content of, empty for most (MetaKey).
func (c *Content) Key() string {
	key, _ := c.Metadata[MetaKey].(string)
	return key
}

// Instructs reports whether the content of a key says how to work, as a skill does. Such
// content is never too old; what a server answered is, as what was found.
func Instructs(key string) bool { return key != "" && !strings.HasPrefix(key, ServerKey) }

// ServerKey begins the keys of what servers of tools answer.
const ServerKey = "mcp:"

// Keyed returns the text of the entry that is the content of a key: of a block that
// carries it, or the result of a tool whose entry does.
func (c *Content) Keyed(key string) (text string, found bool) {
	for _, block := range c.Blocks {
		switch b := block.(type) {
		case *Text:
			if b.Key == key {
				return b.Text, true
			}
		case *ToolResponse:
			if c.Metadata[MetaKey] == key {
				return b.Result.Text(), true
			}
		}
	}
	return "", false
}
