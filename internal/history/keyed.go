package history

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
