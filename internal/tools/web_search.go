package tools

import (
	"cmp"
	"context"
	"errors"

	"agent/internal/base/humanize"
	"agent/internal/toolspec"
	"agent/internal/websearch"
)

// WebSearchName is the name of the tool that searches the web.
const WebSearchName = "web_search"

type webSearchArgs struct {
	Query   string   `json:"query" jsonschema:"1-400 characters"`
	Count   int      `json:"count,omitempty" jsonschema:"1-20, default 8"`
	Domains []string `json:"domains,omitempty" jsonschema:"search only these hosts; a leading - excludes a host"`
	Recent  string   `json:"recent,omitempty" jsonschema:"day, week, month or year"`
}

// WebSearchTool returns the tool that searches the web at the service of s. It is offered only if a
// user has chosen a service.
func WebSearchTool(s *websearch.Searcher) Tool {
	return define(Tool{
		Name: WebSearchName,
		Description: "Searches the web and gives addresses with short excerpts; read a page with web_fetch before you rely on it. " +
			"Use it for what the workspace does not contain: current versions, error messages, documentation. Name your sources.",
		Traits: Traits{
			Network: true, Searches: true,
			Key:   "query",
			Words: []toolspec.Verbs{{Now: "searching", Done: "searched", Do: "search", About: s.Service() + `: "{query}"`}},
		},
	}, func(_ context.Context, _ *Env, args webSearchArgs) (Plan, error) {
		query, note, err := websearch.NewQuery(args.Query, args.Count, args.Domains, args.Recent)
		if err == nil {
			err = cmp.Or(s.CheckSettings(), s.Check(query))
		}
		if err != nil {
			return Plan{}, err
		}
		service := s.Service()
		return Plan{
			Preview: Preview{Title: "ask " + service + " for " + humanize.Line(query.Text, 0), Service: service, Hosts: query.OnlyHosts},
			Apply:   func(ctx context.Context) Answer { return searched(ctx, s, query, note) },
		}, nil
	})
}

// ServerSearchTool returns the tool that represents the web search of the model's server. The server
// searches within its replies and omits the blocked hosts.
func ServerSearchTool(blocked []string) Tool {
	return define(Tool{
		Name: WebSearchName, Server: true, Blocked: blocked,
		Description: "Searches the web. The model's server runs the search itself.",
		Traits:      Traits{Network: true, Searches: true, Key: "query", Words: []toolspec.Verbs{{Now: "searching", Done: "searched", Do: "search", About: `"{query}"`}}},
	}, func(context.Context, *Env, webSearchArgs) (Plan, error) {
		return Plan{}, errors.New("the model's server runs web searches during its reply; do not call this tool")
	})
}

func searched(ctx context.Context, s *websearch.Searcher, query websearch.Query, note string) Answer {
	found, err := s.Search(ctx, query)
	if err != nil {
		return failedAnswer(err)
	}
	answer := Answer{Text: found.Text(s.MaxTokens()), Note: note, Summary: humanize.Count(len(found.Results), "result")}
	if !found.Cached {
		answer.Searches = 1
		answer.Cost, _ = s.Price()
	}
	return answer
}
