package chat

import (
	"sync"

	"agent/internal/compression"
	"agent/internal/compression/cacheaware"
	"agent/internal/tools"
)

// ToolFacts tells the density engine what the registered tools do to files. The
// tools declare it themselves; nothing else knows their names.
func ToolFacts(registry *tools.Registry) compression.Facts {
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

// units says what may be pruned of a tool by itself: what it declares, with what it is.
func units(tool tools.Tool) cacheaware.Tool {
	d := tool.Units
	u := cacheaware.Tool{
		Path: []string{"file_path", "absolute_path", "path"},
		From: named(d.From), To: named(d.To), Count: named(d.Count), Headed: d.Headed, Fragment: d.Fragment,
		Old: named(d.Old), New: named(d.New), Body: named(d.Body), Command: named(d.Command),
	}
	switch {
	case d.Command != "":
		u.Act = cacheaware.Shell
	case tool.Access == tools.AccessRead:
		u.Act = cacheaware.View
	case tool.Access == tools.AccessWrite && d.Body != "":
		u.Act = cacheaware.Write
	case tool.Access == tools.AccessWrite:
		u.Act = cacheaware.Edit
	case !retrievable(tool):
		u.Act = cacheaware.Keep
	}
	return u
}

// named is the list of one parameter, empty for none.
func named(parameter string) []string {
	if parameter == "" {
		return nil
	}
	return []string{parameter}
}

// shown is what an answer shows of a file, for the record.
func shown(s *tools.Shown) cacheaware.Shown {
	noted := cacheaware.Shown{Path: s.Path, From: s.From, To: s.To, Whole: s.Whole}
	if s.Content != nil {
		noted.Hash = cacheaware.Hash(s.Content)
	}
	return noted
}
