package anthropic

import (
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// maxSources is the largest number of addresses that are reported for one search.
const maxSources = 50

// tellSearch yields a chunk about a search that the server made, with its results.
func (r *reply) tellSearch(b *replyBlock) {
	switch b.kind {
	case "server_tool_use":
		if b.name == "web_search" {
			query := lenientjson.Decode[struct{ Query string }](member(b.raw(), "input")).Query
			r.emit(llm.ServerSearch{Query: query, Times: 1})
		}
	case "web_search_tool_result":
		var told llm.ServerSearch
		for _, found := range lenientjson.Decode[lenientjson.List[struct {
			URL string `json:"url"`
		}]](member(b.start, "content")) {
			if found.URL != "" && len(told.Sources) < maxSources && !slices.Contains(told.Sources, found.URL) {
				told.Sources = append(told.Sources, found.URL)
			}
		}
		if len(told.Sources) > 0 {
			r.emit(told)
		}
	}
}
