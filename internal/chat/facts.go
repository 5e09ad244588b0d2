package chat

import (
	"encoding/json"
	"sync"

	"agent/internal/compression"
	"agent/internal/compression/cacheaware"
	"agent/internal/tools"
)

// ToolFacts tells the density engine what the registered tools do to files. The
// tools declare it themselves; nothing else knows their names.
func ToolFacts(registry *tools.Registry) compression.Facts {
	// Once for all requests: the names of parameters are read from the schemas.
	known := sync.OnceValue(func() map[string]compression.ToolFacts {
		facts := map[string]compression.ToolFacts{}
		for _, tool := range registry.All() {
			facts[tool.Name] = compression.ToolFacts{
				Reads:       tool.Access == tools.AccessRead,
				ReadsMany:   tool.Access == tools.AccessReadMany,
				Writes:      tool.Access == tools.AccessWrite,
				Retrievable: retrievable(tool),
				Key:         tool.KeyParameter,
				Units:       units(tool),
			}
		}
		return facts
	})
	return func(name string) compression.ToolFacts { return known()[name] }
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

// units says what may be pruned of a tool by itself: what its access and the names of
// its parameters tell.
func units(tool tools.Tool) cacheaware.Tool {
	takes := parametersOf(tool)
	first := func(names ...string) string {
		for _, name := range names {
			if takes[name] {
				return name
			}
		}
		return ""
	}
	u := cacheaware.Tool{Path: []string{"file_path", "absolute_path", "path"}}
	switch {
	case tool.Kind == tools.KindShell:
		u.Act, u.Command = cacheaware.Shell, tool.KeyParameter
	case tool.Access == tools.AccessRead:
		u.Act, u.Headed, u.Fragment = cacheaware.View, true, takes["symbol"]
		u.From, u.To, u.Count = first("offset", "start_line"), first("end_line"), first("limit")
	case tool.Access == tools.AccessWrite && takes["content"] && !takes["line_number"]:
		u.Act, u.Body = cacheaware.Write, "content"
	case tool.Access == tools.AccessWrite:
		u.Act, u.Old, u.New = cacheaware.Edit, first("old_string"), first("new_string", "new_code", "content")
	case !retrievable(tool):
		u.Act = cacheaware.Keep
	}
	return u
}

// parametersOf are the names of a tool's parameters.
func parametersOf(tool tools.Tool) map[string]bool {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	takes := map[string]bool{}
	if json.Unmarshal(tool.Schema, &schema) == nil {
		for name := range schema.Properties {
			takes[name] = true
		}
	}
	return takes
}
