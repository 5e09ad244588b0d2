package app

import (
	"context"
	"net/http"
	"slices"

	"agent/internal/app/hookgates"
	"agent/internal/app/webtool"
	"agent/internal/fetch"
	"agent/internal/protect"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/websearch"
)

// WebSearch returns a web searcher with the settings. It is for reporting which service would be used; only
// a conversation can search. c is the connection to the model's server.
func (p *Process) WebSearch(s *settings.Settings, f Folders, c *provider.Connection) *websearch.Searcher {
	config := p.searchConfig(s, f)
	config.Server = func() error { return c.SearchesWeb(settings.Model.Value(s)) }
	return websearch.New(config)
}

func (p *Process) searchConfig(s *settings.Settings, f Folders) websearch.Config {
	return websearch.Config{
		Settings: func() websearch.Settings {
			return websearch.Settings{
				Way: settings.WebSearch.Value(s), URL: settings.WebSearchURL.Value(s), Command: settings.WebSearchCommand.Value(s),
				Price: settings.WebSearchPrice.Value(s), MaxTokens: settings.WebSearchMaxTokens.Value(s), MaxPerTurn: settings.WebSearchMaxPerTurn.Value(s),
			}
		},
		Key: func(baseURL string) string {
			key, _ := p.Keys(f).Get(provider.KeyHost(baseURL))
			return string(key)
		},
		Request: func(ctx context.Context, request *http.Request, private bool, most int64) (fetch.Response, error) {
			if err := p.underPolicy().CheckHost(request.URL.Hostname()); err != nil {
				return fetch.Response{}, err
			}
			return fetch.Do(ctx, request, private, most)
		},
		Environ: p.Environ, Now: p.Now,
	}
}

// newWeb returns the web search of a conversation. Results omit hosts for which denied returns an error.
func newWeb(rec *record, env *tools.Env, models *endpoints, rules *hookgates.Rules, denied func(host string) error) *webtool.Web {
	at := rec.at
	search := at.process.searchConfig(at.settings, at.folders)
	search.Denied = func(host string) bool { return denied(host) != nil }
	search.KeyFiles = func() []string {
		return slices.Concat(at.survey.ScanBefore().KeyFiles, protect.SecretFiles(at.process.Home))
	}
	return webtool.New(webtool.Config{
		Settings: at.settings, Search: search, Connection: models.own, Rules: rules, Known: at.known, Env: env,
		State: at.folders.State, Root: at.workspace.Root(), Jobs: at.jobs,
		Ran: func(line string, end shell.ExitInfo) { rec.acts.noteProgram("web search", line, end) },
	})
}
