package chat

import (
	"agent/internal/compression"
	"agent/internal/tools"
)

// ToolFacts tells the density engine what the registered tools do to files. The
// tools declare it themselves; nothing else knows their names.
func ToolFacts(registry *tools.Registry) compression.Facts {
	return func(name string) compression.ToolFacts {
		tool, err := registry.Get(name)
		if err != nil {
			return compression.ToolFacts{}
		}
		return compression.ToolFacts{
			Reads:       tool.Access == tools.AccessRead,
			ReadsMany:   tool.Access == tools.AccessReadMany,
			Writes:      tool.Access == tools.AccessWrite,
			Retrievable: retrievable(tool),
			Key:         tool.KeyParameter,
		}
	}
}

// retrievable names the kinds of tool whose results can be had again (D-45). A new
// kind is left alone until it is added here.
func retrievable(tool tools.Tool) bool {
	switch tool.Kind {
	case tools.KindRead, tools.KindShell, tools.KindNetwork:
		return true
	default:
		return false
	}
}
