package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/app/hookgates"
	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/chat"
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

type webSearch struct {
	searcher *websearch.Searcher
	at       *place
	rec      *record
	models   *endpoints
	rules    *hookgates.Rules
}

// newWebSearch returns the web search of a conversation. Results omit hosts for which denied returns an
// error.
func newWebSearch(at *place, rec *record, models *endpoints, rules *hookgates.Rules, denied func(host string) error) *webSearch {
	w := &webSearch{at: at, rec: rec, models: models, rules: rules}
	config := at.process.searchConfig(at.settings, at.folders)
	config.Run = w.run
	config.Server = w.byServer
	config.Denied = func(host string) bool { return denied(host) != nil }
	config.KeyFiles = func() []string {
		return slices.Concat(at.survey.ScanBefore().KeyFiles, protect.SecretFiles(at.process.Home))
	}
	w.searcher = websearch.New(config)
	return w
}

func isWebSearch(name string) bool { return name == tools.WebSearchName }

// source returns the source of the web search tool. The source is empty while the setting is off.
func (w *webSearch) source() tools.Source {
	way := func() string { return settings.WebSearch.Value(w.at.settings) }
	return tools.Source{
		Name: "web search",
		Revision: func() uint64 {
			revision := 2 * uint64(slices.Index(websearch.SettingValues(), way())+1)
			if (way() == websearch.Provider || way() == websearch.Auto) && w.searcher.IsByServer() {
				revision++
			}
			return revision
		},
		List: func() []tools.Tool {
			switch {
			case way() == websearch.Off:
			case w.searcher.IsByServer():
				return []tools.Tool{tools.ServerSearchTool(w.rules.BlockedHosts())}
			case w.searcher.Service() != "":
				return []tools.Tool{tools.WebSearchTool(w.searcher)}
			}
			return nil
		},
	}
}

// byServer returns the reason why the model's server does not search the web itself, or nil if it does. No
// approval is possible before such a search. So rules that limit searches turn it off, unless the server
// omits the hosts that they deny.
func (w *webSearch) byServer() error {
	if rule := w.rules.SearchLimitRule(w.models.own.ExcludesHosts(settings.Model.Value(w.at.settings))); rule != "" {
		return errors.New("web-search is provider, but the model's server can't enforce " + rule + ". Choose a service with /set web-search")
	}
	return w.models.own.SearchesWeb(settings.Model.Value(w.at.settings))
}

// searchToldFile exists if the user has read the notice about searches by the model's server.
const searchToldFile = "server-search-told"

// told returns a notice in the first session in which the model's server searches the web, because such a
// search needs no approval. It also returns a notice if the setting requires such a search and it is not
// possible.
func (w *webSearch) told() (notice string) {
	way := settings.WebSearch.Value(w.at.settings)
	if way != websearch.Provider && way != websearch.Auto {
		return ""
	}
	err := w.searcher.CheckSettings()
	told := filepath.Join(w.at.folders.State, searchToldFile)
	switch _, missing := os.Stat(told); {
	case err != nil && way == websearch.Provider:
		return "no web search: " + err.Error()
	case err == nil && w.searcher.IsByServer() && missing != nil:
		if os.MkdirAll(w.at.folders.State, 0o700) == nil {
			_ = os.WriteFile(told, nil, 0o600) // if this fails, the notice is printed again
		}
		return "The model's server searches the web by itself (web-search is " + way + "). Its searches need no approval, and queries are not checked for API keys."
	}
	return ""
}

// follow resets the count of searches when a turn begins.
func (w *webSearch) follow(e chat.Event) {
	if _, begins := e.(chat.TurnStarted); begins && settings.WebSearch.Value(w.at.settings) != websearch.Off {
		w.searcher.BeginTurn()
	}
}

// run runs the user's search command.
func (w *webSearch) run(ctx context.Context, line string, input []byte, limit time.Duration, most int) (string, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	key := settings.WebSearchCommand.Key()
	printed, complains := &shell.HeadWriter{Most: most}, &shell.HeadWriter{Most: mostPrinted}
	end, err := w.at.jobs.RunWithInput(limited, shell.Command{Line: line, Dir: w.at.workspace.Root(), Input: input, Environ: []string{"AGENT=agent"}}, printed, complains)
	w.rec.acts.noteProgram("web search", line, end, err)
	switch {
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case end.NotStarted != nil:
		return "", fmt.Errorf("can't start %s: %w", key, end.NotStarted)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("%s took longer than %s and was stopped", key, limit)
	case end.Exit != 0:
		says := humanize.Line(string(bytes.TrimSpace(complains.Kept)), 0)
		return "", fmt.Errorf("%s: %s: %s", key, end.ExitText(), humanize.Line(says, 300))
	}
	return string(printed.Kept), nil
}

// webForPerson searches and reads the web for the user.
type webForPerson struct {
	web *webSearch
	env *tools.Env
}

// Search implements slash.Web. The text is not compared with keys, because the user typed it.
func (w webForPerson) Search(ctx context.Context, text string) (websearch.Answer, error) {
	if settings.WebSearch.Value(w.web.at.settings) == websearch.Off {
		return websearch.Answer{}, errors.New("web search is off. Choose a service, for example: /set web-search brave")
	}
	query, _, err := websearch.NewQuery(text, 0, nil, "")
	if err != nil {
		return websearch.Answer{}, err
	}
	return w.web.searcher.Search(ctx, query)
}

// Page implements slash.Web.
func (w webForPerson) Page(ctx context.Context, address string) (string, error) {
	tool, err := w.web.at.known.Get("web_fetch")
	if err != nil {
		return "", err
	}
	encoded, err := rawjson.Marshal(map[string]string{"url": address})
	if err != nil {
		return "", err
	}
	env := *w.env
	env.Limits = tools.Limits{OutputTokens: settings.ToolOutputMaxTokens.Value(w.web.at.settings), PrivateAddresses: settings.WebFetchPrivate.Value(w.web.at.settings)}
	plan, err := tool.Plan(ctx, &env, arguments.Parse(encoded))
	if err != nil {
		return "", err
	}
	answer := plan.Apply(ctx)
	if answer.Error != "" {
		return "", errors.New(answer.Error)
	}
	return answer.ModelText(), nil
}
