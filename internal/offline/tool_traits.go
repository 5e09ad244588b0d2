package offline

import (
	"slices"
	"strings"

	"agent/internal/compression"
	"agent/internal/toolspec"
)

// Facts returns the traits of the tools in a document. The tools of this program declare their own
// traits. Among the tools that other programs recorded only well-known names count (elsewhere.go),
// and for REQ-HD-005 only tools whose output can be had again; a tool of any other name is left
// alone (D-45). A name that both know may hold its patch in the parameters of either, since a
// recording does not name the program that made it.
func (e *Engine) Facts() compression.Facts {
	return func(name string) toolspec.Traits {
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
