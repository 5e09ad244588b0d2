package offline

import (
	"slices"
	"strings"

	"agent/internal/compression"
	"agent/internal/toolspec"
)

// ToolTraits returns the traits of the tools in a document. The tools of this program declare their own
// traits. For tools that other programs recorded, only well-known names count (foreign_tools.go), and
// for REQ-HD-005 only tools whose output can be produced again. A tool of any other name is not pruned
// (D-45). A name that both have may contain its patch in the parameters of either, because a recording
// does not name the program that made it.
func (e *Engine) ToolTraits() compression.TraitsLookup {
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
