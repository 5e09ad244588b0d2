package webtool

import (
	"context"
	"errors"

	"agent/internal/base/arguments"
	"agent/internal/base/rawjson"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/websearch"
)

// Search implements slash.Web. The text is not compared with keys, because the user typed it.
func (w *Web) Search(ctx context.Context, text string) (websearch.Answer, error) {
	if settings.WebSearch.Value(w.config.Settings) == websearch.Off {
		return websearch.Answer{}, errors.New("web search is off. Choose a service, for example: /set web-search brave")
	}
	query, _, err := websearch.NewQuery(text, 0, nil, "")
	if err != nil {
		return websearch.Answer{}, err
	}
	return w.Searcher.Search(ctx, query)
}

// Page implements slash.Web.
func (w *Web) Page(ctx context.Context, address string) (string, error) {
	tool, err := w.config.Known.Get("web_fetch")
	if err != nil {
		return "", err
	}
	encoded, err := rawjson.Marshal(map[string]string{"url": address})
	if err != nil {
		return "", err
	}
	env := *w.config.Env
	env.Limits = tools.Limits{OutputTokens: settings.ToolOutputMaxTokens.Value(w.config.Settings), PrivateAddresses: settings.WebFetchPrivate.Value(w.config.Settings)}
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
