package offline

import (
	"slices"
	"strings"

	"agent/internal/compression"
	"agent/internal/traits"
)

// facts is what is known about the tools of a document. Those of this program
// declare themselves. Of others, which other programs recorded, only well-known
// names count (elsewhere.go), and for REQ-HD-005 only what can be had again; a tool of
// any other name is left alone (D-45). A patch is found under the names that both give it,
// since a recording does not say which program made it.
func (e *Engine) facts() compression.Facts {
	return func(name string) traits.Traits {
		known := elsewhere()[strings.ToLower(name)]
		if tool, err := e.Tools.Get(name); err == nil {
			own := tool.Traits
			own.Patch = slices.Compact(slices.Sorted(slices.Values(slices.Concat(own.Patch, known.Patch))))
			return own
		}
		known.Elsewhere = true
		return known
	}
}
