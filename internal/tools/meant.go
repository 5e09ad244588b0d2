package tools

import (
	"encoding/json"

	"agent/internal/tools/decode"
)

// Meant returns what a call means among the tools there are now, by the names that they
// have. Calls of tools that are not the program's own stay as they are. A command that is
// a patch is one.
func (r *Registry) Meant(name, arguments string) decode.Call {
	now := r.Now()
	meant := decode.Meant(name, arguments, func(name string) (json.RawMessage, bool) {
		i, ok := now.index[name]
		if !ok {
			return nil, false
		}
		return now.tools[i].takes, true
	})
	meant.Name, meant.Arguments = r.AsPatch(meant.Name, meant.Arguments)
	return meant
}
