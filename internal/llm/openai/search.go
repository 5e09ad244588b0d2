package openai

import (
	"encoding/json"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// maxSources is the largest number of addresses that are reported for one search.
const maxSources = 50

// searchAction is an action of the server in a web search of the Responses API.
type searchAction struct {
	Type    string   `json:"type"`
	Query   string   `json:"query"`
	Queries []string `json:"queries"`
	URL     string   `json:"url"`
	Sources lenientjson.List[struct {
		URL string `json:"url"`
	}] `json:"sources"`
}

// searched records a search of the Responses API, or a page that the server opened.
func (r *reply) searched(item json.RawMessage) {
	action := lenientjson.Decode[searchAction](member(item, "action"))
	if action.Query == "" && len(action.Queries) > 0 {
		action.Query = action.Queries[0]
	}
	told := llm.ServerSearch{Query: action.Query}
	for _, source := range action.Sources {
		told.Sources = addSource(told.Sources, source.URL)
	}
	if action.Type == "search" || action.Query != "" {
		told.Times = 1
	}
	told.Sources = addSource(told.Sources, action.URL)
	r.emit(told)
}

func addSource(sources []string, address string) []string {
	if address == "" || len(sources) >= maxSources || slices.Contains(sources, address) {
		return sources
	}
	return append(sources, address)
}

// annotation is a source of an answer, as OpenRouter sends it.
type annotation struct {
	Citation struct {
		URL string `json:"url"`
	} `json:"url_citation"`
}

func (r *reply) collectSources(annotations []annotation) {
	for _, a := range annotations {
		r.cited.Sources = addSource(r.cited.Sources, a.Citation.URL)
	}
}
