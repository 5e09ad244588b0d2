package offline

import (
	"strings"

	"agent/internal/compression"
	"agent/internal/traits"
)

// facts is what is known about the tools of a document. Those of this program
// declare themselves. Of others, which other programs recorded, only well-known
// names count (elsewhere.go), and for REQ-HD-005 only what can be had again; a tool of
// any other name is left alone (D-45).
func (e *Engine) facts() compression.Facts {
	return func(name string) traits.Traits {
		if tool, err := e.Tools.Get(name); err == nil {
			return tool.Traits
		}
		known := elsewhere[strings.ToLower(name)]
		known.Elsewhere = true
		return known
	}
}
